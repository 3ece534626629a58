import fs from "node:fs";
import path from "node:path";
import { DataError } from "./error.ts";

/** What SQLite may leave beside a database. */
export const SIDECARS = ["-wal", "-shm", "-journal"];

/** How a file is named while it is made, after its own name: by the process, for another may make the same. */
export const UNFINISHED = /^(\.\d+)?\.unfinished$/;

/**
 * A file that is made under another name and gets its own when it is complete and on the disk, so that it is whole
 * or not there: `using copy = stagedFile(file)`, write to `copy.path`, then `copy.commit()`. Unfinished, it is removed.
 * @throws DataError if it would be root's in another user's folder.
 */
export function stagedFile(file: string) {
  removeAbandoned(file);
  const unfinished = `${file}.${process.pid}.unfinished`;
  const remove = () => {
    for (const suffix of ["", ...SIDECARS]) fs.rmSync(unfinished + suffix, { force: true });
  };
  const commit = ({ mayReplace = false } = {}) => {
    sync(unfinished);
    if (mayReplace) fs.renameSync(unfinished, file);
    else giveNewName(unfinished, file);
    syncFolder(file);
  };
  remove();
  makePrivate(unfinished);
  return { path: unfinished, commit, [Symbol.dispose]: remove };
}

/** What was left by processes that are no more. */
function removeAbandoned(file: string) {
  const { dir, base } = path.parse(path.resolve(file));
  for (const name of namesIn(dir)) {
    const [, pid] = /^\.(\d+)\.unfinished(-wal|-shm|-journal)?$/.exec(name.slice(base.length)) ?? [];
    if (name.startsWith(base) && pid !== undefined && !isRunning(Number(pid)))
      fs.rmSync(path.join(dir, name));
  }
}

function isRunning(pid: number) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it is another user's
  }
}

/** A folder that can't be listed shows nothing; what is wrong with it is said where a file is made in it. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

/** Another process may have made the file meanwhile: a second name is refused then, which a rename is not. */
function giveNewName(unfinished: string, file: string) {
  try {
    fs.linkSync(unfinished, file);
    fs.rmSync(unfinished);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw taken(file);
    fs.renameSync(unfinished, file); // some file systems know no second names
  }
}

const taken = (file: string) => new Error(`${file} exists already: name a new file`);

/**
 * Where a new file is about to be made.
 * @throws Error if there is one already, or no place for it; the data is not at fault.
 */
export function requireFree(file: string) {
  if (fs.existsSync(file)) throw taken(file);
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
