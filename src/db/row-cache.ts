import { BoundedMap } from "../lib/bounded-map.ts";
import { followRows, type Sources } from "./row-changes.ts";
import { isSnapshot } from "./snapshot.ts";
import type { Database } from "./statement.ts";

/*
 * A cache for values that are expensive to derive from a few rows, such as a flag's JSON in a list. An entry is valid
 * until one of its rows changes.
 */

export interface RowCache<K, T> {
  /**
   * The values of these keys, in the same order.
   * @param make derives the values of keys that are not cached; called only if there are any
   */
  of(keys: readonly K[], make: (missing: K[]) => Iterable<readonly [K, T]>): T[];
}

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
  const cachedOf = followRows(name, rules.sources, () => {
    const state = new BoundedMap<K, T>(rules.limit);
    return { state, onChange: (key: K | null) => (key === null ? state.clear() : state.delete(key)) };
  });
  return (db) => {
    const cached = cachedOf(db);
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
