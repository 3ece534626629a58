import { isSnapshot } from "./snapshot.ts";
import type { Database } from "./statement.ts";
import { noteRead } from "./watch.ts";

/*
 * What is costly to make of a few rows is kept until one of them changes. Temporary triggers tell which rows this
 * connection changes; another process may have changed any.
 */

/** The column of each table that holds the key of what its rows are part of; null if each is part of everything. */
type Sources = Readonly<Record<string, string | null>>;

export interface Kept<T> {
  get(key: string): T | undefined;
  /** Only in a snapshot, as what a change has written may be rolled back. @param size in bytes */
  keep(key: string, value: T, size: number): void;
}

const declared: Array<(db: Database) => void> = [];

/** Makes the triggers, which statements that are already prepared would have to be prepared again for. */
export const watchAllRows = (db: Database) => {
  for (const watch of declared) watch(db);
};

/**
 * Declares what is kept by key: `kept(db)`. Asking for it counts as reading its tables.
 * @param name its own
 * @param limit of the sizes of all; the oldest are dropped first
 */
export function keptByRow<T>(name: string, limit: number, sources: Sources): (db: Database) => Kept<T> {
  const reading = { tables: Object.keys(sources) };
  const known = new WeakMap<Database, () => Kept<T>>();
  declared.push((db) => {
    const { forget, ...kept } = createKept<T>(db, limit);
    watchRows(db, name, sources, forget);
    const forgetIfStale = othersWatched(db, () => forget(null));
    known.set(db, () => {
      forgetIfStale();
      return kept;
    });
  });
  return (db) => {
    noteRead(reading);
    return known.get(db)!();
  };
}

type Forget = (key: string | null) => void;

function createKept<T>(db: Database, limit: number): Kept<T> & { forget: Forget } {
  const all = new Map<string, { value: T; size: number }>();
  let total = 0;
  const drop = (key: string) => {
    total -= all.get(key)?.size ?? 0;
    all.delete(key);
  };
  return {
    get: (key) => all.get(key)?.value,
    keep(key, value, size) {
      if (!isSnapshot(db)) return;
      drop(key);
      all.set(key, { value, size });
      total += size;
      for (const oldest of all.keys()) {
        if (total <= limit) break;
        drop(oldest);
      }
    },
    forget(key) {
      if (key !== null) return drop(key);
      all.clear();
      total = 0;
    },
  };
}

/** Reports the key of every row that this connection writes, at once. */
function watchRows(db: Database, name: string, sources: Sources, changed: Forget) {
  const tell = `${name}_changed`;
  db.function(tell, (key) => changed(key as string | null));
  for (const [table, column] of Object.entries(sources)) {
    const key = (row: string) => `SELECT ${tell}(${column === null ? "NULL" : `${row}.${column}`});`;
    const bodies = { INSERT: key("new"), UPDATE: key("old") + key("new"), DELETE: key("old") };
    for (const [event, body] of Object.entries(bodies))
      db.exec(
        `CREATE TEMP TRIGGER ${name}_${table}_${event} AFTER ${event} ON main.${table} BEGIN ${body} END`,
      );
  }
}

/** @returns a function that calls `changed` if another process has committed since */
function othersWatched(db: Database, changed: () => void) {
  const version = db.prepare<[], number>("PRAGMA data_version").pluck();
  let seen = version.get();
  return () => {
    const now = version.get();
    if (now !== seen) changed();
    seen = now;
  };
}
