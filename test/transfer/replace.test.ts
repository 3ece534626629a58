import assert from "node:assert/strict";
import { test } from "node:test";
import { datasetLines } from "../../src/dataset/text.ts";
import type { Database } from "../../src/db/database.ts";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { importLines, tryLines } from "../../src/transfer/import.ts";
import { asChunks } from "../support/server.ts";
import { company, everyKey, exported, HEADER, toText } from "./examples.ts";
import { empty } from "./importing.ts";

const replacing = (lines: readonly object[]) => datasetLines(asChunks(toText(lines)));

/** All rows of all tables but those of SQLite's search index, and the one by which an installation is known. */
function rowsOf(db: Database) {
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'event_searches_%' AND sql NOT LIKE '%fts5vocab%'",
    )
    .pluck()
    .all() as string[];
  return tables.map((name) => [
    name,
    db
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .map((row) => JSON.stringify(row).replaceAll(/encrypted:[^"\\]+/g, "encrypted"))
      .filter((row) => !row.includes('"name":"instance"') && !row.startsWith('{"history":0'))
      .sort(),
  ]);
}

test("what replaces everything leaves nothing of what was there", async (t) => {
  const [db, fresh] = [empty(t), open(IN_MEMORY)];
  t.after(() => close(fresh));
  await importLines(db, replacing(everyKey()));
  db.exec(`INSERT INTO sessions (hash, user_id, created_at, expires_at) SELECT printf('%064d', id), id, '2026-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z' FROM users;
    INSERT INTO deliveries (integration_id, event_id, due_at) SELECT integrations.id, max(events.id), '2026-01-01T00:00:00.000Z' FROM integrations, events;
    UPDATE feature_types SET lifetime_days = 3;
    UPDATE strategy_types SET deprecated = 1`);
  await importLines(db, replacing(company()), { replaces: true });
  await importLines(fresh, replacing(company()));
  assert.deepEqual(rowsOf(db), rowsOf(fresh));
  assert.equal(exported(db), exported(fresh));
});

test("a dry run that would replace everything finds nothing in the way", async (t) => {
  const db = empty(t);
  await importLines(db, replacing(everyKey()));
  const before = exported(db);
  const { problems } = await tryLines(db, replacing(everyKey()), { replaces: true });
  assert.equal(problems.count, 0);
  assert.equal(exported(db), before);
});

test("what has no administrator can't replace everything", async (t) => {
  const db = empty(t);
  await importLines(db, replacing(everyKey()));
  const before = exported(db);
  const lines = [HEADER, { kind: "tagType", name: "alone" }];
  await assert.rejects(importLines(db, replacing(lines), { replaces: true }), /it has no administrator/);
  assert.equal((await tryLines(db, replacing(lines), { replaces: true })).problems.count, 1);
  assert.equal(exported(db), before);
});
