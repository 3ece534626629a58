import type Sqlite from "better-sqlite3";

export type Database = Sqlite.Database;

const declared: Array<(db: Database) => unknown> = [];

/**
 * SQL declared beside the function that owns it and prepared once per database.
 * `open()` prepares every declared statement, so a mistake in any of them stops the start, not a user.
 */
export function statement<Bind extends object, Row = unknown>(sql: string) {
  const cache = new WeakMap<Database, Sqlite.Statement<[Bind], Row>>();
  const on = (db: Database) => {
    let ready = cache.get(db);
    if (!ready) {
      ready = db.prepare<[Bind], Row>(withPlainPlan(sql));
      cache.set(db, ready);
    }
    return ready;
  };
  declared.push(on);
  return on;
}

/** Prepares all SQL of the program that has been imported; throws SQLite's error for the first that is wrong. */
export const prepareAll = (db: Database) => {
  for (const prepare of declared) prepare(db);
};

/**
 * SQLite plans a query anew at each run whose bound values might make another plan better, and that takes longer than
 * most of ours run. Ours are written for one index each. Behind a plus sign, which changes nothing else, a value is
 * not looked at.
 */
const withPlainPlan = (sql: string) => sql.replaceAll(/(?<!\w):[a-z]\w*/gi, "+$&");
