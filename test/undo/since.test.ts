import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pointAt, stateAt } from "../../src/db/state-at.ts";
import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

const FLAG = "/api/admin/projects/a/features/f";
const PRODUCTION = `${FLAG}/environments/production`;

const variant = (name: string) => ({ name, weight: 1000, weightType: "variable", stickiness: "default" });

const world = () =>
  createWorld()
    .project("a")
    .member("a", 2)
    .add("segment", { id: 1, name: "Testers", constraints: [] })
    .feature("f", "a", {
      environments: [
        { name: "production", enabled: true, strategies: [{ name: "default" }], variants: [variant("v0")] },
      ],
    })
    .feature("g", "a");

async function start(t: TestContext) {
  const server = await openServer(t, world());
  const { request, db } = server;
  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await request(path, { method, ...(body !== undefined && { body }) });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    return reply.body;
  };
  const undo = (body: object, as = personal(1)) =>
    request("/api/admin/undo-since", { method: "POST", body, as });
  const preview = async (what: Record<string, string>) =>
    (await request(`/api/admin/undo-since?${new URLSearchParams(what)}`)).body;
  const now = () => db.prepare<[], number>("SELECT ifnull(max(id), 0) FROM events").pluck().get()!;
  return { ...server, send, undo, preview, now };
}

const strategyIds = (flag: { environments: Array<{ name: string; strategies: Array<{ id: string }> }> }) =>
  flag.environments.find(({ name }) => name === "production")!.strategies.map(({ id }) => id);

/** What may be done to a flag, as a request that depends on what it is. */
type Flag = Parameters<typeof strategyIds>[0] & { tags: object[]; stale: boolean };
const TAG = { type: "simple", value: "xy" };

const CHANGES: ReadonlyArray<(flag: Flag) => [method: string, path: string, body?: unknown]> = [
  () => ["POST", `${PRODUCTION}/on`],
  () => ["POST", `${PRODUCTION}/off`],
  () => ["POST", `${FLAG}/environments/development/on`],
  () => ["POST", `${FLAG}/environments/development/off`],
  () => ["PUT", FLAG, { description: `it is ${Math.random()}` }],
  () => ["PUT", FLAG, { type: "experiment" }],
  // What is already so is recorded, too (original): these are done in turn.
  ({ stale }) => ["POST", "/api/admin/projects/a/stale", { features: ["f"], stale: !stale }],
  ({ tags }) => [
    "PUT",
    "/api/admin/features/f/tags",
    { addedTags: tags.length > 0 ? [] : [TAG], removedTags: tags },
  ],
  () => ["POST", `${PRODUCTION}/strategies`, strategyOf("40")],
  (flag) => [
    "PUT",
    `${PRODUCTION}/strategies/${strategyIds(flag)[0]}`,
    strategyOf(String(Math.ceil(Math.random() * 99))),
  ],
  (flag) => ["DELETE", `${PRODUCTION}/strategies/${strategyIds(flag)[0]}`],
  () => ["PUT", `${PRODUCTION}/variants`, [variant(`v${Math.ceil(Math.random() * 9)}`)]],
  () => ["POST", `${FLAG}/dependencies`, { feature: "g" }],
  () => ["DELETE", `${FLAG}/dependencies`],
];

const strategyOf = (rollout: string) => ({
  name: "flexibleRollout",
  constraints: [],
  segments: [1],
  parameters: { rollout, stickiness: "default", groupId: "f" },
});

const ROUNDS = Number(process.env.UNDO_ROUNDS ?? 12);

test("whatever has happened to a flag since, it is as it was then", async (t) => {
  const { db, request, undo, preview, now } = await start(t);
  const flag = async () => ({
    ...(await request(FLAG)).body,
    tags: (await request("/api/admin/features/f/tags")).body.tags,
  });
  const pick = () => CHANGES[Math.floor(Math.random() * CHANGES.length)]!;
  for (let round = 0; round < ROUNDS; round++) {
    for (let index = 0; index < 3; index++) await change(pick());
    const since = String(now());
    const steps: string[] = [];
    for (let index = 0; index < 1 + round; index++) steps.push(await change(pick()));
    const what = { since, project: "a", feature: "f" };
    const { changes, refusal } = await preview(what);
    assert.equal(refusal, null, steps.join("\n"));
    const { body, status } = await undo(what);
    assert.equal(status, 200, `${JSON.stringify(body)}\n${steps.join("\n")}`);
    assert.equal(changes.length > 0, body.events.length > 0);
    assert.deepEqual(shown(db), shown(stateAt(db, pointAt(db, since))), steps.join("\n"));
  }

  async function change(make: (typeof CHANGES)[number]) {
    const [method, path, body] = make(await flag());
    if (/undefined/.test(path)) return "";
    const reply = await request(path, { method, ...(body !== undefined && { body }) });
    return `${method} ${path} ${JSON.stringify(body)}: ${reply.status}`;
  }
});

