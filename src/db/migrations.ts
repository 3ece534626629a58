import schema from "../../schema.sql";
import { fold } from "../lib/text.ts";
import { readHeader } from "./connect.ts";
import type { Database } from "./database.ts";
import { DataError, explainError } from "./error.ts";
import { requireNotServed } from "./lock.ts";
import featureAndStrategyTypes from "./migrations/2-feature-and-strategy-types.sql";
import changes from "./migrations/3-changes.sql";
import version020 from "./migrations/4-version-0.2.0.sql";
import version030 from "./migrations/5-version-0.3.0.sql";
import { stagedFile } from "./staged-file.ts";

/**
 * The steps that bring an older file to the current `schema.sql`: step `n` (from 0) turns version `n + 1` into
 * version `n + 2`, which its file is named after. Forward only. A released step is never changed;
 * `test/db/migrations.test.ts` holds the frozen first schema and compares.
 */
const STEPS: readonly string[] = [featureAndStrategyTypes, changes, version020, version030];

/** The schema version that this program reads and writes, kept in SQLite's `user_version`. */
export const SCHEMA_VERSION = STEPS.length + 1;

/** SQLite's `application_id` of our files: "FLAG" in ASCII. */
export const APPLICATION_ID = 0x464c4147;

/** Whether opening the file would migrate it, judging by its header only. */
export function isOlder(file: string): boolean {
  const { applicationId, userVersion } = readHeader(file);
  return applicationId === APPLICATION_ID && userVersion < SCHEMA_VERSION;
}

const version = (db: Database) => db.pragma("user_version", { simple: true }) as number;

/** Initializes an empty database at the current version. */
const create = (db: Database) => {
  db.exec(schema);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
};

const step = (db: Database, sql: string, to: number) => {
  db.exec(sql);
  db.pragma(`user_version = ${to}`);
};

/**
 * Migrates the database to the current version, all steps in one transaction, so that after a failure the version that
 * wrote the file can still use it. An older file is first copied to `FILE.before-schema-N`.
 * @throws DataError if the file is being served, or a step fails.
 */
export function migrate(db: Database, steps = STEPS) {
  const from = version(db);
  const latest = steps.length + 1;
  if (from >= latest) return;
  const needsCopy = from > 0 && !db.memory && !isStaged(db.name);
  const copy = needsCopy ? copyOldFile(db, latest) : undefined;
  db.function("fold", fold);
  const all = db.transaction(() => {
    if (version(db) === 0) create(db); // otherwise another process did it first
    for (let at = version(db); at < latest; at++) step(db, steps[at - 1]!, at + 1);
  });
  try {
    all.immediate();
  } catch (error) {
    if (copy === undefined || explainError(error, db.name) !== error) throw error;
    throw new DataError(
      `${db.name} can't be upgraded from schema ${from} to ${latest} and is unchanged: use the previous version, ` +
        `and report this (a copy is in ${copy})`,
      { cause: error },
    );
  }
}

/** A backup being restored (named so by `stagedFile`) is already a copy. */
const isStaged = (file: string) => file.endsWith(".unfinished");

function copyOldFile(db: Database, latest: number) {
  requireNotServed(db.name);
  const file = `${db.name}.before-schema-${latest}`;
  using copy = stagedFile(file);
  db.prepare("VACUUM INTO ?").run(copy.path);
  copy.commit({ mayReplace: true });
  return file;
}
