import fs from "node:fs";
import path from "node:path";
import { DataError } from "./error.ts";

/** The suffixes of files that SQLite may leave next to a database. */
export const SIDECARS = ["-wal", "-shm", "-journal"];

/** The suffix of a file under construction, with the process id, since another process may be making the same file. */
const UNFINISHED = /^(\.\d+)?\.unfinished$/;

/**
 * A file created under a temporary name and renamed once it is complete and on disk, so that it is either whole or
 * absent: `using copy = stagedFile(file)`, write to `copy.path`, then `copy.commit()`. Without `commit` it is removed.
 * @throws DataError if root would own it in another user's folder.
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
    else renameIfFree(unfinished, file);
    syncFolder(file);
  };
  remove();
  makePrivate(unfinished);
  return { path: unfinished, commit, [Symbol.dispose]: remove };
}

function removeAbandoned(file: string) {
  const { dir, base } = path.parse(path.resolve(file));
  for (const name of namesIn(dir)) {
    const [, pid] = /^\.(\d+)\.unfinished(-wal|-shm|-journal)?$/.exec(name.slice(base.length)) ?? [];
    if (name.startsWith(base) && pid !== undefined && !isRunning(Number(pid)))
      fs.rmSync(path.join(dir, name), { force: true }); // another process may be doing the same
  }
}

function isRunning(pid: number) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it belongs to another user
  }
}

/** Empty for a folder that can't be listed; creating a file in it will then report what is wrong. */
function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

/** Another process may have created the file meanwhile: then a hard link fails, whereas a rename would replace it. */
function renameIfFree(unfinished: string, file: string) {
  try {
    fs.linkSync(unfinished, file);
    fs.rmSync(unfinished);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw taken(file);
    fs.renameSync(unfinished, file); // some file systems don't support hard links
  }
}

const taken = (file: string) => new Error(`${file} already exists: name a new file`);

/**
 * Checks the place for a new file.
 * @throws Error if the file exists or can't be created there; not a DataError, since the data is fine.
 */
export function requireFree(file: string) {
  if (fs.existsSync(file)) throw taken(file);
  requireFolder(file);
}

/** @throws Error if the file's folder is missing or not writable. */
export function requireFolder(file: string) {
  const folder = path.dirname(path.resolve(file));
  if (!fs.existsSync(folder))
    throw new Error(`The folder ${folder} does not exist: create it, or name another`);
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
  } catch {
    throw new Error(`The folder ${folder} is not writable: change its permissions, or name another`);
  }
}

/**
 * Creates an empty file that only its owner may read, since ours contain names and hashes of secrets. An existing file
 * is left as it is.
 * @throws DataError if root would own it in another user's folder.
 */
export function makePrivate(file: string) {
  let fd: number;
  try {
    fd = fs.openSync(file, "ax", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") closeToOthers(file);
    return; // if it is still missing, the next write to it fails too, and says why
  }
  try {
    giveToFolderOwner(file, fd);
  } finally {
    fs.closeSync(fd);
  }
}

function closeToOthers(file: string) {
  try {
    fs.chmodSync(file, 0o600);
  } catch {
    // It belongs to somebody else, or its file system has no permissions.
  }
}

/** A warning, if other users of the machine can read a file. */
export function readersOf(file: string): string | undefined {
  const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform === "win32" || (mode & 0o004) === 0) return undefined;
  return `other users of this machine can read ${file}: chmod 600 ${file}`;
}

/** Hands a file created by root to the folder's owner, whose server could not open it otherwise. */
function giveToFolderOwner(file: string, fd: number) {
  const folder = path.dirname(path.resolve(file));
  const { uid, gid } = fs.statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  try {
    fs.fchownSync(fd, uid, gid);
  } catch {
    fs.rmSync(file);
    throw new DataError(
      `${file} can't be given to the owner of ${folder}, the user ${uid}: run this as that user`,
    );
  }
}

const sync = (file: string) => syncOpened(file, "r+");

/** Returns once the names in the file's folder are on disk. */
export function syncFolder(file: string) {
  try {
    syncOpened(path.dirname(path.resolve(file)), "r");
  } catch (error) {
    if (!UNSUPPORTED.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** The errors of systems that can't sync it: Windows, some network file systems, and folders that can't be read. */
const UNSUPPORTED = ["EPERM", "EISDIR", "EINVAL", "ENOTSUP", "EACCES"];

function syncOpened(name: string, flags: string) {
  const fd = fs.openSync(name, flags);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

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
