import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ANYBODY, CLI } from "../../src/access/actor.ts";
import type { Database } from "../../src/db/database.ts";
import { actingAs, type NewEvent, write, writeSoon } from "../../src/events/write.ts";
import { assertRecorded, openServer, watchLog } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

const JANE = { ...ANYBODY, createdBy: "jane", createdByUserId: 3, userId: 3 };

const world = () =>
  createWorld()
    .project("a")
    .project("b")
    .member("a", 3)
    .member("a", 4)
    .group("crew", [2, 4])
    .groupMember("a", 1)
    .feature("f", "a", { tags: [{ type: "simple", value: "red" }] });

const FLAG = { project: "a", featureName: "f" };
const record = (db: Database, event: NewEvent, actor = JANE) => write(db, actor, (tx) => tx.record(event));

async function openWorld(t: TestContext, given = world()) {
  const server = await openServer(t, given);
  return { ...server, recorded: watchLog(server.db) };
}

test("an event has an author and a time, and everything else is unset", async (t) => {
  const { db, recorded } = await openWorld(t);
  write(db, JANE, (tx) => {
    tx.record({ type: "project-created", project: "b", data: { id: "b" } });
    tx.record({ type: "feature-archived", ...FLAG });
    tx.record({ type: "feature-tagged", ...FLAG, tags: [] });
  });
  const [first, second, third] = recorded();
  const { createdAt, id, label: _, summary: __, ...rest } = first!;
  assert.deepEqual(rest, {
    type: "project-created",
    createdBy: "jane",
    createdByUserId: 3,
    environment: null,
    project: "b",
    featureName: null,
    data: { id: "b" },
    preData: null,
    tags: [],
  });
  assert.deepEqual(
    [second!.createdAt, second!.id],
    [createdAt, id + 1],
    "one time for the whole transaction",
  );
  assert.deepEqual([second!.tags, third!.tags], [[{ type: "simple", value: "red" }], []]);
});

test("actors may take turns in one transaction", async (t) => {
  const { db, recorded } = await openWorld(t);
  write(db, JANE, (tx) => {
    for (const each of [tx, actingAs(tx, CLI), tx]) each.record({ type: "feature-archived", ...FLAG });
  });
  const events = recorded();
  const { id } = events[0]!;
  assert.deepEqual(
    events.map((event) => [event.id, event.createdBy]),
    [
      [id, "jane"],
      [id + 1, "cli"],
      [id + 2, "jane"],
    ],
  );
});

test("a recorded event can be found, counted and notified, or leaves no trace", async (t) => {
  const { db, request, recorded } = await openWorld(t);
  const search = async () =>
    (await request("/api/admin/events/search", { method: "POST", body: { query: "needle" } })).body
      .totalEvents;
  const event: NewEvent = { type: "feature-created", ...FLAG, data: { name: "Needle" } };
  assert.throws(() =>
    write(db, JANE, (tx) => {
      tx.record(event);
      assert.fail("broken off");
    }),
  );
  assert.deepEqual([await search(), recorded().length], [0, 0]);
  assert.deepEqual((await request("/api/admin/notifications", { as: personal(4) })).body, []);
  record(db, event);
  assert.equal(await search(), 1);
  assert.equal((await request("/api/admin/events")).body.totalEvents, 1);
  assert.equal((await request("/api/admin/events?project=a")).body.totalEvents, 1);
  assert.equal((await request("/api/admin/notifications", { as: personal(4) })).body.length, 1);
});

const toldOf = async (t: TestContext, event: NewEvent, actor = JANE) => {
  const { db, request } = await openWorld(t);
  record(db, event, actor);
  const lists = [1, 2, 3, 4].map((id) => request("/api/admin/notifications", { as: personal(id) }));
  return (await Promise.all(lists)).map(({ body }) => body.length);
};

test("members are notified once each, including through groups, except the author", async (t) => {
  for (const type of [
    "feature-created",
    "feature-archived",
    "feature-environment-enabled",
    "feature-environment-disabled",
  ] as const)
    assert.deepEqual(await toldOf(t, { type, ...FLAG }), [0, 1, 0, 1], type);
  assert.deepEqual(
    await toldOf(t, { type: "feature-created", ...FLAG }, { ...CLI, createdBy: "cli" } as typeof JANE),
    [0, 1, 1, 1],
  );
  for (const type of ["feature-tagged", "feature-strategy-add", "project-created"] as const)
    assert.deepEqual(await toldOf(t, { type, ...FLAG }), [0, 0, 0, 0], type);
  assert.deepEqual(
    await toldOf(t, { type: "feature-created", project: "b", featureName: "g" }),
    [0, 0, 0, 0],
  );
});

const queued = (db: Database) =>
  db.prepare<[], number>("SELECT integration_id FROM deliveries ORDER BY 1").pluck().all();

test("an event is queued for each subscribed integration, in the same commit", async (t) => {
  const events = ["feature-archived", "feature-environment-enabled", "user-created"];
  const given = world();
  for (const line of [
    { events },
    { events, enabled: false },
    { events: [] },
    { events, projects: ["a"] },
    { events, projects: ["b", "*"] },
    { events, projects: ["*"] },
    { events, environments: ["production"] },
    { events, projects: ["A"], environments: ["development"] },
  ])
    given.integration(line);
  const { db } = await openWorld(t, given);
  const after = (event: NewEvent) => {
    db.exec("DELETE FROM deliveries");
    record(db, event);
    return queued(db);
  };
  assert.deepEqual(after({ type: "feature-archived", ...FLAG }), [1, 4, 6, 7]);
  assert.deepEqual(
    after({ type: "feature-environment-enabled", ...FLAG, environment: "development" }),
    [1, 4, 6],
  );
  assert.deepEqual(
    after({ type: "user-created" }),
    [1, 4, 5, 6, 7, 8],
    "an event without a project concerns all",
  );
  assert.deepEqual(after({ type: "feature-created", ...FLAG }), []);
  assert.throws(() =>
    write(db, JANE, (tx) => {
      tx.record({ type: "user-created" });
      assert.fail("broken off");
    }),
  );
  assert.deepEqual(queued(db), []);
});

test("an event id is never reused", async (t) => {
  const { db, recorded } = await openWorld(t);
  record(db, { type: "user-created" });
  const { id } = recorded()[0]!;
  db.exec(`DELETE FROM events WHERE id = ${id}`);
  record(db, { type: "user-created" });
  assert.equal(recorded()[0]!.id, id + 1);
});

test("concurrent events are recorded in order, each with its own author", async (t) => {
  const { db, recorded } = await openWorld(t);
  const names = ["a", "b", "c"];
  await Promise.all(
    names.map((createdBy) =>
      writeSoon(db, { ...JANE, createdBy }, (tx) => tx.record({ type: "user-created" })),
    ),
  );
  assertRecorded(
    recorded(),
    names.map((createdBy) => ({ type: "user-created" as const, createdBy })),
  );
});

test("an oversized event fails the whole change", async (t) => {
  const { db, recorded } = await openWorld(t);
  assert.throws(() => record(db, { type: "user-created", data: { text: "x".repeat(1024 * 1024) } }), /event/);
  assert.deepEqual(recorded(), []);
});
