import schema from "../../schema.sql";
import type { Database } from "./statement.ts";

/**
 * The steps that bring an older file to today's `schema.sql`: step `n` (from 0) turns version `n + 1` into
 * version `n + 2`. Forward only. A released step never changes; `test/db/migrations.test.ts` holds the
 * frozen first schema and compares.
 */
const STEPS: readonly string[] = [];

/** The version that this program reads and writes, kept in SQLite's `user_version`. */
export const VERSION = STEPS.length + 1;

/** SQLite's `application_id` of our files: "FLAG" in ASCII. */
export const APPLICATION_ID = 0x464c4147;

const version = (db: Database) => db.pragma("user_version", { simple: true }) as number;

/** Makes an empty database one of today's version. */
const create = (db: Database) => {
  db.exec(schema);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${VERSION}`);
};

const step = (db: Database, from: number) => {
  db.exec(STEPS[from - 1]!);
  db.pragma(`user_version = ${from + 1}`);
};

/**
 * Brings the database to `VERSION`, each step in its own transaction, so that a failure leaves a file of an
 * older version, never a mixture. The version is read again under the lock: another process may have been first.
 */
export function migrate(db: Database) {
  while (version(db) < VERSION) {
    db.transaction(() => {
      const from = version(db);
      if (from === 0) create(db);
      else if (from < VERSION) step(db, from);
    }).immediate();
  }
}
