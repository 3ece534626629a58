import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies } from "../support/bad-bodies.ts";
import { permitted } from "../support/permitted.ts";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const LIFECYCLE = "/api/admin/projects/a/features/f/lifecycle";
const stages = [
  { stage: "initial", enteredAt: "2026-01-01T00:00:00.000Z" },
  { stage: "pre-live", enteredAt: "2026-01-02T00:00:00.000Z" },
  { stage: "live", enteredAt: "2026-01-02T00:00:00.000Z" },
];

const given = (w: World) =>
  w.project("a").project("hidden", { mode: "private" }).feature("f", "a", { stages }).feature("bare", "a");

const completed = (data: Record<string, unknown>) =>
  ({ type: "feature-completed", project: "a", featureName: "f", data, preData: null }) as const;

const elsewhere = (url: string, body?: object) => [
  {
    name: "an unknown flag",
    url: url.replace("/f/", "/nope/"),
    given,
    body,
    expect: [404, "NotFoundError"] as [number, string],
  },
  {
    name: "a private project",
    url: url.replace("/a/", "/hidden/"),
    as: personal(2),
    given,
    body,
    expect: [403, "NoAccessError"] as [number, string],
  },
];

scenarios(`GET ${LIFECYCLE}`, [
  {
    name: "the stages in order",
    as: personal(3),
    given,
    see: (body) =>
      assert.deepEqual(
        body,
        stages.map(({ stage, enteredAt }) => ({ stage, enteredStageAt: enteredAt })),
      ),
  },
  { name: "none", url: LIFECYCLE.replace("/f/", "/bare/"), given, see: (body) => assert.deepEqual(body, []) },
  ...elsewhere(LIFECYCLE),
]);

scenarios("GET /api/admin/lifecycle/count", [
  ...[
    { as: personal(3), name: "the last stage of each flag that has any, archived or not", initial: 0 },
    { as: personal(1), name: "and of those in private projects", initial: 1 },
  ].map(({ initial, ...scenario }) => ({
    ...scenario,
    given: (w: World) =>
      given(w)
        .feature("gone", "a", {
          archivedAt: "2026-01-02T00:00:00Z",
          stages: [...stages, { stage: "archived", enteredAt: "2026-01-03T00:00:00Z" }],
        })
        .feature("secret", "hidden", { stages: stages.slice(0, 1) }),
    see: (body: object) =>
      assert.deepEqual(body, { initial, preLive: 0, live: 1, completed: 0, archived: 1 }),
  })),
]);

scenarios(`POST ${LIFECYCLE}/complete`, [
  ...permitted("UPDATE_FEATURE", {
    given,
    body: { status: "kept" },
    records: [completed({ status: "kept", kept: true })],
  }),
  ...badBodies({ given }, [
    ["no status", {}, "body.status"],
    ["an unknown status", { status: "lost" }, "body.status"],
    ["a status that is null", { status: null }, "body.status"],
    ["a variant that is an object", { status: "kept", statusValue: {} }, "body.statusValue"],
  ]),
  {
    name: "discarded",
    given,
    body: { status: "discarded" },
    records: [completed({ status: "discarded", kept: false })],
  },
  {
    name: "with a variant",
    given,
    body: { status: "kept", statusValue: "blue" },
    records: [completed({ status: "kept", statusValue: "blue", kept: true })],
  },
  ...elsewhere(`${LIFECYCLE}/complete`, { status: "kept" }),
]);

scenarios(`POST ${LIFECYCLE}/uncomplete`, [
  ...permitted("UPDATE_FEATURE", {
    given,
    records: [{ type: "feature-uncompleted", project: "a", featureName: "f", data: null }],
  }),
  ...elsewhere(`${LIFECYCLE}/uncomplete`),
]);

test("a flag is completed once, and returns to the previous stage when that is undone", async (t) => {
  const { request } = await openServer(t, given(createWorld()));
  const now = async () => (await request("/api/admin/projects/a/features/f")).body.lifecycle.stage;
  for (const status of ["kept", "discarded"])
    await request(`${LIFECYCLE}/complete`, { method: "POST", body: { status } });
  const last = (await request(LIFECYCLE)).body.at(-1);
  assert.deepEqual([await now(), last.stage, last.status], ["completed", "completed", "kept"]);
  await request(`${LIFECYCLE}/uncomplete`, { method: "POST" });
  assert.equal(await now(), "live");
});
