import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { connect } from "./connect.ts";
import { DataError, inWords, isSqlite } from "./error.ts";
import { readHeader } from "./header.ts";
import { makePrivate } from "./staged-file.ts";

/*
 * One server a file: two would answer, but each would keep answers that the other's changes outdate. Commands are
 * no servers and work beside one. A lock is the system's own on a small database of its own, so it ends with its
 * process however that ends; SQLite's `user_version` holds the number of the process.
 *
 * There are two. FILE.lock is seen by all users, and by containers that share the folder; but it can be removed, and
 * another hard link of the file has another. The one in the temporary folder is named by what the file is, and is
 * seen by the same user with the same temporary folder.
 */

class ServedError extends DataError {}

/** Of the file itself, whatever symbolic link it was named by. */
const lockBeside = (file: string) => `${fs.realpathSync(file)}.lock`;

function temporaryLock(file: string) {
  const { dev, ino } = fs.statSync(file, { bigint: true });
  return path.join(os.tmpdir(), `flagstone-${ownUid()}-${dev}-${ino}.lock`);
}

const ownUid = () => process.getuid?.() ?? 0;

/**
 * Takes the locks of a served file.
 * @returns what gives them back.
 * @throws DataError naming the process that serves the file.
 */
export function lockForServing(file: string, pid: number): () => void {
  const beside = lockBeside(file);
  makePrivate(beside);
  const unlock = take(beside, file, pid);
  try {
    const unlockTemporary = takeTemporary(file, pid);
    return () => {
      unlockTemporary();
      unlock();
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** @throws DataError naming the process that serves the file, if one does. */
export function requireNotServed(file: string) {
  if (!fs.existsSync(file)) return;
  if ([lockBeside(file), temporaryLock(file)].some((lock) => fs.existsSync(lock))) lockForServing(file, 0)();
}

/** Where the temporary folder can't be written, or is full, the other lock has to do. */
function takeTemporary(file: string, pid: number) {
  const lock = temporaryLock(file);
  const nothing = () => {};
  if (!isUsable(lock)) return nothing;
  try {
    return take(lock, file, pid);
  } catch (error) {
    if (error instanceof ServedError) throw error;
    return nothing;
  }
}

/** Makes the lock's file if it is missing. Where all may write, another user could have put anything in its place. */
function isUsable(lock: string) {
  try {
    fs.closeSync(fs.openSync(lock, "ax", 0o600));
    return true;
  } catch {
    const found = fs.lstatSync(lock, { throwIfNoEntry: false });
    return found?.isFile() === true && found.uid === ownUid();
  }
}

function take(lock: string, file: string, pid: number): () => void {
  const db = connect(lock, { timeout: 0 });
  try {
    db.pragma("journal_mode = MEMORY");
    db.pragma("locking_mode = EXCLUSIVE");
    db.pragma(`user_version = ${pid}`);
  } catch (error) {
    db.close();
    if (!isSqlite(error, "SQLITE_BUSY")) throw inWords(error, lock);
    throw new ServedError(
      `${file} is served by the process ${pidIn(lock)} already: stop that one, or name another file`,
    );
  }
  return () => {
    fs.rmSync(lock, { force: true });
    db.close();
  };
}

/** `user_version` stands in the header, which can be read whoever has the lock. */
const pidIn = (file: string) => readHeader(file).userVersion;
