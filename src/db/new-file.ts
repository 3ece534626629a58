import { close, IN_MEMORY, open } from "./open.ts";
import type { Database } from "./statement.ts";

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
