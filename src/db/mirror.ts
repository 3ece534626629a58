import { followRows, type Sources } from "./row-changes.ts";
import { isSnapshot } from "./snapshot.ts";
import type { Database } from "./statement.ts";

/*
 * What searches look at of every row of a table, in memory, since reading thousands of rows from SQLite takes
 * milliseconds. The first use reads all rows, later ones only those that have changed since.
 */

export interface Mirror<T> {
  /** Reads as many of the changed rows as take a few milliseconds. @returns false while there are more */
  catchUp(): boolean;
  /** In order; as of the last time it caught up. */
  all(): readonly T[];
  /** The rows with these keys, as far as they exist; in no particular order. */
  of(keys: readonly string[]): T[];
}

interface Rules<T> {
  /** Their columns name the keys of the rows. */
  sources: Sources;
  /** The keys of all rows, best in order, as sorting is then quick; they may be repeated. */
  keys: (db: Database) => Iterable<string>;
  /** Compares two rows. */
  order: (a: T, b: T) => number;
  /** The rows with these keys, as far as they exist. */
  read: (db: Database, keys: readonly string[]) => Iterable<readonly [key: string, row: T]>;
}

/** How many rows are read at once. */
const SLICE = 500;

/** Without any use, keys of changed rows are collected up to this number, and that of all rows. */
const MAX_CHANGED = 10_000;

/**
 * Declares a mirror per database: `mirrored(db).all()`. Using it counts as reading its tables.
 * @param name unique, a prefix for the triggers
 */
export function mirror<T>(name: string, rules: Rules<T>): (db: Database) => Mirror<T> {
  const stateOf = followRows(name, rules.sources, () => {
    const state = new State<T>(rules.order);
    return { state, onChange: (key: string | null) => state.change(key) };
  });
  return (db) => {
    const state = stateOf(db);
    return {
      catchUp: () => catchUp(db, state, rules),
      all: () => state.all(),
      of: (keys) => state.of(keys),
    };
  };
}

function catchUp<T>(db: Database, state: State<T>, { keys, read }: Rules<T>): boolean {
  if (db.inTransaction && !isSnapshot(db)) throw new Error("A mirror would keep what may be rolled back");
  if (!state.isComplete) state.expect(keys(db));
  const some = state.someChanged(SLICE);
  if (some.length > 0) state.replace(some, new Map(read(db, some)));
  return some.length < SLICE;
}

class State<T> {
  readonly #order: Rules<T>["order"];
  #rows = new Map<string, T>();
  #isInOrder = true;
  #changed = new Set<string>();
  #maxChanged = 0;
  #all: readonly T[] | undefined;
  /** Whether every row is among the rows or the changed ones. */
  isComplete = false;

  constructor(order: Rules<T>["order"]) {
    this.#order = order;
  }

  change(key: string | null) {
    if (!this.isComplete) return;
    if (key !== null && this.#changed.add(key).size <= this.#maxChanged) return;
    this.isComplete = false;
    this.#rows.clear();
    this.#changed.clear();
  }

  expect(keys: Iterable<string>) {
    this.#changed = new Set(keys);
    this.#maxChanged = this.#changed.size + MAX_CHANGED;
    this.#all = undefined;
    this.isComplete = true;
  }

  someChanged(count: number): string[] {
    return this.#changed.values().take(count).toArray();
  }

  replace(keys: readonly string[], found: ReadonlyMap<string, T>) {
    this.#all = undefined;
    for (const key of keys) {
      this.#changed.delete(key);
      const [old, row] = [this.#rows.get(key), found.get(key)];
      if (row === undefined) this.#rows.delete(key);
      else this.#rows.set(key, row); // if it was there, it keeps its place
      if (row !== undefined && (old === undefined || this.#order(old, row) !== 0)) this.#isInOrder = false;
    }
  }

  of(keys: readonly string[]): T[] {
    return keys.map((key) => this.#rows.get(key)).filter((row) => row !== undefined);
  }

  all(): readonly T[] {
    if (!this.#isInOrder) this.#rows = new Map([...this.#rows].sort(([, a], [, b]) => this.#order(a, b)));
    this.#isInOrder = true;
    this.#all ??= [...this.#rows.values()];
    return this.#all;
  }
}
