import type { Database } from "./statement.ts";

declare const isWriting: unique symbol;

/** A transaction that is there to write: `command(sql)(writing)`. Made here only, so that nothing writes outside one. */
export interface Writing {
  readonly db: Database;
  /** Only for the compiler. */
  readonly [isWriting]: true;
}

/** Runs the body in one transaction, all of it or nothing. Other processes that write wait for it. */
export const inWriting = <T>(db: Database, body: (writing: Writing) => T): T =>
  db.transaction(() => body({ db } as Writing)).immediate();

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
    const result = await body({ db } as Writing);
    if (isKept) db.exec("COMMIT");
    return result;
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK");
  }
}
