import fs from "node:fs";
import path from "node:path";
import { canWrite, connect, requireReadable } from "./connect.ts";
import type { Database } from "./database.ts";
import { DataError, damaged, explainError, isSqlite } from "./error.ts";
import { inodeOf, isInPlace, rememberLog, rememberPlace } from "./file-in-place.ts";
import { APPLICATION_ID, isOlder, migrate, SCHEMA_VERSION } from "./migrations.ts";
import { isNew, makePrivate, requireNoLeftovers } from "./staged-file.ts";

/** An in-memory database, for the demo and for tests. */
export const IN_MEMORY = ":memory:";

/** How long SQLite waits for another process to finish writing, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5000;

/** Files up to this size are checked page by page when opened, which takes about 30 ms. `doctor` checks any size. */
const QUICK_CHECK_BYTES = 32 * 1024 * 1024;

/** SQLite's page cache; the system caches the rest. */
const CACHE_KIBIBYTES = 16 * 1024;

/**
 * Opens the data file, creates it if missing (unless `mustExist`), and brings it to the current schema.
 * @throws DataError if the file can't be created or read, is not a database, belongs to another program, is damaged,
 * was written by a newer version, or is missing while leftovers of an old one are next to it.
 */
export function open(file: string, { mustExist = false } = {}): Database {
  for (;;) {
    requireUsablePath(file, mustExist);
    const db = openInPlace(file);
    if (db) return db;
  }
}

/** Undefined if the name now refers to another file: replacing or removing a file makes others wait until it is done. */
function openInPlace(file: string): Database | undefined {
  let db: Database | undefined;
  try {
    if (file !== IN_MEMORY && isNew(file)) makePrivate(file);
    const inode = inodeOf(file);
    db = connect(file);
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`); // first, so that the next lines wait too
    requireOurs(db, file);
    rememberPlace(db, inode);
    if (isInPlace(db)) return prepare(db, file);
    db.close();
    return undefined;
  } catch (error) {
    db?.close();
    throw explainError(error, file);
  }
}

/** Opens, in memory, a copy of a database from the bytes that its `serialize` returned. */
export const openCopy = (bytes: Buffer): Database => prepare(connect(bytes), IN_MEMORY);

/**
 * Opens the data file for a command that only reads, so it need not be writable.
 * @throws DataError as `open` does.
 */
export function openToRead(file: string): Database {
  if (!fs.existsSync(file) || canWrite(file)) return open(file, { mustExist: true });
  requireReadable(file);
  let db: Database | undefined;
  try {
    db = connect(file, { readonly: true });
    prepareToRead(db, file);
    return db;
  } catch (error) {
    db?.close();
    throw explainError(error, file);
  }
}

/**
 * Closes the file and leaves no files next to it: the WAL is checkpointed, unless another process is using the file,
 * which will do it later.
 */
export function close(db: Database) {
  if (!db.open) return;
  db.pragma("busy_timeout = 0");
  checkpoint(db);
  db.close();
}

/** A locked or read-only file or a full disk may prevent it; nothing is lost, and it is done later. */
function checkpoint(db: Database) {
  try {
    db.pragma("wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (!isSqlite(error, "SQLITE_BUSY", "SQLITE_READONLY", "SQLITE_FULL")) throw error;
  }
}

function prepare(db: Database, file: string) {
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL"); // acknowledged changes survive a power cut
  db.pragma("foreign_keys = ON");
  db.pragma("mmap_size = 0"); // with mmap, truncating the file would crash the process instead of being an error
  db.pragma(`cache_size = -${CACHE_KIBIBYTES}`);
  migrate(db);
  requireUndamaged(db, file);
  rememberLog(db);
  return db;
}

function prepareToRead(db: Database, file: string) {
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  requireOurs(db, file);
  if (isOlder(file)) throw new DataError(`${file} is from an older version: serve it to upgrade it`);
  db.pragma("mmap_size = 0");
  requireUndamaged(db, file);
}

function requireUsablePath(file: string, mustExist: boolean) {
  if (file === IN_MEMORY) return;
  const folder = path.dirname(path.resolve(file));
  if (!fs.existsSync(folder)) {
    throw new DataError(`The folder ${folder} does not exist: create it, or name another file with --data`);
  }
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new DataError(`${file} is a folder: name a file with --data`);
  if (mustExist && !found) throw new DataError(`There is no file ${file}: name the data file with --data`);
  if (isNew(file) && !mustExist) requireNoLeftovers(file);
  if (found) requireAccess(file);
}

/** SQLite silently opens a file read-only if it can't write to it. */
function requireAccess(file: string) {
  try {
    fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK);
  } catch {
    throw new DataError(
      `${file} can't be read and written: change its permissions, or name another file with --data`,
    );
  }
}

function requireOurs(db: Database, file: string) {
  const { id, version, isEmpty } = identity(db, file);
  if (id === 0 && version === 0 && isEmpty) return;
  if (id !== APPLICATION_ID) {
    throw new DataError(`${file} is another program's SQLite database: name another file with --data`);
  }
  if (version < 1) throw damaged(file);
  if (version > SCHEMA_VERSION) {
    throw new DataError(
      `${file} was written by a newer Flagstone (schema ${version}, this one knows ${SCHEMA_VERSION}): ` +
        "use that version, or export from it and import here into a new file",
    );
  }
}

function identity(db: Database, file: string) {
  try {
    const id = db.pragma("application_id", { simple: true }) as number;
    const version = db.pragma("user_version", { simple: true }) as number;
    return { id, version, isEmpty: db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0 };
  } catch (error) {
    // These queries are valid, so the file claims a format that SQLite does not know.
    throw isSqlite(error, "SQLITE_ERROR") ? damaged(file) : error;
  }
}

function requireUndamaged(db: Database, file: string) {
  const pages = db.pragma("page_count", { simple: true }) as number;
  const bytes = pages * (db.pragma("page_size", { simple: true }) as number);
  if (file === IN_MEMORY || bytes > QUICK_CHECK_BYTES) return;
  const found = db.pragma("quick_check(1)", { simple: true });
  if (found !== "ok") throw damaged(file);
}

const found = new Map<unknown, unknown>();

/** What `read` returns for a new file, so that schema.sql alone defines the content of one; read once per process. */
export function inNewFile<T>(read: (db: Database) => T): T {
  if (!found.has(read)) found.set(read, readNewFile(read));
  return found.get(read) as T;
}

function readNewFile<T>(read: (db: Database) => T): T {
  const db = open(IN_MEMORY);
  try {
    return read(db);
  } finally {
    close(db);
  }
}

/** The rows that a new file doesn't have; what every file has needs no lines. */
export function changedRows<Row extends object>(db: Database, rows: (db: Database) => Row[]): Row[] {
  const preset = inNewFile(rows).map((row) => JSON.stringify(row));
  return rows(db).filter((row) => !preset.includes(JSON.stringify(row)));
}
