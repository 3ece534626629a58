import { bump, bumpEverything } from "./revision.ts";
import type { Database } from "./statement.ts";

declare const isWriting: unique symbol;

/** A transaction that is there to write: `command(sql)(writing)`. Made here only, so that nothing writes outside one. */
export interface Writing {
  readonly db: Database;
  /** The tables that were written so far. */
  readonly written: Set<string>;
  /** What is to be written last, behind all changes that share the commit. */
  readonly beforeCommit: Array<() => void>;
  /** What is to be done as soon as all is on disk; never if it does not come to that. */
  readonly afterCommit: Array<() => void>;
  /** Only for the compiler. */
  readonly [isWriting]: true;
}

/** For a transaction that has begun. */
export const beginWriting = (db: Database) =>
  ({ db, written: new Set<string>(), beforeCommit: [], afterCommit: [] }) as unknown as Writing;

/** Writes what is to be written last. */
export function finishWriting({ beforeCommit }: Writing) {
  for (const act of beforeCommit) act();
}

/** Runs the body in one transaction, all of it or nothing. Other processes that write wait for it. */
export function inWriting<T>(db: Database, body: (writing: Writing) => T): T {
  const writing = beginWriting(db);
  const commit = db.transaction(() => {
    const result = body(writing);
    finishWriting(writing);
    return result;
  });
  const result = commit.immediate();
  bump(db, writing.written);
  for (const act of writing.afterCommit) act();
  return result;
}

/**
 * The same for a body that lets others have their turn meanwhile; only one at a time on a connection.
 * @param isKept false for a trial, of which nothing is kept
 */
export async function inLongWriting<T>(
  db: Database,
  body: (writing: Writing) => Promise<T>,
  { isKept = true } = {},
): Promise<T> {
  db.exec("BEGIN IMMEDIATE");
  try {
    const writing = beginWriting(db);
    const result = await body(writing);
    finishWriting(writing);
    if (isKept) db.exec("COMMIT");
    return result;
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK");
    bumpEverything(db);
  }
}
