import { dataVersion } from "./data-version.ts";
import type { Database } from "./statement.ts";
import { noteRead } from "./watch.ts";

/*
 * State in memory that depends on the rows of some tables. Temporary triggers report the rows that this connection
 * changes, as they are written; a commit by another process may have changed any.
 */

/** For each table, the column with the key of what a row is part of; null if it is part of everything. */
export type Sources = Readonly<Record<string, string | null>>;

/** Called with the key of each row that is written, even if that is rolled back; null if any may have changed. */
type OnChange<K> = (key: K | null) => void;

const declared: Array<(db: Database) => void> = [];

/** Creates the triggers; called before statements are prepared, as SQLite would prepare them again. */
export const watchAllRows = (db: Database) => {
  for (const watch of declared) watch(db);
};

/**
 * Declares state per database: `stateOf(db)`. Using it counts as reading its tables.
 * @param name unique, a prefix for the triggers
 * @param create called when a database is opened
 */
export function followRows<K, S>(
  name: string,
  sources: Sources,
  create: () => { state: S; onChange: OnChange<K> },
): (db: Database) => S {
  const reading = { tables: Object.keys(sources) };
  const known = new WeakMap<Database, { state: S; followOthers: () => void }>();
  declared.push((db) => {
    const { state, onChange } = create();
    watchRows(db, name, sources, onChange as OnChange<unknown>);
    known.set(db, { state, followOthers: othersWatched(db, () => onChange(null)) });
  });
  return (db) => {
    noteRead(reading);
    const { state, followOthers } = known.get(db)!;
    followOthers();
    return state;
  };
}

/** Calls `onChange` with the key of each row that this connection writes. */
function watchRows(db: Database, name: string, sources: Sources, onChange: OnChange<unknown>) {
  const notify = `${name}_changed`;
  db.function(notify, onChange);
  for (const [table, column] of Object.entries(sources)) {
    const key = (row: string) => (column === null ? "NULL" : `${row}.${column}`);
    const [old, now] = [`SELECT ${notify}(${key("old")})`, `SELECT ${notify}(${key("new")})`];
    const bodies = {
      INSERT: now,
      UPDATE: `${old}; ${now} WHERE ${key("new")} IS NOT ${key("old")}`,
      DELETE: old,
    };
    for (const [event, body] of Object.entries(bodies))
      db.exec(
        `CREATE TEMP TRIGGER ${name}_${table}_${event} AFTER ${event} ON main.${table} BEGIN ${body}; END`,
      );
  }
}

/** @returns a function that calls `onChange` if another process has committed since the last call */
function othersWatched(db: Database, onChange: () => void) {
  let seen = dataVersion(db);
  return () => {
    const now = dataVersion(db);
    if (now !== seen) onChange();
    seen = now;
  };
}
