import type { Writing } from "./transaction.ts";

/** Something that a transaction keeps for itself, made when it is first needed. */
export function perWriting<T>(make: (writing: Writing) => T): (writing: Writing) => T {
  const kept = new WeakMap<Writing, T>();
  return (writing) => {
    if (!kept.has(writing)) kept.set(writing, make(writing));
    return kept.get(writing) as T;
  };
}

/** The same for each input. @param make must give the same for the same input throughout a transaction */
export function perWritingOf<Input, T>(make: (writing: Writing, input: Input) => T) {
  const all = perWriting(() => new Map<string, T>());
  return (writing: Writing, input: Input): T => {
    const [made, key] = [all(writing), JSON.stringify(input)];
    if (!made.has(key)) made.set(key, make(writing, input));
    return made.get(key) as T;
  };
}
