import type Sqlite from "better-sqlite3";
import type { Writing } from "./transaction.ts";

export type Database = Sqlite.Database;

type Prepare<Bind extends object, Row> = (db: Database) => Sqlite.Statement<[Bind], Row>;

const declared: Array<(db: Database) => unknown> = [];

/**
 * SQL that reads, declared beside the function that owns it and prepared once per database: `query(sql)(db)`.
 * `open()` prepares everything that is declared, so a mistake in any of it stops the start, not a user; and so does a
 * query that would write.
 */
export const query = <Bind extends object, Row = unknown>(sql: string): Prepare<Bind, Row> =>
  declare(sql, (statement: Sqlite.Statement<[Bind], Row>) => {
    if (!statement.readonly) throw new TypeError(`A query must only read: ${sql}`);
  });

/** SQL that writes: `command(sql)(tx)`. Nobody can run it but in a transaction that is there to write. */
export function command<Bind extends object>(sql: string) {
  const prepared = declare<Bind, unknown>(sql, () => {});
  return ({ db }: Writing) => prepared(db);
}

function declare<Bind extends object, Row>(
  sql: string,
  requireFit: (statement: Sqlite.Statement<[Bind], Row>) => void,
): Prepare<Bind, Row> {
  const cache = new WeakMap<Database, Sqlite.Statement<[Bind], Row>>();
  const on = (db: Database) => {
    let ready = cache.get(db);
    if (!ready) {
      ready = db.prepare<[Bind], Row>(withPlainPlan(sql));
      requireFit(ready);
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
