import fs from "node:fs";
import path from "node:path";
import { DataError } from "./error.ts";
import { namesIn, UNFINISHED } from "./staged-file.ts";

/** How the name of a file begins that a restore has set aside, after the data file's own. */
export const BEFORE_RESTORE = ".before-restore-";

/** Whether there is nothing at all in the file: none, or the empty one of a first start that was interrupted. */
export const isNew = (file: string) => (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;

/**
 * @throws DataError if a file that was in use is missing: a new one in its place would look like the loss of all
 * data, and SQLite would take the old one's log for the new one's.
 */
export function refuseLeftovers(file: string) {
  // Looked for first: of a file that another process makes meanwhile there is content before there is a log.
  const left = leftovers(file);
  if (left.length === 0 || !isNew(file)) return;
  throw new DataError(
    `${file} is missing, and ${left.join(", ")} beside it ${left.length === 1 ? "tells" : "tell"} of one that was ` +
      "there: put a file back with flagstone restore FILE, or, to begin anew, move what is left to another folder",
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
