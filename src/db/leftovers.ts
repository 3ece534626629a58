import fs from "node:fs";
import path from "node:path";
import { DataError } from "./error.ts";
import { namesIn, UNFINISHED } from "./staged-file.ts";

/** The suffix, after the data file's own name, that begins the name of a file set aside by a restore. */
export const BEFORE_RESTORE = ".before-restore-";

/** Whether the file is missing, or empty after an interrupted first start. */
export const isNew = (file: string) => (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;

/**
 * @throws DataError if a file that was in use is missing: creating a new one in its place would look like the loss of
 * all data, and SQLite would apply the old file's WAL to the new one.
 */
export function requireNoLeftovers(file: string) {
  // Checked first: when another process is creating the file, its content appears before its WAL.
  const names = leftovers(file);
  if (names.length === 0 || !isNew(file)) return;
  throw new DataError(
    `${file} is missing, but its leftovers are still there: ${names.join(", ")}. Restore a backup with ` +
      "flagstone restore FILE or, to start afresh, move the leftovers to another folder",
  );
}

function leftovers(file: string): string[] {
  const { dir, base } = path.parse(path.resolve(file));
  return namesIn(dir)
    .filter((name) => name.startsWith(base))
    .filter((name) => isLeftover(name.slice(base.length)))
    .filter((name) => !isNew(path.join(dir, name)))
    .sort();
}

const isLeftover = (rest: string) =>
  ["-wal", "-shm"].includes(rest) || UNFINISHED.test(rest) || rest.startsWith(BEFORE_RESTORE);
