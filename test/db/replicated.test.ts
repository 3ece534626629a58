import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import Sqlite from "better-sqlite3";
import { checkFile } from "../../src/db/check.ts";
import type { Database } from "../../src/db/database.ts";
import { close, open } from "../../src/db/open.ts";
import { importLines } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

/*
 * A replicator such as Litestream copies the write-ahead log. It holds a read transaction open, so that the log is not
 * restarted before it has been copied, and keeps tables of its own in the file.
 */

/** A file in use with a replicator holding its log, and a function that releases it. */
async function replicated(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-replicated-"));
  const file = path.join(folder, "flags.db");
  const db = open(file);
  await importLines(db, createWorld().project("a").event({ project: "a" }).lines);
  const replicator = new Sqlite(file);
  replicator.exec("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)");
  replicator.exec("CREATE TABLE _litestream_lock (id INTEGER)");
  replicator.exec("BEGIN; SELECT count(*) FROM _litestream_seq");
  t.after(() => {
    if (replicator.open) replicator.close();
    close(db);
    fs.rmSync(folder, { recursive: true });
  });
  return { file, db, replicator };
}

/** More pages than trigger SQLite's automatic checkpoint. */
const changeALot = (db: Database) => {
  const about = {
    kind: "event",
    createdAt: "2026-02-02T00:00:00Z",
    type: "feature-created",
    createdBy: "somebody",
  };
  const events = Array.from({ length: 2000 }, (_, n) => ({ ...about, data: { n, text: "x".repeat(2000) } }));
  return importLines(db, [{ kind: "dataset", version: 1 }, ...events]);
};

test("a log held by a replicator only grows, through changes and when the server stops", async (t) => {
  const { file, db, replicator } = await replicated(t);
  const before = fs.readFileSync(`${file}-wal`);
  await changeALot(db);
  const grown = fs.readFileSync(`${file}-wal`);
  assert.ok(grown.length > before.length + 1000 * 4096);
  assert.ok(grown.subarray(0, before.length).equals(before));
  close(db);
  assert.ok(fs.readFileSync(`${file}-wal`).equals(grown));
  replicator.exec("COMMIT");
  replicator.pragma("wal_checkpoint(TRUNCATE)");
  assert.equal(fs.statSync(`${file}-wal`).size, 0, "we held nothing back");
});

test("a replicator's tables cause no complaint", async (t) => {
  const { file, db, replicator } = await replicated(t);
  replicator.exec("COMMIT");
  close(db);
  close(open(file));
  assert.deepEqual(
    checkFile(file).filter(({ problem }) => problem !== undefined),
    [],
  );
});
