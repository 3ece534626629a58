import type { Writing } from "./transaction.ts";

/** Something that a transaction keeps for itself, made when it is first asked for. */
export function perWriting<T>(make: (writing: Writing) => T): (writing: Writing) => T {
  const kept = new WeakMap<Writing, T>();
  return (writing) => {
    if (!kept.has(writing)) kept.set(writing, make(writing));
    return kept.get(writing) as T;
  };
}
