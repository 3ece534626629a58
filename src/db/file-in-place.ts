import fs from "node:fs";
import { type Database, perDatabase } from "./database.ts";
import { MovedError } from "./error.ts";

/*
 * Whether a data file and its write-ahead log are still where they were opened. If one was moved, replaced or removed,
 * changes would go to a file that nobody opens again.
 */

/** The inode of each file, by name. */
const opened = perDatabase(() => new Map<string, number | undefined>());

/** What a file's name refers to; undefined if it is missing or can't be reached. */
export function inodeOf(file: string): number | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}

/** @param inode of the file that the database was opened from */
export const rememberPlace = (db: Database, inode: number | undefined) => void opened(db).set(db.name, inode);

/** The log is there from the first use of the database until its last process closes it. */
export function rememberLog(db: Database) {
  const log = `${db.name}-wal`;
  opened(db).set(log, inodeOf(log));
}

/** Whether the names still refer to the files that are open; it takes a few microseconds. */
export const isInPlace = (db: Database): boolean =>
  db.memory || [...opened(db)].every(([file, inode]) => inodeOf(file) === inode);

/** @throws MovedError unless it does */
export function requireInPlace(db: Database) {
  if (!isInPlace(db)) throw new MovedError(db.name);
}
