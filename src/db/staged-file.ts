import fs from "node:fs";
import path from "node:path";
import { DataError } from "./error.ts";

/** What SQLite may leave beside a database. */
export const SIDECARS = ["-wal", "-shm", "-journal"];

/** How a file ends that is being made. */
export const UNFINISHED = ".unfinished";

/**
 * A file that is made under another name and gets its own when it is complete and on the disk, so that it is whole
 * or not there: `using copy = stagedFile(file)`, write to `copy.path`, then `copy.commit()`. Unfinished, it is removed.
 * @throws DataError if it would be root's in another user's folder.
 */
export function stagedFile(file: string) {
  const unfinished = file + UNFINISHED;
  const remove = () => {
    for (const suffix of ["", ...SIDECARS]) fs.rmSync(unfinished + suffix, { force: true });
  };
  const commit = () => {
    sync(unfinished);
    fs.renameSync(unfinished, file);
    syncFolder(file);
  };
  remove(); // what an interrupted process left
  makePrivate(unfinished);
  return { path: unfinished, commit, [Symbol.dispose]: remove };
}

/**
 * Where a new file is about to be made.
 * @throws Error if there is one already, or no place for it; the data is not at fault.
 */
export function requireFree(file: string) {
  if (fs.existsSync(file)) throw new Error(`${file} exists already: name a new file`);
  requireFolder(file);
}

/** @throws Error if the file's folder is missing or may not be written. */
export function requireFolder(file: string) {
  const folder = path.dirname(path.resolve(file));
  if (!fs.existsSync(folder)) throw new Error(`There is no folder ${folder}: make it, or name another`);
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
  } catch {
    throw new Error(`The folder ${folder} may not be written: give permission, or name another`);
  }
}

/**
 * Makes an empty file that only its owner may read: there are names and hashes of secrets in ours. A file that is
 * there is left as it is.
 * @throws DataError if it would be root's in another user's folder.
 */
export function makePrivate(file: string) {
  let fd: number;
  try {
    fd = fs.openSync(file, "ax", 0o600);
  } catch {
    return; // Where it is not there already, whoever writes to it next fails too, and says why.
  }
  try {
    giveToFolder(file, fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** What root makes in another user's folder is for that user, whose server could not open it otherwise. */
function giveToFolder(file: string, fd: number) {
  const folder = path.dirname(path.resolve(file));
  const { uid, gid } = fs.statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  try {
    fs.fchownSync(fd, uid, gid);
  } catch {
    fs.rmSync(file);
    throw new DataError(
      `${file} can't be given to the owner of ${folder}, the user ${uid}: run it as that user`,
    );
  }
}

/** Returns when the disk has what was written to the file. */
export const sync = (file: string) => syncOpened(file, "r+");

/** Returns when the disk has the names in the file's folder. */
export function syncFolder(file: string) {
  try {
    syncOpened(path.dirname(path.resolve(file)), "r");
  } catch (error) {
    if (!CANT_ASK.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** What Windows, some network file systems, and folders that may not be listed say to it. */
const CANT_ASK = ["EPERM", "EISDIR", "EINVAL", "ENOTSUP", "EACCES"];

function syncOpened(name: string, flags: string) {
  const fd = fs.openSync(name, flags);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
