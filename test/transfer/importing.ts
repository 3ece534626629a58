import assert from "node:assert/strict";
import { after, type TestContext } from "node:test";
import { DatasetError } from "../../src/dataset/kind.ts";
import type { Database } from "../../src/db/database.ts";
import { close } from "../../src/db/open.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { asChunks, importLines, newDatabase } from "../support/server.ts";
import { everyKey, exported, type Line } from "./examples.ts";

export function empty(t: TestContext): Database {
  const db = newDatabase();
  t.after(() => close(db));
  return db;
}

export const lines = (db: Database) => exported(db).trimEnd().split("\n");

/** The last line of a kind in an export. */
export const lastOf = (db: Database, kind: string): Line =>
  lines(db)
    .map((line) => JSON.parse(line))
    .filter((line) => line.kind === kind)
    .at(-1);

type Input = Parameters<typeof importDataset>[1];

/** Shared by rejected imports, since none may change it. */
let ground: Database | undefined;
after(() => ground && close(ground));

/** Asserts that the input is rejected with this start of the message, and nothing of it stored. */
export async function refused(input: string | Buffer | Input, reason: string) {
  const db = ground ?? newDatabase();
  if (!ground) await importLines(db, everyKey());
  ground = db;
  const before = exported(db);
  const isWhole = typeof input === "string" || Buffer.isBuffer(input);
  try {
    await assert.rejects(importDataset(db, isWhole ? asChunks(input) : input), (error) => {
      assert.ok(error instanceof DatasetError, String(error));
      assert.ok(error.message.startsWith(reason), error.message);
      return true;
    });
    assert.equal(db.inTransaction, false);
    assert.equal(exported(db), before);
  } catch (error) {
    close(db);
    ground = undefined; // start afresh next time
    throw error;
  }
}
