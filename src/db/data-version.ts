import type { Statement } from "better-sqlite3";
import type { Database } from "./statement.ts";

const prepared = new WeakMap<Database, Statement<[], number>>();

/**
 * A number that changes whenever another connection or process commits. Reading it costs two file locks.
 * @throws if the file can't be read
 */
export function dataVersion(db: Database): number {
  const statement = prepared.get(db) ?? db.prepare<[], number>("PRAGMA data_version").pluck();
  prepared.set(db, statement);
  return statement.get()!;
}
