import fs from "node:fs";
import { checkFile } from "./check.ts";
import { connect } from "./connect.ts";
import { DataError, explainError } from "./error.ts";
import { requireNotServed } from "./lock.ts";
import { close, open } from "./open.ts";
import { requireFree, stagedFile } from "./staged-file.ts";
import type { Database } from "./statement.ts";

/** Pages copied before yielding to other work. */
const PAGES = 500;

/**
 * Copies an open database to a new file, even while others write, and checks the copy.
 * @throws DataError if the copy is incomplete; Error if the target can't be created.
 */
export async function backUp(db: Database, target: string, onProgress: (fraction: number) => void) {
  requireFree(target);
  using copy = stagedFile(target);
  try {
    await db.backup(copy.path, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(1 - remainingPages / Math.max(totalPages, 1));
        return PAGES;
      },
    });
    toSingleFile(copy.path);
    requireIntact(copy.path);
    copy.commit();
  } catch (error) {
    throw explainError(error, target);
  }
}

/** Rewrites the file without deleted data. @returns its size before and after, in bytes. */
export function compact(file: string): { before: number; after: number } {
  requireNotServed(file);
  const db = open(file, { mustExist: true });
  const before = fs.statSync(file).size;
  try {
    db.exec("INSERT INTO event_searches (event_searches) VALUES ('optimize')");
    db.exec("VACUUM");
  } finally {
    close(db);
  }
  return { before, after: fs.statSync(file).size };
}

/** A copy is in WAL mode like its original, and opening it would create two more files. */
export function toSingleFile(file: string) {
  const db = connect(file);
  db.pragma("journal_mode = DELETE");
  db.close();
}

/** @throws DataError saying what is wrong with the copy. */
export function requireIntact(file: string) {
  const failed = checkFile(file).find(({ problem }) => problem !== undefined);
  if (failed) throw new DataError(`The copy is damaged: ${failed.name}: ${failed.problem}`);
}
