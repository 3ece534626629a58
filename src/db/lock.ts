import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { connect, readHeader } from "./connect.ts";
import type { Database } from "./database.ts";
import { DataError, explainError, isSqlite } from "./error.ts";
import { makePrivate, SIDECARS } from "./staged-file.ts";

/*
 * One server per file: two would both respond, but each would cache responses that the other's changes make stale.
 * Commands are not servers and can run alongside one. A lock is a system lock on a small database of its own, so it is
 * released however its process ends; SQLite's `user_version` holds the process id.
 *
 * There are two. FILE.lock is visible to all users, and to containers that share the folder; but it can be deleted, and
 * another hard link of the file has a different one. The one in the temporary folder is named by the file's identity,
 * and is visible to the same user with the same temporary folder.
 */

class ServedError extends DataError {}

/** Next to the file itself, even if it was opened through a symbolic link. */
const lockBeside = (file: string) => `${fs.realpathSync(file)}.lock`;

function temporaryLock(file: string) {
  const { dev, ino } = fs.statSync(file, { bigint: true });
  return path.join(os.tmpdir(), `flagstone-${ownUid()}-${dev}-${ino}.lock`);
}

const ownUid = () => process.getuid?.() ?? 0;

/**
 * Acquires the locks of a served file.
 * @returns a function that releases them.
 * @throws DataError naming the process that already serves the file.
 */
export function lockForServing(file: string, pid: number): () => void {
  const beside = lockBeside(file);
  makePrivate(beside);
  const unlock = acquire(beside, file, pid);
  try {
    const unlockTemporary = acquireTemporary(file, pid);
    return () => {
      unlockTemporary();
      unlock();
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** @throws DataError naming the process that serves the file, if any. */
export function requireNotServed(file: string) {
  if (!fs.existsSync(file)) return;
  if ([lockBeside(file), temporaryLock(file)].some((lock) => fs.existsSync(lock))) lockForServing(file, 0)();
}

/** If the temporary folder is full or not writable, the other lock has to suffice. */
function acquireTemporary(file: string, pid: number) {
  const lock = temporaryLock(file);
  const nothing = () => {};
  if (!isUsable(lock)) return nothing;
  try {
    return acquire(lock, file, pid);
  } catch (error) {
    if (error instanceof ServedError) throw error;
    return nothing;
  }
}

/** Creates the lock file if missing. In a world-writable folder another user could have put anything in its place. */
function isUsable(lock: string) {
  try {
    fs.closeSync(fs.openSync(lock, "ax", 0o600));
    return true;
  } catch {
    const found = fs.lstatSync(lock, { throwIfNoEntry: false });
    return found?.isFile() === true && found.uid === ownUid();
  }
}

function acquire(lock: string, file: string, pid: number): () => void {
  const db = connect(lock, { timeout: 0 });
  try {
    db.pragma("journal_mode = MEMORY");
    db.pragma("locking_mode = EXCLUSIVE");
    db.pragma(`user_version = ${pid}`);
  } catch (error) {
    db.close();
    if (!isSqlite(error, "SQLITE_BUSY")) throw explainError(error, lock);
    throw new ServedError(
      `${file} is already in use by a server, process ${pidIn(lock)}: stop it, or name another file`,
    );
  }
  return () => {
    fs.rmSync(lock, { force: true });
    db.close();
  };
}

/** `user_version` is in the header, which can be read even while the file is locked. */
const pidIn = (file: string) => readHeader(file).userVersion;

/**
 * Runs the body while no other process can use the file. Its WAL has been checkpointed and removed, so the file is
 * complete by itself. Others opening it wait for the body; `open` then checks whether the name refers to a new file.
 * @returns false if another process is using the file; the body is not run then.
 * @throws SQLite's error if the file is damaged or not a database, and whatever the body throws.
 */
export function withExclusiveAccess(file: string, body: (db: Database) => void): boolean {
  const db = connect(file, { timeout: 0, fileMustExist: true });
  try {
    if (!lockExclusively(db)) return false;
    body(db);
    return true;
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK");
    db.close();
  }
}

/** A transaction locks out readers only without a WAL, which may come back between the two statements. */
function lockExclusively(db: Database) {
  try {
    db.pragma("journal_mode = DELETE");
    db.exec("BEGIN EXCLUSIVE");
    return db.pragma("journal_mode", { simple: true }) === "delete";
  } catch (error) {
    if (isSqlite(error, "SQLITE_BUSY")) return false;
    throw error;
  }
}

/** Removes a file that was created but not used, unless another process is using it or has stored something in it. */
export function removeIfUnused(file: string, isUntouched: (db: Database) => boolean) {
  if (!fs.existsSync(file)) return;
  withExclusiveAccess(file, (db) => {
    const isEmpty = db.pragma("page_count", { simple: true }) === 0;
    if (isEmpty || isUntouched(db))
      for (const suffix of ["", ...SIDECARS]) fs.rmSync(file + suffix, { force: true });
  });
}

/** Linux's magic numbers of network file systems (statfs(2)); other systems use different numbers. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x01021997, "9p"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
]);

/** The name of the network file system that holds the file; undefined if it is local, or can't be determined. */
export function networkFileSystem(file: string, statfs: typeof fs.statfsSync = fs.statfsSync) {
  if (process.platform !== "linux") return undefined;
  return NETWORK.get(statfs(path.dirname(path.resolve(file))).type >>> 0);
}