/** The flag as people see it, with strategies by what they do. */
function shown(db: Parameters<typeof stateAt>[0]) {
  const all = (sql: string) => db.prepare<[], Record<string, unknown>>(sql).all();
  return {
    features: all("SELECT type, description, stale, archived_at FROM features WHERE name = 'f'"),
    environments: all(
      "SELECT environment, enabled, variants FROM feature_environments WHERE feature = 'f' AND (enabled OR variants <> '[]')",
    ),
    strategies: all(
      "SELECT environment, name, title, disabled, parameters ->> 'rollout' AS rollout, constraints FROM strategies WHERE feature = 'f' ORDER BY 1, 2, 5, 6",
    ),
    tags: all("SELECT type, value FROM feature_tags WHERE feature = 'f'"),
    dependencies: all("SELECT parent FROM feature_dependencies WHERE feature = 'f'"),
  };
}

test("an environment of a project, and a segment, are as they were", async (t) => {
  const { send, undo, request, now } = await start(t);
  const since = String(now());
  await send("POST", `${PRODUCTION}/off`);
  await send("POST", "/api/admin/projects/a/features/g/environments/production/strategies", strategyOf("50"));
  await send("PUT", FLAG, { description: "stays" });
  await send("PUT", "/api/admin/segments/1", {
    name: "Testers",
    constraints: [{ contextName: "appName", operator: "IN", values: ["x"] }],
  });
  await send("PUT", "/api/admin/segments/1", { name: "Others", constraints: [] });
  const undone = await undo({ since, project: "a", environment: "production" });
  assert.equal(undone.body.events.length, 2);
  const { description, environments } = (await request(FLAG)).body;
  assert.equal(description, "stays");
  assert.equal(environments.find(({ name }: { name: string }) => name === "production").enabled, true);
  assert.equal((await undo({ since, segment: 1 })).body.events.length, 1);
  const { name } = (await request("/api/admin/segments/1")).body;
  assert.equal(name, "Testers");
  assert.deepEqual((await undo({ since, segment: 1 })).body.events, [], "it already is");
});

test("it is all or nothing, by the rights of who asks", async (t) => {
  const { send, undo, request, now } = await start(t);
  const since = String(now());
  const what = { since, project: "a", feature: "f" };
  await send("POST", `${PRODUCTION}/off`);
  assert.equal((await undo(what, personal(3))).status, 403);
  await send("PUT", "/api/admin/projects/a/features/f/variants", [variant("one")]);
  const refused = await undo(what);
  assert.deepEqual([refused.status, /can't be undone/.test(refused.body.message)], [409, true]);
  const { environments } = (await request(FLAG)).body;
  assert.equal(environments.find(({ name }: { name: string }) => name === "production").enabled, false);
  for (const body of [
    { since },
    { since, project: "a" },
    { since, segment: 1, project: "a" },
    { ...what, since: "soon" },
  ])
    assert.equal((await undo(body)).status, 400, JSON.stringify(body));
  assert.equal((await undo({ ...what, project: "none" })).status, 404);
  for (const nothing of ["99999", "2999-01-01"])
    assert.deepEqual((await undo({ ...what, since: nothing })).body.events, [], "nothing came after it");
});

test("a thousand events are undone together, more are refused", async (t) => {
  const { undo, send, request } = await start(t);
  for (let count = 0; count < 1000; count++) await send("PUT", FLAG, { description: `it is ${count}` });
  const what = { since: "0", project: "a", feature: "f" };
  assert.equal((await undo(what)).body.events.length, 1);
  assert.equal((await request(FLAG)).body.description, null);
  const { status, body } = await undo(what);
  assert.deepEqual([status, /more than 1000 events came after it/.test(body.message)], [400, true]);
});
