import { isKnown, type KnownKind } from "../db/known.ts";
import type { Database } from "../db/statement.ts";
import { LineError } from "./error.ts";

/** @throws LineError with the path, the kind and the key if the thing doesn't exist. */
export function requireKnown(db: Database, kind: KnownKind, key: string | number, path: string) {
  if (isKnown(db, kind, key)) return;
  throw new LineError(`${path}: no ${kind} ${JSON.stringify(key)} on an earlier line`);
}

/** The same for each element of a list. */
export function requireAllKnown(
  db: Database,
  kind: KnownKind,
  keys: ReadonlyArray<string | number>,
  path: string,
) {
  for (const [index, key] of keys.entries()) requireKnown(db, kind, key, `${path}.${index}`);
}
