import { BoundedMap } from "../bounded-map.ts";
import { dataVersion } from "./data-version.ts";
import { isSnapshot } from "./snapshot.ts";
import type { Database } from "./statement.ts";
import { noteRead } from "./watch.ts";

/*
 * A cache for values that are expensive to derive from a few rows, such as a flag's JSON in a list. An entry is valid
 * until one of its rows changes. Temporary triggers report the rows that this connection changes; a commit by another
 * process may have changed any.
 */

/** For each table, the column with the key of the entry that a row belongs to; null if it belongs to all entries. */
type Sources = Readonly<Record<string, string | null>>;

export interface RowCache<K, T> {
  /**
   * The values of these keys, in the same order.
   * @param make derives the values of keys that are not cached; called only if there are any
   */
  of(keys: readonly K[], make: (missing: K[]) => Iterable<readonly [K, T]>): T[];
}

const declared: Array<(db: Database) => void> = [];

/** Creates the triggers; called before statements are prepared, as SQLite would prepare them again. */
export const watchAllRows = (db: Database) => {
  for (const watch of declared) watch(db);
};

interface Rules<T> {
  /** For the sum of all sizes; the oldest entries are evicted first. */
  limit: number;
  sizeOf: (value: T) => number;
  /** Whether a value is still valid, if that depends on more than rows. */
  isCurrent?: (value: T) => boolean;
  sources: Sources;
}

/**
 * Declares a cache per database: `cache(db).of(keys, make)`. Using it counts as reading its tables.
 * @param name unique, a prefix for the triggers
 */
export function rowCache<K extends string | number, T>(
  name: string,
  rules: Rules<T>,
): (db: Database) => RowCache<K, T> {
  const { limit, sources } = rules;
  const reading = { tables: Object.keys(sources) };
  const known = new WeakMap<Database, { cached: BoundedMap<K, T>; clearIfStale: () => void }>();
  declared.push((db) => {
    const cached = new BoundedMap<K, T>(limit);
    watchRows(db, name, sources, (key) => (key === null ? cached.clear() : cached.delete(key as K)));
    known.set(db, { cached, clearIfStale: othersWatched(db, () => cached.clear()) });
  });
  return (db) => {
    noteRead(reading);
    const { cached, clearIfStale } = known.get(db)!;
    clearIfStale();
    return { of: (keys, make) => valuesOf(db, cached, rules, keys, make) };
  };
}

/** Only values read from a snapshot are cached: in a write transaction they might be rolled back. */
function valuesOf<K, T>(
  db: Database,
  cached: BoundedMap<K, T>,
  { sizeOf, isCurrent = () => true }: Rules<T>,
  keys: readonly K[],
  make: Parameters<RowCache<K, T>["of"]>[1],
): T[] {
  const found = keys.map((key) => {
    const value = cached.get(key);
    return value !== undefined && isCurrent(value) ? value : undefined;
  });
  const missing = keys.filter((_, index) => found[index] === undefined);
  if (missing.length === 0) return found as T[];
  const made = new Map(make(missing));
  if (isSnapshot(db)) for (const [key, value] of made) cached.set(key, value, sizeOf(value));
  return keys.map((key, index) => found[index] ?? made.get(key)!);
}

/** Calls `onChange` with the key of each row that this connection writes, as it is written. */
function watchRows(db: Database, name: string, sources: Sources, onChange: (key: unknown) => void) {
  const notify = `${name}_changed`;
  db.function(notify, onChange);
  for (const [table, column] of Object.entries(sources)) {
    const key = (row: string) => `SELECT ${notify}(${column === null ? "NULL" : `${row}.${column}`});`;
    const bodies = { INSERT: key("new"), UPDATE: key("old") + key("new"), DELETE: key("old") };
    for (const [event, body] of Object.entries(bodies))
      db.exec(
        `CREATE TEMP TRIGGER ${name}_${table}_${event} AFTER ${event} ON main.${table} BEGIN ${body} END`,
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
