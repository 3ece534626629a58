import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { plain } from "../../src/undo/plan.ts";
import { assertRecorded, openServer, watchLog } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const PLACE = "/api/admin/projects/a/features/f/environments/production";
const STRATEGY = {
  name: "flexibleRollout",
  parameters: { rollout: "25", stickiness: "default", groupId: "f" },
};
const S1 = "00000000-0000-4000-8000-000000000001";

const world = () =>
  createWorld()
    .project("a")
    .member("a", 2)
    .feature("f", "a", {
      environments: [{ name: "production", enabled: true, strategies: [{ id: S1, ...STRATEGY }] }],
    })
    .feature("g", "a");

const EDITOR = personal(2);
const VIEWER = personal(3);

async function start(t: TestContext, given: World = world()) {
  const server = await openServer(t, given);
  const { request, db } = server;
  const send = (method: string, path: string, body?: unknown, as?: string) =>
    request(path, { method, ...(body !== undefined && { body }), ...(as !== undefined && { as }) });
  /** Makes a change. @returns the event to undo */
  const make = async (...args: Parameters<typeof send>) => {
    const reply = await send(...args);
    assert.ok(reply.status < 300, reply.text);
    return Number(reply.headers.get("flagstone-event"));
  };
  const undo = (id: number | string, as?: string) =>
    send("POST", `/api/admin/events/${id}/undo`, undefined, as);
  const preview = (id: number | string, as?: string) =>
    send("GET", `/api/admin/events/${id}/undo`, undefined, as);
  const feature = async (name = "f") => (await request(`/api/admin/projects/a/features/${name}`)).body;
  const production = async (name?: string) =>
    (await feature(name)).environments.find((one: { name: string }) => one.name === "production");
  return { ...server, send, make, undo, preview, feature, production, recorded: watchLog(db) };
}

test("an undo says what it would do, is an ordinary change, and can be undone", async (t) => {
  const { make, preview, undo, production, recorded } = await start(t);
  const off = await make("POST", `${PLACE}/off`);
  const { body } = await preview(off);
  assert.equal(body.total, 1);
  assert.match(body.events[0].summary, /^\*\*admin\*\* disabled the flag/);
  assert.match(
    body.changes[0].summary,
    /^\*\*admin\*\* enabled the flag .* in the environment \*\*production\*\*/,
  );
  const undone = await undo(off, EDITOR);
  assert.equal((await production()).enabled, true);
  const [event] = undone.body.events;
  assert.equal(undone.headers.get("flagstone-event"), String(event.id));
  assert.match(event.summary, /enabled the flag .* \(undoing event 1\)$/);
  const again = await undo(event.id);
  assert.equal(again.status, 200);
  assert.equal((await production()).enabled, false);
  assertRecorded(recorded(), [
    { type: "feature-environment-disabled", data: null },
    { type: "feature-environment-enabled", data: { undoes: off }, createdBy: "edith@example.com" },
    { type: "feature-environment-disabled", data: { undoes: event.id } },
  ]);
  assert.equal((await undo(off)).status, 200, "what undid it was undone");
});

