import { UsageError } from "../lib/usage-error.ts";
import { connect } from "./connect.ts";
import { type Database, perDatabase, snapshot } from "./database.ts";
import { DataError } from "./error.ts";
import { KEPT, type KeptTable, keptTables } from "./row-versions.ts";
import { schemaObjects } from "./schema-objects.ts";
import { expectViews } from "./statement.ts";

/** When a change was complete: all that was kept up to `history` was done by events up to `event`. */
export interface Point {
  history: number;
  event: number;
  /** RFC 3339: the time that was asked for, or of the change. */
  at: string;
}

const POINTS = "SELECT history, event, at FROM history_points";

const first = (db: Database) => db.prepare<[], Point>(`${POINTS} ORDER BY history, event LIMIT 1`).get()!;

/**
 * The last change up to a time, RFC 3339 with any offset, or the one that recorded an event, by its id.
 * @throws UsageError for what is no time, or in the future, DataError for what the history does not have
 */
export function pointAt(db: Database, when: string): Point {
  return /^\d+$/.test(when) ? pointOfEvent(db, Number(when)) : pointOfTime(db, toTime(when));
}

function toTime(when: string): string {
  const time = Date.parse(when);
  if (Number.isNaN(time) || !/^\d{4}-\d\d-\d\d/.test(when))
    throw new UsageError(`${when} is not a time such as 2026-03-01T14:05:00Z, nor the id of an event`);
  if (time > Date.now()) throw new UsageError(`${when} is in the future`);
  return new Date(time).toISOString();
}

function pointOfTime(db: Database, time: string): Point {
  const { at } = first(db);
  if (time < at) throw new DataError(`The history begins at ${at}: what was before is not known`);
  const point = db
    .prepare<[string], Point>(`${POINTS} WHERE at <= ? ORDER BY history DESC, event DESC LIMIT 1`)
    .get(time)!;
  return { ...point, at: time };
}

/** Several events of one change are complete with the last of them. */
function pointOfEvent(db: Database, event: number): Point {
  const begin = first(db);
  if (event < begin.event) throw new DataError(`The history begins after event ${begin.event}`);
  const point = db
    .prepare<[number], Point>(`${POINTS} WHERE event >= ? ORDER BY history, event LIMIT 1`)
    .get(event);
  if (point === undefined) throw new DataError(`There is no event ${event}`);
  return point;
}

/**
 * The database as it was, in memory: the kept tables, and the log up to then. All other tables are those of today, such
 * as tokens, settings and use.
 */
export const stateAt = (db: Database, point: Point): Database =>
  snapshot(db, () => {
    const making = makeState(db, point);
    for (;;) {
      const { done, value } = making.next();
      if (done) return value;
    }
  });

/**
 * The same while other work gets a turn in between, and the database may change.
 * @param turn resolves when there is time for a piece of work of a few milliseconds
 */
export async function stateAtInTurns(
  db: Database,
  point: Point,
  turn: () => Promise<void>,
): Promise<Database> {
  const source = db.memory ? connect(db.serialize()) : connect(db.name, { readonly: true });
  try {
    source.exec("BEGIN");
    const making = makeState(source, point);
    for (;;) {
      await turn();
      const { done, value } = making.next();
      if (done) return value;
    }
  } finally {
    source.close();
  }
}

const shown = perDatabase((): { time?: Date } => ({}));

/** The time that a database shows; undefined if that is now. */
export const timeOf = (db: Database): Date | undefined => shown(db).time;

/** Yields between pieces of work. */
function* makeState(db: Database, { history, event, at }: Point): Generator<undefined, Database> {
  const state = withoutKept(db);
  shown(state).time = new Date(at);
  const before = yield* rowsBefore(db, history);
  state.exec("BEGIN");
  for (const table of keptTables(db)) yield* copyTable(db, state, table, before.get(table.name) ?? new Map());
  state.exec("COMMIT");
  hideLaterEvents(state, db.memory ? "main" : "today", event);
  state.pragma("query_only = ON");
  return state;
}

