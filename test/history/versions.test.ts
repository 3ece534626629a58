import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { write } from "../../src/events/write.ts";
import { purgeEvents } from "../../src/log/purge.ts";
import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

const PLACE = "/api/admin/projects/a/features/f/environments/production";
const [FREE, PAID] = ["free", "paid"].map((plan) => ({
  contextName: "plan",
  operator: "IN",
  values: [plan],
}));

async function start(t: TestContext) {
  const world = createWorld()
    .add("contextField", { name: "plan" })
    .project("a")
    .member("a", 2, 4)
    .feature("f", "a")
    .feature("g", "a");
  const { request, db } = await openServer(t, world);
  const make = async (method: string, path: string, body?: unknown, as = personal(1)) => {
    const reply = await request(path, { method, body, as });
    assert.ok(reply.status < 300, reply.text);
    return { ...reply.body, event: Number(reply.headers.get("flagstone-event")) };
  };
  const history = async (query = "", as = personal(1), name = "f") => {
    const { status, body } = await request(`/api/admin/projects/a/features/${name}/history${query}`, { as });
    return { status, ...body };
  };
  return { db, make, history };
}

test("versions say who changed what, key by key, newest first; a change of several events is one", async (t) => {
  const { make, history } = await start(t);
  const strategy = { name: "flexibleRollout", parameters: { rollout: "10" }, constraints: [FREE] };
  const { id, event } = await make("POST", `${PLACE}/strategies`, strategy, personal(2));
  const to = { ...strategy, parameters: { rollout: "90" }, constraints: [PAID] };
  await make("PUT", `${PLACE}/strategies/${id}`, to);
  await make("POST", "/api/admin/projects/a/bulk_features/environments/production/on", {
    features: ["f", "g"],
  });
  await make("POST", "/api/admin/features/f/tags", { type: "simple", value: "xy" });
  const { versions } = await history();
  assert.deepEqual(
    versions.map((one: { createdBy: string; changes: object[] }) => [
      one.createdBy,
      ...one.changes.map((change) => ("path" in change ? change.path : "")),
    ]),
    [
      ["admin", "tags"],
      ["admin", "environments.production.enabled"],
      [
        "admin",
        ...Array(2).fill(`environments.production.strategies.${id}.constraints`),
        `environments.production.strategies.${id}.parameters`,
      ],
      ["edith@example.com", `environments.production.strategies.${id}`],
    ],
  );
  const [, enabled, updated, added] = versions;
  assert.deepEqual(enabled.changes, [{ path: "environments.production.enabled", from: false, to: true }]);
  assert.deepEqual([added.id, added.events[0].id, added.changes[0].from], [event, event, undefined]);
  const [gone, came] = updated.changes;
  assert.deepEqual([gone.from.values, came.to.values], [["free"], ["paid"]]);
});

test("blame says who last changed each strategy, each constraint, and whether the flag is on", async (t) => {
  const { make, history } = await start(t);
  const strategy = { name: "flexibleRollout", parameters: { rollout: "10" }, constraints: [FREE] };
  const { id } = await make("POST", `${PLACE}/strategies`, strategy, personal(2));
  await make("PUT", `${PLACE}/strategies/${id}`, { ...strategy, constraints: [FREE, PAID] });
  await make("POST", `${PLACE}/on`, undefined, personal(2));
  const own = `environments.production.strategies.${id}`;
  const { blame } = await history();
  assert.deepEqual(
    blame.map(({ path, createdByUserId }: Record<string, unknown>) => [path, createdByUserId]),
    [
      ["environments.production.enabled", 2],
      [own, 1],
      [`${own}.constraints.1`, 1],
      [`${own}.constraints.0`, 2],
    ],
  );
});

test("versions come in pages, and go as far back as the log", async (t) => {
  const { db, make, history } = await start(t);
  for (const switched of ["on", "off", "on"]) await make("POST", `${PLACE}/${switched}`);
  const { versions } = await history("?limit=2");
  const [rest] = [await history(`?limit=2&before=${versions[1].id}`)];
  assert.deepEqual([versions.length, rest!.versions.length], [2, 1]);
  write(db, CLI, (tx) => purgeEvents(tx, "2999-01-01T00:00:00.000Z"));
  assert.deepEqual(await history(), { status: 200, versions: [], blame: [] });
});

test("an archived or deleted flag has versions, an unknown or hidden one has none", async (t) => {
  const { make, history } = await start(t);
  await make("DELETE", "/api/admin/projects/a/features/f");
  await make("DELETE", "/api/admin/archive/f");
  assert.equal((await history()).versions.length, 2);
  assert.equal((await history("", personal(1), "unknown")).status, 404);
  await make("PUT", "/api/admin/projects/a/settings", { mode: "private" });
  assert.deepEqual(
    [(await history("", personal(3))).status, (await history("", personal(2))).status],
    [403, 200],
  );
});
