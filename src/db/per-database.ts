import type { Database } from "./statement.ts";

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
