import fs from "node:fs";
import path from "node:path";
import { DataError } from "./error.ts";
import { readHeader } from "./header.ts";

const { R_OK, W_OK, X_OK } = fs.constants;

/** Whether the file may be written, and files created beside it as SQLite does. */
export const mayWrite = (file: string) =>
  mayAccess(file, W_OK) && mayAccess(path.dirname(path.resolve(file)), W_OK | X_OK);

/**
 * In WAL mode even a reader creates files beside the data file if they are missing, and a server run by another user
 * could not write to those afterwards.
 * @throws DataError if the permission for that, or to read, is missing.
 */
export function requireReadable(file: string) {
  if (!mayAccess(file, R_OK)) throw new DataError(`${file} may not be read: give permission to read it`);
  if (mayWrite(file) || fs.existsSync(`${file}-shm`) || !readHeader(file).isWriteAhead) return;
  throw new DataError(
    `${file} can't be read without write permission for it and its folder, unless it is being served, because it is ` +
      "in SQLite's write-ahead mode: copy it to another folder, or run this as its owner",
  );
}

function mayAccess(file: string, mode: number) {
  try {
    fs.accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}
