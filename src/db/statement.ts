import type Sqlite from "better-sqlite3";
import { perDatabase } from "./per-database.ts";
import { tablesOf } from "./tables.ts";
import type { Writing } from "./transaction.ts";
import { noteRead } from "./watch.ts";

export type Database = Sqlite.Database;

type Prepare<Bind extends object, Row> = (db: Database) => Sqlite.Statement<[Bind], Row>;

interface Ready<Bind extends object, Row> {
  statement: Sqlite.Statement<[Bind], Row>;
  /** The tables it reads, or writes; determined on first use, once for all databases. */
  readonly tables: readonly string[];
}

const declared: Array<(db: Database) => unknown> = [];

/**
 * SQL that reads, declared beside the function that owns it and prepared once per database, on first use:
 * `query(sql)(db)`. A test prepares everything declared, so a mistake in it, or a query that would write, fails there
 * and not for a user. `watchReads` reports which tables were read.
 */
export function query<Bind extends object, Row = unknown>(sql: string): Prepare<Bind, Row> {
  const prepared = declare<Bind, Row>(sql, "read", (statement) => {
    if (!statement.readonly) throw new TypeError(`A query must only read: ${sql}`);
  });
  return (db) => {
    const ready = prepared(db);
    noteRead(ready);
    return ready.statement;
  };
}

/** SQL that writes: `command(sql)(tx)`. It can run only in a write transaction. */
export function command<Bind extends object>(sql: string) {
  const prepared = declare<Bind, unknown>(sql, "write", () => {});
  return ({ db, written }: Writing) => {
    const ready = prepared(db);
    for (const table of ready.tables) written.add(table);
    return ready.statement;
  };
}

/**
 * SQL that writes data that may be shown late or not at all, such as last-seen times: it doesn't invalidate cached
 * responses.
 */
export function bookkeeping<Bind extends object>(sql: string) {
  const prepared = declare<Bind, unknown>(sql, "write", () => {});
  return ({ db, written }: Writing) => {
    written.add("bookkeeping");
    return prepared(db).statement;
  };
}

function declare<Bind extends object, Row>(
  sql: string,
  use: "read" | "write",
  validate: (statement: Sqlite.Statement<[Bind], Row>) => void,
): (db: Database) => Ready<Bind, Row> {
  let tables: readonly string[] | undefined;
  const prepared = perDatabase((db): Ready<Bind, Row> => {
    const statement = db.prepare<[Bind], Row>(withFixedPlan(sql));
    validate(statement);
    return {
      statement,
      get tables() {
        tables ??= tablesOf(db, sql, use);
        return tables;
      },
    };
  });
  declared.push(prepared);
  return prepared;
}

/** Prepares all SQL declared by imported modules; throws SQLite's error for the first mistake. */
export const prepareAll = (db: Database) => {
  for (const prepare of declared) prepare(db);
};

/**
 * SQLite re-plans a query at each run if its bound values might favour another plan, which takes longer than running
 * most of our queries. Each of ours is written for one index. A plus sign hides the value from the planner and has no
 * other effect.
 */
const withFixedPlan = (sql: string) => sql.replaceAll(/(?<!\w):[a-z]\w*/gi, "+$&");
