import type { Database } from "./database.ts";
import { requireInPlace } from "./file-in-place.ts";
import { bump, bumpEverything } from "./revision.ts";

declare const isWriting: unique symbol;

/** An open write transaction: `command(sql)(writing)`. Created only here, so nothing can write outside one. */
export interface Writing {
  readonly db: Database;
  /** The tables written so far. */
  readonly written: Set<string>;
  /** Work to do last, after all changes that share the commit. */
  readonly beforeCommit: Array<() => void>;
  /** Work to do once everything is on disk; skipped if the commit fails. */
  readonly afterCommit: Array<() => void>;
  /** For the compiler only. */
  readonly [isWriting]: true;
}

export const beginWriting = (db: Database) =>
  ({
    db,
    written: new Set<string>(),
    beforeCommit: [],
    afterCommit: [],
  }) as unknown as Writing;

/** Runs the work deferred to the end. @throws MovedError if the commit would be lost */
export function finishWriting({ db, beforeCommit }: Writing) {
  for (const act of beforeCommit) act();
  requireInPlace(db);
}

/** Runs the body in one transaction, all or nothing. Other processes wait for it before they write. */
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
 * The same for a body that yields to other work; only one at a time on a connection.
 * @param isKept false for a dry run, which is rolled back
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
