import type { Database } from "./database.ts";
import { query } from "./statement.ts";

type Key = { key: string | number };

const KNOWN = {
  contextField: query<Key>(`SELECT 1 FROM context_fields WHERE name = :key`),
  environment: query<Key>(`SELECT 1 FROM environments WHERE name = :key`),
  event: query<Key>(`SELECT 1 FROM events WHERE id = :key`),
  feature: query<Key>(`SELECT 1 FROM features WHERE name = :key`),
  featureType: query<Key>(`SELECT 1 FROM feature_types WHERE id = :key`),
  group: query<Key>(`SELECT 1 FROM groups WHERE id = :key`),
  integration: query<Key>(`SELECT 1 FROM integrations WHERE id = :key`),
  project: query<Key>(`SELECT 1 FROM projects WHERE id = :key`),
  deletedPrivateProject: query<Key>(`SELECT 1 FROM deleted_private_projects WHERE id = :key`),
  role: query<Key>(`SELECT 1 FROM roles WHERE id = :key`),
  segment: query<Key>(`SELECT 1 FROM segments WHERE id = :key`),
  strategyType: query<Key>(`SELECT 1 FROM strategy_types WHERE name = :key`),
  tagType: query<Key>(`SELECT 1 FROM tag_types WHERE name = :key`),
  user: query<Key>(`SELECT 1 FROM users WHERE id = :key`),
};

/** The kinds that can be looked up by key. */
export type KnownKind = keyof typeof KNOWN;

/** Whether one with this key exists, archived or not. */
export const isKnown = (db: Database, kind: KnownKind, key: string | number) =>
  KNOWN[kind](db).get({ key }) !== undefined;