/** A database whose kept tables are empty, and whose others are beside them; in memory, their copies. */
function withoutKept(db: Database): Database {
  const state = connect(db.memory ? db.serialize() : ":memory:");
  state.pragma("foreign_keys = OFF"); // rows come in any order
  const objects = schemaObjects(db).filter(
    ({ type, name, table }) =>
      !name.startsWith("history") &&
      (type === "view" || table in KEPT || table === "strategy_context_fields"),
  );
  if (!db.memory) state.prepare("ATTACH ? AS today").run(db.name);
  else
    for (const { type, name } of objects)
      if (type === "table" || type === "view") state.exec(`DROP ${type} ${name}`);
  for (const { sql } of objects) state.exec(sql);
  return state;
}

/** Work on this many rows takes about a millisecond. */
const ROWS_IN_A_PIECE = 200;

/** Yields between pieces of the rows. */
function* inPieces<T>(rows: Iterable<T>, work: (row: T) => void): Generator<undefined, void> {
  let count = 0;
  for (const row of rows) {
    work(row);
    if (++count % ROWS_IN_A_PIECE === 0) yield;
  }
}

type Row = Record<string, unknown>;

/** What changed later, by table and key, as it was: columns of rows, whole ones if they are gone, null if there was none. */
function* rowsBefore(db: Database, history: number) {
  const changes = db
    .prepare<[number], [string, string, string | null]>(
      `SELECT "table", key, row FROM history WHERE id > ? ORDER BY id DESC`,
    )
    .raw();
  const tables = new Map<string, Map<string, Row | null>>();
  yield* inPieces(changes.iterate(history), ([table, key, row]) => {
    if (!tables.has(table)) tables.set(table, new Map());
    const rows = tables.get(table)!;
    rows.set(key, row === null ? null : Object.assign(rows.get(key) ?? {}, JSON.parse(row)));
  });
  return tables;
}

/** Rows as they are, but for what changed later. */
function* copyTable(
  db: Database,
  state: Database,
  { name, key, columns }: KeptTable,
  before: Map<string, Row | null>,
) {
  const rowid = key.includes("rowid") ? "rowid, " : "";
  const now = db.prepare<[], Row>(`SELECT json_array(${key}) AS state_key, ${rowid}* FROM ${name}`);
  const insert = inserter(state, name);
  yield* inPieces(now.iterate(), ({ state_key, ...row }) => {
    const was = before.get(state_key as string);
    if (was !== null) insert({ ...row, ...picked(was, columns) });
    before.delete(state_key as string);
  });
  yield* inPieces(before.values(), (was) => was !== null && insert(picked(was, columns)));
}

/** Without columns that the schema has no longer. */
const picked = (row: Row | undefined, columns: readonly string[]): Row =>
  row ? Object.fromEntries(Object.entries(row).filter(([column]) => columns.includes(column))) : {};

/** Statements by the columns that they set: others have their defaults. */
function inserter(state: Database, table: string) {
  const statements = new Map<string, (row: Row) => void>();
  return (row: Row) => {
    const columns = Object.keys(row)
      .map((column) => `"${column}"`)
      .join();
    if (!statements.has(columns)) {
      const values = Object.keys(row)
        .map((column) => `:${column}`)
        .join();
      const statement = state.prepare<[Row]>(`INSERT INTO "${table}" (${columns}) VALUES (${values})`);
      statements.set(columns, (values) => void statement.run(values));
    }
    statements.get(columns)!(row);
  };
}

/** @param rest the schema with the log */
function hideLaterEvents(state: Database, rest: string, event: number) {
  state.exec(`
    CREATE TEMP VIEW events AS SELECT * FROM ${rest}.events WHERE id <= ${event};
    CREATE TEMP VIEW event_totals (project, type, count) AS
      SELECT ifnull(project, ''), type, count(*) FROM ${rest}.events WHERE id <= ${event} GROUP BY 1, 2`);
  expectViews(state);
}