test("an undo is refused if somebody has changed the same thing since, and says who and what", async (t) => {
  const { make, undo, preview, send, production } = await start(t);
  const strategy = `${PLACE}/strategies/${S1}`;
  const first = await make("PUT", strategy, { ...STRATEGY, title: "One" });
  await make("POST", "/api/admin/features/f/tags", { type: "simple", value: "xy" });
  const second = await make("PUT", strategy, { ...STRATEGY, title: "Two" }, EDITOR);
  const { changes, refusal } = (await preview(first)).body;
  assert.deepEqual([changes, refusal.name, refusal.event], [[], "ConflictError", second]);
  for (const { message } of [refusal, (await undo(first)).body]) {
    assert.match(message, /since then, edith@example.com updated the strategy Two .* \(event \d+, 20/);
  }
  const { status, headers } = await undo(first);
  assert.deepEqual([status, headers.get("flagstone-event")], [409, String(second)]);
  await undo(second);
  assert.equal((await undo(first)).status, 200, "the later change was undone");
  assert.equal((await production()).strategies[0].title, "");
  assert.equal((await send("POST", `${PLACE}/off`)).status, 200);
});

test("of two who undo the same, at the same time, one does", async (t) => {
  const { make, undo, recorded } = await start(t);
  const off = await make("POST", `${PLACE}/off`);
  const replies = await Promise.all([undo(off), undo(off, EDITOR)]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
  assert.match(replies.find(({ status }) => status === 409)!.body.message, /\(undoing event 1\)/);
  assert.equal(recorded().length, 2);
});

test("what one request has changed is undone as one, or not at all", async (t) => {
  const { make, undo, preview, send, recorded, production } = await start(t);
  const on = "/api/admin/projects/a/bulk_features/environments/production";
  const features = ["f", "g"];
  await make("POST", `${on}/off`, { features });
  const first = await make("POST", `${on}/on`, { features });
  const { body } = await preview(first + 1);
  assert.deepEqual(
    body.changes.map(({ type, featureName }: Record<string, string>) => `${type} ${featureName}`),
    ["feature-environment-disabled g", "feature-strategy-remove g", "feature-environment-disabled f"],
  );
  const later = await make("POST", "/api/admin/projects/a/features/g/environments/production/off");
  assert.equal((await undo(first)).status, 409);
  assert.equal((await production()).enabled, true, "nothing is half undone");
  await undo(later);
  assert.equal((await undo(first + 2)).status, 200);
  assert.deepEqual((await production("g")).strategies, []);
  const { status } = await send("POST", `/api/admin/events/${recorded().at(-1)!.id}/undo`);
  assert.equal(status, 200, "redone as one");
  assert.equal((await production()).enabled && (await production("g")).enabled, true);
});

test("removing the last strategy turns a flag off: both are undone, without the default strategy", async (t) => {
  const { make, undo, production } = await start(t);
  const removed = await make("DELETE", `${PLACE}/strategies/${S1}`);
  assert.equal((await production()).enabled, false);
  assert.equal((await undo(removed)).status, 200);
  const { enabled, strategies } = await production();
  assert.equal(enabled, true);
  assert.deepEqual(
    strategies.map(({ parameters }: { parameters: object }) => parameters),
    [STRATEGY.parameters],
  );
});

test("a flag is not turned on for everyone because its strategies are gone", async (t) => {
  const { make, undo, production } = await start(t);
  const off = await make("POST", `${PLACE}/off`);
  await make("DELETE", `${PLACE}/strategies/${S1}`);
  const { status, body } = await undo(off);
  assert.equal(status, 409);
  assert.match(body.message, /no strategy of the flag f is enabled there any more/);
  assert.deepEqual([(await production()).enabled, (await production()).strategies], [false, []]);
});

test("an archived flag comes back as it was: on where it was on, with what it depended on", async (t) => {
  const { make, undo, feature, production, send } = await start(t);
  await make("POST", "/api/admin/projects/a/features/f/dependencies", { feature: "g", enabled: false });
  const archived = await make("DELETE", "/api/admin/projects/a/features/f");
  assert.equal((await undo(archived)).status, 200);
  assert.deepEqual((await feature()).dependencies, [{ feature: "g", enabled: false, variants: [] }]);
  assert.equal((await production()).enabled, true);
  const again = await make("DELETE", "/api/admin/projects/a/features/f");
  await make("DELETE", "/api/admin/archive/f");
  assert.match((await undo(again)).body.message, /since then, admin deleted the flag f/);
  await send("POST", "/api/admin/projects/a/features", { name: "f" });
  assert.equal((await undo(again)).status, 409, "another flag of that name");
});

test("an undo needs the permission for the opposite change, at that moment", async (t) => {
  const { make, undo, preview, send, recorded } = await start(t);
  const off = await make("POST", `${PLACE}/off`, undefined, EDITOR);
  const { refusal } = (await preview(off, VIEWER)).body;
  const { status, body } = await undo(off, VIEWER);
  assert.deepEqual([status, refusal.name, refusal.message], [403, "NoAccessError", body.message]);
  assert.match(body.message, /UPDATE_FEATURE_ENVIRONMENT in the environment production/);
  assert.equal((await preview(off, EDITOR)).body.refusal, null);
  await send("DELETE", "/api/admin/projects/a/users/2/roles");
  await send("PUT", "/api/admin/user-admin/2", { rootRole: 3 });
  recorded();
  assert.equal((await undo(off, EDITOR)).status, 403);
});

test("of a private project, outsiders learn nothing", async (t) => {
  const { make, undo, preview, send } = await start(
    t,
    world().project("b", { mode: "private" }).member("b", 2),
  );
  const moved = await make("POST", "/api/admin/projects/a/features/g/changeProject", { newProjectId: "b" });
  assert.equal((await undo(moved, VIEWER)).status, 404);
  assert.equal((await preview(moved, VIEWER)).body.message, `There is no event ${moved}`);
  await make("PUT", "/api/admin/projects/a/features/f", { description: "one" });
  const stale = await make("POST", "/api/admin/projects/a/stale", { features: ["f"], stale: true });
  await send("PUT", "/api/admin/projects/b/access", { roles: [{ id: 4, users: [1] }] });
  await make("POST", "/api/admin/projects/a/features/f/changeProject", { newProjectId: "b" });
  const { status, body } = await undo(stale, EDITOR);
  assert.deepEqual([status, body.message.endsWith("it has been changed since")], [409, true], body.message);
});

test("an id that no event has is a 404, however absurd", async (t) => {
  const { undo, preview } = await start(t);
  for (const id of ["0", "1", "-1", "1.5", "abc", "9223372036854775808", "1e3", "%2e%2e", "١"])
    for (const ask of [preview, undo]) assert.equal((await ask(id)).status, 404, id);
});

test("an event of another server is undone if it says enough", async (t) => {
  const place = { environment: "production" };
  const cases: Array<[event: object, expected: RegExp | 200]> = [
    [{ type: "feature-environment-enabled", ...place }, 200],
    [{ type: "feature-environment-disabled", ...place }, /everything is already as it was/],
    [
      { type: "feature-strategy-update", ...place, data: { id: S1 }, preData: { id: S1, name: "default" } },
      /all of what there was/,
    ],
    [{ type: "feature-strategy-remove", ...place, preData: null }, /all of what there was/],
    [{ type: "feature-strategy-add", ...place, data: { id: "gone" } }, /There is no strategy gone/],
    [
      {
        type: "feature-strategy-remove",
        ...place,
        preData: { name: 7, parameters: [], constraints: {}, segments: 1 },
      },
      /can't be undone: body/,
    ],
    [{ type: "strategy-order-changed", ...place, preData: { strategyIds: "x" } }, /can't be undone/],
    [
      { type: "feature-metadata-updated", data: { type: "release" }, preData: { type: 5 } },
      /can't be undone/,
    ],
    [{ type: "feature-environment-enabled", environment: null }, /all of what there was/],
    [{ type: "feature-environment-enabled", project: null, ...place }, /all of what there was/],
    [{ type: "from-the-future" }, /this version doesn't know/],
    [
      { type: "segment-deleted", featureName: null, preData: { name: "s", constraints: null } },
      /can't be undone/,
    ],
  ];
  for (const [event, expected] of cases) {
    const { undo, recorded } = await start(t, world().event({ project: "a", featureName: "f", ...event }));
    const { status, body } = await undo(1);
    if (expected === 200) assert.equal(status, 200, JSON.stringify(body));
    else assert.deepEqual([status, expected.test(body.message)], [409, true], body.message);
    assert.equal(recorded().length, expected === 200 ? 1 : 0);
  }
});

test("words lose their marks, whatever brackets are in a name", () => {
  assert.equal(plain("**ada** added **[x** to **[cart](/a)** in **b]**"), "ada added [x to cart in b]");
});
