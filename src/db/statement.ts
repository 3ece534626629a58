import { AsyncLocalStorage } from "node:async_hooks";
import type Sqlite from "better-sqlite3";
import type * as v from "valibot";
import { BoundedMap } from "../lib/bounded-map.ts";
import { type Database, perDatabase } from "./database.ts";
import type { Writing } from "./transaction.ts";

type Statement<Bind extends object, Row> = Sqlite.Statement<[Bind], Row>;

interface Ready<Bind extends object, Row> {
  statement: Statement<Bind, Row>;
  /** The tables it reads, or writes; determined on first use. */
  readonly tables: readonly string[];
}

const declared: Array<(db: Database) => unknown> = [];

/**
 * SQL that reads, declared beside the function that owns it and prepared once per database, on first use:
 * `query(sql)(db)`. A test prepares everything declared, so a mistake in it, or a query that would write, fails there
 * and not for a user. `watchReads` reports which tables were read.
 */
export function query<Bind extends object, Row = unknown>(sql: string) {
  const prepared = declare<Bind, Row>(sql, "read");
  return (db: Database): Statement<Bind, Row> => noted(prepared(db));
}

/** The same for a single column: its values instead of rows. */
export function valueQuery<Bind extends object, Value>(sql: string) {
  const rows = query<Bind, Value>(sql);
  return (db: Database): Statement<Bind, Value> => rows(db).pluck();
}

/** How many such statements are kept. */
const MAX_COMPOSED = 200;

const composed = perDatabase(() => new BoundedMap<string, Ready<object, unknown>>(MAX_COMPOSED));

/** The same for SQL put together from static parts, such as the criteria of a search: `composedQuery(db, sql)`. */
export function composedQuery<Bind extends object, Row>(db: Database, sql: string): Statement<Bind, Row> {
  const found = composed(db).get(sql) ?? prepare(db, sql, "read");
  composed(db).set(sql, found, 1);
  return noted(found) as Statement<Bind, Row>;
}

function noted<Bind extends object, Row>(ready: Ready<Bind, Row>) {
  noteRead(ready);
  return ready.statement;
}

/** SQL that writes: `command(sql)(tx)`. It can run only in a write transaction. */
export function command<Bind extends object>(sql: string) {
  const prepared = declare<Bind, unknown>(sql, "write");
  return ({ db, written }: Writing) => {
    const ready = prepared(db);
    for (const table of ready.tables) written.add(table);
    return ready.statement;
  };
}

/** What such SQL writes, as far as anybody is told. */
export const BOOKKEEPING = "bookkeeping";

/**
 * SQL that writes data that may be shown late or not at all, such as last-seen times: it doesn't invalidate cached
 * responses.
 */
export function bookkeeping<Bind extends object>(sql: string) {
  const prepared = declare<Bind, unknown>(sql, "write");
  return ({ db, written }: Writing) => {
    written.add(BOOKKEEPING);
    return prepared(db).statement;
  };
}

function declare<Bind extends object, Row>(sql: string, use: Use): (db: Database) => Ready<Bind, Row> {
  const known: Tables = {};
  const prepared = perDatabase((db) => prepare<Bind, Row>(db, sql, use, known));
  declared.push(prepared);
  return prepared;
}

/** The tables of a statement, once they are known; the same in all databases. */
interface Tables {
  list?: readonly string[];
}

function prepare<Bind extends object, Row>(
  db: Database,
  sql: string,
  use: Use,
  known: Tables = {},
): Ready<Bind, Row> {
  const statement = db.prepare<[Bind], Row>(withFixedPlan(views(db).areThere ? withoutHints(sql) : sql));
  if (use === "read" && !statement.readonly) throw new TypeError(`A query must only read: ${sql}`);
  return {
    statement,
    get tables() {
      known.list ??= tablesOf(db, sql, use);
      return known.list;
    },
  };
}

/** Prepares all SQL declared by imported modules; throws SQLite's error for the first mistake. */
export const prepareAll = (db: Database) => {
  for (const prepare of declared) prepare(db);
};

/**
 * SQLite plans a query anew at each run if its bound values might favour another plan: a look-up by index then takes 10
 * to 15 µs instead of 3 to 5, and there may be a hundred in a request. Each of our queries is written for one index. A
 * plus sign hides the value from the planner and has no other effect.
 */
const withFixedPlan = (sql: string) => sql.replaceAll(/(?<!\w):[a-z]\w*/gi, "+$&");

const views = perDatabase(() => ({ areThere: false }));

/** From now on, some tables of this database are views, as where only some of their rows are shown. */
export const expectViews = (db: Database) => void Object.assign(views(db), { areThere: true });

/** A view has no indexes of its own. */
const withoutHints = (sql: string) => sql.replaceAll(/ INDEXED BY \w+/g, "");

