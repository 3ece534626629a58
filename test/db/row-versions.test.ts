import assert from "node:assert/strict";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { SYSTEM } from "../../src/access/actor.ts";
import type { Database } from "../../src/db/database.ts";
import { DataError } from "../../src/db/error.ts";
import { close } from "../../src/db/open.ts";
import { forgetHistory, keptTables } from "../../src/db/row-versions.ts";
import { pointAt, stateAt } from "../../src/db/state-at.ts";
import { write } from "../../src/events/write.ts";
import { projectAsYaml } from "../../src/flags-as-text/text.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { exampleUrl, exampleWorld } from "../support/examples.ts";
import { openServer } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

/** All that is kept, and what is made of it. */
function seen(db: Database) {
  const tables = keptTables(db).map(({ name, columns }) => [
    name,
    db
      .prepare(`SELECT ${columns.map((column) => `"${column}"`)} FROM ${name}`)
      .raw()
      .all()
      .map(String)
      .sort(),
  ]);
  return { tables: Object.fromEntries(tables), project: projectAsYaml(db, "shop") };
}

const lastEvent = (db: Database) =>
  db.prepare<[], number>("SELECT ifnull(max(id), 0) FROM events").pluck().get()!;

/** What the operations that are examples of each other's rows leave of them. */
const ENDS = /toggleMaintenance|deletePat|deleteProject|archiveProject/;

for (const place of ["memory", "a file"])
  test(`every state since it began is found again, of a database in ${place}`, async (t) => {
    const file = path.join(os.tmpdir(), `history-${process.pid}.db`);
    const { request, db } = await openServer(t, exampleWorld(), place === "memory" ? undefined : file);
    const states = new Map([[lastEvent(db), seen(db)]]);
    for (const operation of OPERATIONS.filter(
      ({ id, changes, records }) => changes && records && !ENDS.test(id),
    )) {
      const { method, example: body } = operation;
      await request(exampleUrl(operation), { method, body });
      if (!states.has(lastEvent(db))) states.set(lastEvent(db), seen(db));
    }
    assert.ok(states.size > 60, String(states.size));
    for (const [event, expected] of states) {
      const state = stateAt(db, pointAt(db, String(event)));
      assert.deepEqual(seen(state), expected, `after event ${event}`);
      close(state);
    }
  });

test("what is forgotten can't be asked for, and all that came later can", async (t) => {
  const { request, db } = await openServer(t, createWorld().project("shop"));
  const states = new Map<number, object>();
  for (const name of ["first", "second", "third"]) {
    await request("/api/admin/projects/shop/features", { method: "POST", body: { name } });
    states.set(lastEvent(db), seen(db));
  }
  const [first, second, third] = [...states.keys()].map(String) as [string, string, string];
  const point = pointAt(db, second);
  assert.ok(write(db, SYSTEM, (tx) => forgetHistory(tx, point)) > 0);
  assert.equal(write(db, SYSTEM, (tx) => forgetHistory(tx, pointAt(db, third))) > 0, true);
  assert.throws(() => pointAt(db, first), { message: `The history begins after event ${third}` });
  assert.throws(() => pointAt(db, second), DataError);
  const state = stateAt(db, pointAt(db, third));
  assert.deepEqual(seen(state), states.get(Number(third)));
  close(state);
});

test("times are taken with any offset, and neither before the history nor in the future", async (t) => {
  const { request, db } = await openServer(t, createWorld().project("shop"));
  const { at } = db.prepare<[], { at: string }>("SELECT at FROM history_points").get()!;
  await request("/api/admin/projects/shop/features", { method: "POST", body: { name: "a" } });
  db.exec("UPDATE history_points SET at = '2026-03-01T00:00:00.000Z' WHERE history = 0");
  const inOslo = "2026-03-01T01:00:00.500+01:00";
  assert.equal(pointAt(db, inOslo).history, 0);
  assert.ok(pointAt(db, at.slice(0, 10)).history >= 0);
  assert.throws(
    () => pointAt(db, "2026-03-01T00:59:59+01:00"),
    /The history begins at 2026-03-01T00:00:00.000Z/,
  );
  assert.throws(() => pointAt(db, "2999-01-01"), /in the future/);
  for (const wrong of ["yesterday", "", "2026-02-31T99:00:00Z", "-1", "1.5"])
    assert.throws(() => pointAt(db, wrong), /is not a time such as/, wrong);
  assert.throws(() => pointAt(db, "99999"), /There is no event 99999/);
});
