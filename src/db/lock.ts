import fs from "node:fs";
import { connect } from "./connect.ts";
import { DataError, inWords, isSqlite } from "./error.ts";
import { SIDECARS } from "./new-file.ts";

/*
 * One server a file: two would answer, but each would keep answers that the other's changes outdate. Commands are
 * no servers and work beside one. The lock is the system's own on a small database of its own, FILE.lock, so it
 * ends with its process however that ends; SQLite's `user_version` holds the number of the process.
 */

/** Of the file itself, whatever link it was named by. */
const lockOf = (file: string) => `${fs.realpathSync(file)}.lock`;

/**
 * Takes the lock of a served file.
 * @returns what gives it back.
 * @throws DataError naming the process that serves the file.
 */
export function lockForServing(file: string, pid: number): () => void {
  const lock = lockOf(file);
  const db = connect(lock, { timeout: 0 });
  try {
    db.pragma("journal_mode = MEMORY");
    db.pragma("locking_mode = EXCLUSIVE");
    db.pragma(`user_version = ${pid}`);
  } catch (error) {
    db.close();
    if (!isSqlite(error, "SQLITE_BUSY")) throw inWords(error, lock);
    throw new DataError(
      `${file} is served by the process ${pidIn(lock)} already: stop that one, or name another file`,
    );
  }
  return () => {
    fs.rmSync(lock, { force: true });
    db.close();
  };
}

/** @throws DataError naming the process that serves the file, if one does. */
export function requireNotServed(file: string) {
  if (fs.existsSync(file) && fs.existsSync(lockOf(file))) lockForServing(file, 0)();
}

/** Removes a file that was made in vain, unless another process has opened it meanwhile. */
export function removeIfUnused(file: string) {
  const db = connect(file, { timeout: 0 });
  try {
    db.pragma("locking_mode = EXCLUSIVE"); // to be had only by who is alone
    db.pragma("user_version");
  } catch (error) {
    if (isSqlite(error, "SQLITE_BUSY")) return;
    throw error;
  } finally {
    db.close();
  }
  for (const suffix of ["", ...SIDECARS]) fs.rmSync(file + suffix, { force: true });
}

/** `user_version` stands in the header, which can be read whoever has the lock. */
const pidIn = (file: string) => fs.readFileSync(file).readUInt32BE(60);
