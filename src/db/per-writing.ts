import type { Writing } from "./transaction.ts";

/** A value kept for the duration of a transaction, created when it is first needed. */
export function perWriting<T>(create: (writing: Writing) => T): (writing: Writing) => T {
  return (writing) => {
    if (!writing.values.has(create)) writing.values.set(create, create(writing));
    return writing.values.get(create) as T;
  };
}

/** One such value per input. @param create must return the same value for an input throughout a transaction */
export function perWritingOf<Input, T>(create: (writing: Writing, input: Input) => T) {
  const valuesOf = perWriting(() => new Map<string, T>());
  return (writing: Writing, input: Input): T => {
    const [values, key] = [valuesOf(writing), JSON.stringify(input)];
    if (!values.has(key)) values.set(key, create(writing, input));
    return values.get(key) as T;
  };
}
