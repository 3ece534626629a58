import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { nativeBinding } from "./addon.ts";
import type { Database } from "./database.ts";
import { DataError } from "./error.ts";

/** Opens a bare connection to a file, or to a serialized database, with the native addon that this program ships, if it does. */
export const connect = (file: string | Buffer, options: Sqlite.Options = {}): Database =>
  // The types allow only a path to the native addon; the package also accepts the module itself.
  new Sqlite(file, { ...options, ...native() });

const native = () => {
  const addon = nativeBinding();
  return addon && { nativeBinding: addon as unknown as string };
};

/** The version of the bundled SQLite, such as `3.54.1`. */
export function sqliteVersion(): string {
  const db = connect(":memory:");
  try {
    return db.prepare<[], string>("SELECT sqlite_version()").pluck().get()!;
  } finally {
    db.close();
  }
}

/** The length of SQLite's header, in which all fields below have fixed offsets. */
const HEADER_BYTES = 100;

const MAGIC = Buffer.from("SQLite format 3\0");

/** Reads the header without opening the file as a database; a shorter file is padded with zeros. */
export function readHeader(file: string) {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const fd = fs.openSync(file, "r");
  try {
    fs.readSync(fd, bytes);
  } finally {
    fs.closeSync(fd);
  }
  return {
    isDatabase: bytes.subarray(0, MAGIC.length).equals(MAGIC),
    isWriteAhead: bytes[19] === 2,
    userVersion: bytes.readInt32BE(60),
    applicationId: bytes.readInt32BE(68),
  };
}

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