interface Step {
  opcode: string;
  p1: number;
  p2: number;
  p3: number;
}

/** Opcodes of SQLite's virtual machine that open a table or one of its indexes. */
const OPENS = { read: /^(OpenRead|ReopenIdx)$/, write: /^OpenWrite$/ };

type Use = keyof typeof OPENS;

/**
 * The tables that SQL reads or writes, including through views, triggers and cascades. They come from SQLite's plan,
 * so nobody has to declare which tables a response was read from.
 */
export function tablesOf(db: Database, sql: string, use: Use): readonly string[] {
  const parameters = [...sql.matchAll(/(?<!\w):([a-z]\w*)/gi)].map(([, name = ""]) => [name, null]);
  const steps = db.prepare<[object], Step>(`EXPLAIN ${sql}`).all(Object.fromEntries(parameters)); // nothing is run
  const owners = ownersOf(db);
  const tables = steps.flatMap((step) => owners.get(rootPage(step, use)) ?? []);
  return [...new Set(tables)];
}

/** For a step that opens something: the file, of which the main one is 0, and the page. `Clear` empties a whole table. */
function rootPage({ opcode, p1, p2, p3 }: Step, use: Use) {
  if (OPENS[use].test(opcode)) return `${p3} ${p2}`;
  return use === "write" && opcode === "Clear" ? `0 ${p1}` : "";
}

/** Maps each root page of each file to its table; an index counts as its table. */
const ownersOf = perDatabase((db): ReadonlyMap<string, string> => {
  const files = db.pragma("database_list") as Array<{ seq: number; name: string }>;
  const pages = files.flatMap(({ seq, name }) =>
    db
      .prepare<[], [string, string]>(
        `SELECT '${seq} ' || rootpage, tbl_name FROM ${name}.sqlite_schema WHERE rootpage > 0`,
      )
      .raw()
      .all(),
  );
  return new Map(pages);
});

/*
 * Records which tables a response was read from while it is being produced, even over several turns of the event loop.
 */

export interface Reading {
  readonly tables: readonly string[];
}

const watched = new AsyncLocalStorage<Set<Reading>>();

/** Called for each query; costs next to nothing when nobody is watching. */
export function noteRead(reading: Reading) {
  watched.getStore()?.add(reading);
}

/** Runs the body and returns which tables it reads; for a promise, until it settles. */
export function watchReads<T>(body: () => T): { result: T; readings: ReadonlySet<Reading> } {
  const readings = new Set<Reading>();
  return { result: watched.run(readings, body), readings };
}

/** A `T` as columns store it: true and false as 1 and 0, lists and objects as JSON. */
export type Stored<T> = { [Key in keyof T]: Column<T[Key]> };

type Column<Value> = Value extends boolean
  ? 0 | 1
  : Value extends string | number | null | undefined
    ? Value
    : string;

/** Values as columns store them. */
export const toStored = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, toColumn(value)])) as Stored<T>;

function toColumn(value: unknown) {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** A row as values, where the schema `T` says so; other columns stay as they are. */
export type Restored<Row, T> = {
  [Key in keyof Row]: Key extends keyof T
    ? NonNullable<T[Key]> extends string | number
      ? Row[Key]
      : Exclude<T[Key], undefined> | Extract<Row[Key], null>
    : Row[Key];
};

/** `fromStored(Segment)(row)`: with booleans, lists and objects in the columns that the schema declares as such. */
export function fromStored<E extends v.ObjectEntries>({ entries }: { readonly entries: E }) {
  const keysOf = (types: RegExp) =>
    Object.entries(entries).flatMap(([key, schema]) => (types.test(typeOf(schema)) ? [key] : []));
  const booleans = keysOf(/^boolean$/);
  const json = keysOf(/^(array|(strict_)?object|record|custom)$/);
  return <Row extends object>(row: Row) => {
    const values = { ...row } as Record<string, unknown>;
    for (const key of booleans) if (typeof values[key] === "number") values[key] = values[key] === 1;
    for (const key of json) if (typeof values[key] === "string") values[key] = JSON.parse(values[key]);
    return values as Restored<Row, v.InferOutput<v.ObjectSchema<E, undefined>>>;
  };
}

/** The type of what is stored: that of a schema without its `optional`, `nullish` and the like. */
const typeOf = (schema: object): string =>
  "wrapped" in schema ? typeOf(schema.wrapped as object) : (schema as v.GenericSchema).type;

/** From here on JavaScript compares surrogates, and SQLite whole code points: they can differ if both texts get there. */
const HIGH = /[\ud800-\uffff]/;

/** Compares numbers or texts as SQLite does. @returns a negative number if `a` comes first */
export function compare(a: string | number, b: string | number): number {
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string" && HIGH.test(a) && HIGH.test(b))
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}
