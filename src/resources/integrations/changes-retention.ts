import { command, type Database, query } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import { integrations } from "./store.ts";

/** What is kept of each integration's records: those of so many days, or so many of the newest. */
export type Kept = { days: number } | { count: number };

const firstNewer = query<{ id: number; before: string }, number>(`
  SELECT id FROM integration_events WHERE integration_id = :id AND created_at >= :before ORDER BY id LIMIT 1`);

const firstKept = query<{ id: number; count: number }, number>(`
  SELECT id FROM integration_events WHERE integration_id = :id ORDER BY id DESC LIMIT 1 OFFSET :count - 1`);

const newest = query<{ id: number }, number>(`
  SELECT max(id) + 1 FROM integration_events WHERE integration_id = :id`);

const countBefore = query<{ id: number; first: number }, number>(`
  SELECT count(*) FROM integration_events WHERE integration_id = :id AND id < :first`);

const removeBefore = command<{ id: number; first: number; limit: number }>(`
  DELETE FROM integration_events WHERE id IN (
    SELECT id FROM integration_events WHERE integration_id = :id AND id < :first ORDER BY id LIMIT :limit)`);

/** How many records are removed at a time: each may be a megabyte. */
const SLICE = 200;

const DAY_MS = 86_400_000;

/** How many records of deliveries are older than what is kept. */
export const countOldRecords = (db: Database, kept: Kept, now: number): number =>
  beginnings(db, kept, now).reduce((sum, one) => sum + countBefore(db).pluck().get(one)!, 0);

/** Removes some of them; no event tells of it. @returns how many, 0 when all are gone */
export function removeOldRecords(tx: Writing, kept: Kept, now: number): number {
  let left = SLICE;
  for (const one of beginnings(tx.db, kept, now)) {
    if (left === 0) break;
    left -= removeBefore(tx).run({ ...one, limit: left }).changes;
  }
  return SLICE - left;
}

/** Of each integration the first record that is kept. */
const beginnings = (db: Database, kept: Kept, now: number) =>
  integrations(db).map(({ id }) => ({ id, first: firstOf(db, id, kept, now) }));

function firstOf(db: Database, id: number, kept: Kept, now: number): number {
  if ("count" in kept) return firstKept(db).pluck().get({ id, count: kept.count }) ?? 0;
  const before = new Date(now - kept.days * DAY_MS).toISOString();
  return firstNewer(db).pluck().get({ id, before }) ?? newest(db).pluck().get({ id }) ?? 0;
}
