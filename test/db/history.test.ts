import assert from "node:assert/strict";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { keptTables } from "../../src/db/history.ts";
import { close } from "../../src/db/open.ts";
import { pointAt, stateAt } from "../../src/db/state-at.ts";
import { exampleOf } from "../../src/server/examples.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { projectAsYaml } from "../../src/transfer/project-text.ts";
import { exampleWorld } from "../support/examples.ts";
import { openServer } from "../support/server.ts";

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
      const { params, body } = exampleOf(operation);
      const at = operation.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!));
      await request(at, { method: operation.method, body });
      if (!states.has(lastEvent(db))) states.set(lastEvent(db), seen(db));
    }
    assert.ok(states.size > 60, String(states.size));
    for (const [event, expected] of states) {
      const state = stateAt(db, pointAt(db, String(event)));
      assert.deepEqual(seen(state), expected, `after event ${event}`);
      close(state);
    }
  });
