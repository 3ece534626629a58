import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  ADMIN,
  APPLIER,
  APPROVER,
  AUTHOR,
  openShop,
  PRODUCTION,
  PROPOSE,
  REQUESTS,
  SHOP,
} from "./protected.ts";

/*
 * Whatever anybody but an Admin does, and in whatever order: a protected environment is as it was, but for the changes of
 * requests that someone else has approved since they were last edited.
 */

/** Users 2 to 4; the last two may approve, the last may apply. Each also proposes. */
const PEOPLE = [AUTHOR, APPROVER, APPLIER];

const CHANGES = ["checkout", "search"].flatMap((feature) => [
  { feature, action: "updateEnabled", payload: { enabled: true } },
  { feature, action: "updateEnabled", payload: { enabled: false } },
  { feature, action: "addStrategy", payload: { name: "default" } },
]);

const aPerson = fc.constantFrom(...PEOPLE);
const aNumber = fc.integer({ min: 1, max: 2 });
const FLAG = `${SHOP}/features/checkout`;

/** Ways to change the environment directly. */
const DOORS = [
  ["POST", `${PRODUCTION}/on`],
  ["POST", `${PRODUCTION}/off`],
  ["POST", `${PRODUCTION}/strategies`, { name: "default" }],
  ["PUT", `${FLAG}/variants`, [{ name: "a", weight: 1000, weightType: "variable", stickiness: "default" }]],
  ["PUT", `${FLAG}/variants-batch`, { variants: [], environments: ["production"] }],
  ["POST", `${SHOP}/bulk_features/environments/production/on`, { features: ["search", "checkout"] }],
  ["DELETE", FLAG],
  ["POST", `${SHOP}/archive`, { features: ["search"] }],
  ["PATCH", FLAG, [{ op: "replace", path: "/archived", value: true }]],
  ["POST", `${FLAG}/dependencies`, { feature: "search" }],
  ["POST", `${FLAG}/clone`, { name: "copy" }],
  ["POST", "/api/admin/events/1/undo"],
  [
    "POST",
    "/api/admin/features-batch/import",
    {
      project: "shop",
      environment: "production",
      data: {
        features: [{ name: "checkout" }],
        featureStrategies: [{ name: "default", featureName: "checkout" }],
        tagTypes: [],
      },
    },
  ],
] as const;

const aDirect = fc.record({
  kind: fc.constant("direct" as const),
  as: aPerson,
  door: fc.constantFrom(...DOORS),
});
const aProposal = fc.record({
  kind: fc.constant("propose" as const),
  as: aPerson,
  change: fc.constantFrom(...CHANGES),
});
const aDiscard = fc.record({
  kind: fc.constant("discard" as const),
  as: aPerson,
  id: aNumber,
  change: aNumber,
});
const aMove = fc.record({
  kind: fc.constant("move" as const),
  as: aPerson,
  id: aNumber,
  state: fc.constantFrom("In review", "Approved", "Applied"),
});
const anEnd = fc.record({
  ...{ kind: fc.constant("move" as const), as: aPerson, id: aNumber },
  state: fc.constantFrom("Rejected", "Cancelled"),
});

const anAction = fc.oneof(
  { arbitrary: aDirect, weight: 3 },
  { arbitrary: aProposal, weight: 2 },
  { arbitrary: aDiscard, weight: 1 },
  { arbitrary: aMove, weight: 12 },
  { arbitrary: anEnd, weight: 1 },
);

/** What is known of a request from the answers alone. */
interface Known {
  author: string;
  /** Who has approved it since it was last edited. */
  approvers: Set<string>;
}

test("nobody gets around the approvals, and what is approved can be applied", async (t) => {
  let applied = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anAction, { minLength: 40, maxLength: 80 }), async (actions) => {
      const { request, get } = await openShop(t);
      const known = new Map<number, Known>();
      const seen = async () => {
        const { body } = await get(`${SHOP}/features?`, ADMIN);
        const flags = body.features.map(({ name }: { name: string }) => `${SHOP}/features/${name}`);
        const states = flags.map(
          async (flag: string) => (await get(`${flag}/environments/production`, ADMIN)).text,
        );
        return JSON.stringify(await Promise.all(states));
      };
      let before = await seen();
      for (const action of actions) {
        const isApplied = await perform(request, known, action);
        const now = await seen();
        if (isApplied) applied++;
        else assert.equal(now, before, JSON.stringify(action));
        before = now;
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(applied > 0, "some were");
});

type Send = Awaited<ReturnType<typeof openShop>>["request"];
type Action = typeof anAction extends fc.Arbitrary<infer A> ? A : never;

/** @returns whether a request was applied */
async function perform(send: Send, known: Map<number, Known>, action: Action): Promise<boolean> {
  const { as } = action;
  if (action.kind === "direct") {
    const [method, path, body] = action.door;
    const { status } = await send(path, { method, as, body });
    assert.ok(status < 500);
  } else if (action.kind === "propose") {
    const { status, body } = await send(PROPOSE, { method: "POST", as, body: action.change });
    if (status === 200) known.set(body.id, { author: as, approvers: new Set() });
  } else if (action.kind === "discard") {
    const path = `${REQUESTS}/${action.id}/changes/${action.change}`;
    const { status } = await send(path, { method: "DELETE", as });
    if (status === 200) known.get(action.id)!.approvers.clear();
  } else return move(send, known, action);
  return false;
}

async function move(
  send: Send,
  known: Map<number, Known>,
  { as, id, state }: Extract<Action, { kind: "move" }>,
): Promise<boolean> {
  const { status } = await send(`${REQUESTS}/${id}/state`, { method: "PUT", as, body: { state } });
  const request = known.get(id);
  if (status !== 200 || request === undefined) {
    assert.ok([403, 404, 409].includes(status), `${state}: ${status}`);
    return false;
  }
  if (state === "In review") request.approvers.clear();
  if (state === "Approved") {
    assert.notEqual(as, request.author, "not one's own");
    assert.notEqual(as, AUTHOR, "who lacks the permission");
    request.approvers.add(as);
  }
  if (state !== "Applied") return false;
  assert.equal(as, APPLIER);
  assert.ok(request.approvers.size > 0, "somebody has approved what is applied");
  return true;
}
