import fs from "node:fs";
import { MovedError } from "./error.ts";
import type { Database } from "./statement.ts";

/*
 * Whether a data file is still where it was opened. If it was moved, replaced or removed, changes would go to a file
 * that nobody opens again.
 */

const opened = new WeakMap<Database, number | undefined>();

/** What a file's name refers to; undefined if it is missing or can't be reached. */
export function inodeOf(file: string): number | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}

/** @param inode of the file that the database was opened from */
export const rememberPlace = (db: Database, inode: number | undefined) => void opened.set(db, inode);

/** Whether the name still refers to the file that is open; it takes a few microseconds. */
export const isInPlace = (db: Database): boolean =>
  db.memory || !opened.has(db) || inodeOf(db.name) === opened.get(db);

/** @throws MovedError unless it does */
export function requireInPlace(db: Database) {
  if (!isInPlace(db)) throw new MovedError(db.name);
}
