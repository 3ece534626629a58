/*
 * Which tables an answer was made of: whoever wants to know watches while it is made. What is made in one go, without
 * waiting for anything, is watched; nothing else runs meanwhile.
 */

/** A query that was asked. */
export interface Reading {
  readonly tables: readonly string[];
}

let watched: Set<Reading> | undefined;

/** Told at each query; costs nothing where nobody watches. */
export function noteRead(reading: Reading) {
  watched?.add(reading);
}

/** Runs the body and tells which tables it read until it returned. */
export function watchReads<T>(body: () => T): { result: T; readings: ReadonlySet<Reading> } {
  const outer = watched;
  const readings = new Set<Reading>();
  watched = readings;
  try {
    return { result: body(), readings };
  } finally {
    watched = outer;
  }
}
