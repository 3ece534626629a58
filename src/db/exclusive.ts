import fs from "node:fs";
import { connect } from "./connect.ts";
import { isSqlite } from "./error.ts";
import { SIDECARS } from "./staged-file.ts";
import type { Database } from "./statement.ts";

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
