import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { asset } from "#assets";
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

/** Linux only: an unnamed file, which nobody can find or replace, and which cannot be left behind. */
const O_TMPFILE = 0o20000000 | fs.constants.O_DIRECTORY;

/** Ways to load the native addon, in order of preference. */
const WAYS: ReadonlyArray<(bytes: Buffer) => object> =
  process.platform === "linux"
    ? [(bytes) => loadNameless("/dev/shm", bytes), (bytes) => loadNameless(os.tmpdir(), bytes), loadNamed]
    : [loadNamed];

function load(bytes: Buffer): object {
  for (const way of WAYS) {
    try {
      return way(bytes);
    } catch {
      // No such folder, no space, no O_TMPFILE, mounted noexec, or no /proc: try the next way.
    }
  }
  const megabytes = Math.ceil(bytes.length / 1e6);
  throw new Error(
    `SQLite can't be unpacked in ${os.tmpdir()}: it needs ${megabytes} MB in a folder that is writable and not mounted ` +
      "noexec; name one with TMPDIR",
  );
}

function loadNameless(folder: string, bytes: Buffer): object {
  const fd = fs.openSync(folder, fs.constants.O_RDWR | O_TMPFILE, 0o700);
  try {
    fs.writeFileSync(fd, bytes); // throws on a partial write; a truncated library would end in a SIGBUS
    return dlopen(`/proc/self/fd/${fd}`);
  } finally {
    fs.closeSync(fd);
  }
}

/** A file in a private folder, removed once loaded; Windows cannot remove a file in use. */
function loadNamed(bytes: Buffer): object {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-"));
  const file = path.join(folder, "better_sqlite3.node");
  let isLoaded = false;
  try {
    fs.writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
    const loaded = dlopen(file);
    isLoaded = true;
    return loaded;
  } finally {
    if (process.platform !== "win32" || !isLoaded) fs.rmSync(folder, { recursive: true, force: true });
  }
}

function dlopen(file: string): object {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports;
}

let loaded: object | undefined;

/**
 * The native addon of better-sqlite3, if the program ships its own; undefined in a checkout, where the package finds it
 * itself. Loaded on first use: commands that open no database, such as help, work without a writable folder.
 */
function nativeBinding(): object | undefined {
  const bytes = loaded ? undefined : asset("addon.node");
  if (bytes) loaded = load(bytes);
  return loaded;
}
