import type Sqlite from "better-sqlite3";

export type Database = Sqlite.Database;

const values = new WeakMap<Database, Map<unknown, unknown>>();

/**
 * A value that belongs to an open database, such as a prepared statement: `valueOf(db)`. It is created when first
 * needed, and gone with the database.
 */
export function perDatabase<T extends object>(create: (db: Database) => T): (db: Database) => T {
  return (db) => {
    const own = values.get(db) ?? new Map<unknown, unknown>();
    const value = (own.get(create) as T | undefined) ?? create(db);
    values.set(db, own.set(create, value));
    return value;
  };
}

const dataVersionOf = perDatabase((db) => db.prepare<[], number>("PRAGMA data_version").pluck());

/**
 * A number that changes whenever another connection or process commits. Reading it costs two file locks.
 * @throws if the file can't be read
 */
export const dataVersion = (db: Database): number => dataVersionOf(db).get()!;

const runnerOf = perDatabase((db) => db.transaction((read: () => void) => read()));

/**
 * Runs several reads on one snapshot, even while another process writes; of an asynchronous function, those before its
 * first wait.
 */
export function snapshot<T>(db: Database, read: () => T): T {
  if (db.inTransaction) return read();
  let result: T;
  runnerOf(db)(() => {
    result = read(); // a transaction must not return a promise
  });
  return result!;
}
