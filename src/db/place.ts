import fs from "node:fs";
import { MovedError } from "./error.ts";
import type { Database } from "./statement.ts";

/*
 * Whether a data file and its write-ahead log are still where they were opened. If one was moved, replaced or removed,
 * changes would go to a file that nobody opens again.
 */

const opened = new WeakMap<Database, Map<string, number | undefined>>();

/** What a file's name refers to; undefined if it is missing or can't be reached. */
export function inodeOf(file: string): number | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}

/** @param inode of the file that the database was opened from */
export const rememberPlace = (db: Database, inode: number | undefined) =>
  void opened.set(db, new Map([[db.name, inode]]));

/** The log is there from the first use of the database until its last process closes it. */
export function rememberLog(db: Database) {
  const log = `${db.name}-wal`;
  opened.get(db)?.set(log, inodeOf(log));
}

/** Whether the names still refer to the files that are open; it takes a few microseconds. */
export const isInPlace = (db: Database): boolean =>
  db.memory || [...(opened.get(db) ?? [])].every(([file, inode]) => inodeOf(file) === inode);

/** @throws MovedError unless it does */
export function requireInPlace(db: Database) {
  if (!isInPlace(db)) throw new MovedError(db.name);
}
