import fs from "node:fs";
import path from "node:path";
import { DataError } from "./error.ts";
import { readHeader } from "./header.ts";

const { R_OK, W_OK, X_OK } = fs.constants;

/** Whether the file can be written, and files created next to it, as SQLite does. */
export const canWrite = (file: string) =>
  canAccess(file, W_OK) && canAccess(path.dirname(path.resolve(file)), W_OK | X_OK);

/**
 * In WAL mode even a reader creates missing files next to the data file, and a server run by another user could not
 * write to those afterwards.
 * @throws DataError if the permission for that, or to read, is missing.
 */
export function requireReadable(file: string) {
  if (!canAccess(file, R_OK)) throw new DataError(`${file} can't be read: permission denied`);
  if (canWrite(file) || fs.existsSync(`${file}-shm`) || !readHeader(file).isWriteAhead) return;
  throw new DataError(
    `${file} can't be read without write permission for it and its folder, unless a server is using it, because it is ` +
      "in SQLite's write-ahead mode: copy it to another folder, or run this as its owner",
  );
}

function canAccess(file: string, mode: number) {
  try {
    fs.accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}
