import { AsyncLocalStorage } from "node:async_hooks";

/*
 * Records which tables a response was read from while it is being produced, even over several turns of the event loop.
 */

/** A query that was run. */
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
