import { type Database, query } from "../db/statement.ts";
import { LineError } from "./error.ts";

type Key = { key: string | number };

const KNOWN = {
  environment: query<Key>(`SELECT 1 FROM environments WHERE name = :key`),
  event: query<Key>(`SELECT 1 FROM events WHERE id = :key`),
  feature: query<Key>(`SELECT 1 FROM features WHERE name = :key`),
  featureType: query<Key>(`SELECT 1 FROM feature_types WHERE id = :key`),
  group: query<Key>(`SELECT 1 FROM groups WHERE id = :key`),
  integration: query<Key>(`SELECT 1 FROM integrations WHERE id = :key`),
  project: query<Key>(`SELECT 1 FROM projects WHERE id = :key`),
  role: query<Key>(`SELECT 1 FROM roles WHERE id = :key`),
  segment: query<Key>(`SELECT 1 FROM segments WHERE id = :key`),
  strategyType: query<Key>(`SELECT 1 FROM strategy_types WHERE name = :key`),
  tagType: query<Key>(`SELECT 1 FROM tag_types WHERE name = :key`),
  user: query<Key>(`SELECT 1 FROM users WHERE id = :key`),
};

export const isKnown = (db: Database, kind: keyof typeof KNOWN, key: string | number) =>
  KNOWN[kind](db).get({ key }) !== undefined;

/** @throws LineError naming the path, the kind and the key, unless the thing exists. */
export function requireKnown(db: Database, kind: keyof typeof KNOWN, key: string | number, path: string) {
  if (isKnown(db, kind, key)) return;
  throw new LineError(`${path}: no ${kind} ${JSON.stringify(key)} stands above`);
}

/** The same for every element of a list. */
export function requireAllKnown(
  db: Database,
  kind: keyof typeof KNOWN,
  keys: ReadonlyArray<string | number>,
  path: string,
) {
  for (const [index, key] of keys.entries()) requireKnown(db, kind, key, `${path}.${index}`);
}
