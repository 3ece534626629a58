import fs from "node:fs";
import { connect } from "./connect.ts";
import { isSqlite } from "./error.ts";
import { SIDECARS } from "./staged-file.ts";
import type { Database } from "./statement.ts";

/**
 * Runs the body while no other process can use the file: its log is folded in and gone, so that nothing beside it is
 * of it, and whoever opens it waits until the body is done. `open` then looks whether the name leads to another file.
 * @returns false if another process is at work on the file; the body is not run then.
 * @throws SQLite's error for what is no database or is damaged, and what the body throws.
 */
export function whileAlone(file: string, body: (db: Database) => void): boolean {
  const db = connect(file, { timeout: 0, fileMustExist: true });
  try {
    if (!isAlone(db)) return false;
    body(db);
    return true;
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK");
    db.close();
  }
}

/** Without a write-ahead log a transaction can keep out those who only read; the log may come back between the two. */
function isAlone(db: Database) {
  try {
    db.pragma("journal_mode = DELETE");
    db.exec("BEGIN EXCLUSIVE");
    return db.pragma("journal_mode", { simple: true }) === "delete";
  } catch (error) {
    if (isSqlite(error, "SQLITE_BUSY")) return false;
    throw error;
  }
}

/** Removes a file that was made in vain, unless another process is at work on it or has stored something in it. */
export function removeIfUnused(file: string, isUntouched: (db: Database) => boolean) {
  if (!fs.existsSync(file)) return;
  whileAlone(file, (db) => {
    const isEmpty = db.pragma("page_count", { simple: true }) === 0;
    if (isEmpty || isUntouched(db))
      for (const suffix of ["", ...SIDECARS]) fs.rmSync(file + suffix, { force: true });
  });
}
