import { AsyncLocalStorage } from "node:async_hooks";

/*
 * Which tables an answer was made of: whoever wants to know watches while it is made, also where that takes several
 * turns of the event loop.
 */

/** A query that was asked. */
export interface Reading {
  readonly tables: readonly string[];
}

const watched = new AsyncLocalStorage<Set<Reading>>();

/** Told at each query; costs next to nothing where nobody watches. */
export function noteRead(reading: Reading) {
  watched.getStore()?.add(reading);
}

/** Runs the body and tells which tables it reads; of a promise, until it is settled. */
export function watchReads<T>(body: () => T): { result: T; readings: ReadonlySet<Reading> } {
  const readings = new Set<Reading>();
  return { result: watched.run(readings, body), readings };
}
