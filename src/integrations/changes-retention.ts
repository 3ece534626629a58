import { command, type Database, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { DAY_MS } from "../lib/hour.ts";
import { integrations } from "./store.ts";

/** Which records of each integration to keep: those of the last days, or a number of the newest. */
export type Retention = { days: number } | { count: number };

const firstNewer = query<{ id: number; before: string }, number>(`
  SELECT id FROM integration_events WHERE integration_id = :id AND created_at >= :before ORDER BY id LIMIT 1`);

const nthNewest = query<{ id: number; count: number }, number>(`
  SELECT id FROM integration_events WHERE integration_id = :id ORDER BY id DESC LIMIT 1 OFFSET :count - 1`);

const newest = query<{ id: number }, number>(`
  SELECT max(id) + 1 FROM integration_events WHERE integration_id = :id`);

const countBefore = query<{ id: number; first: number }, number>(`
  SELECT count(*) FROM integration_events WHERE integration_id = :id AND id < :first`);

const removeBefore = command<{ id: number; first: number; limit: number }>(`
  DELETE FROM integration_events WHERE id IN (
    SELECT id FROM integration_events WHERE integration_id = :id AND id < :first ORDER BY id LIMIT :limit)`);

/** The number of records removed per transaction: each may be a megabyte. */
const SLICE = 200;

/** The number of delivery records past their retention. */
export const countOldRecords = (db: Database, retention: Retention, now: number): number =>
  firstRetained(db, retention, now).reduce((sum, one) => sum + countBefore(db).pluck().get(one)!, 0);

/** Removes some of them; no event is recorded. @returns how many, 0 once all are removed */
export function removeOldRecords(tx: Writing, retention: Retention, now: number): number {
  let left = SLICE;
  for (const one of firstRetained(tx.db, retention, now)) {
    if (left === 0) break;
    left -= removeBefore(tx).run({ ...one, limit: left }).changes;
  }
  return SLICE - left;
}

/** The first record to keep of each integration. */
const firstRetained = (db: Database, retention: Retention, now: number) =>
  integrations(db).map(({ id }) => ({ id, first: firstRetainedId(db, id, retention, now) }));

function firstRetainedId(db: Database, id: number, retention: Retention, now: number): number {
  if ("count" in retention) return nthNewest(db).pluck().get({ id, count: retention.count }) ?? 0;
  const before = new Date(now - retention.days * DAY_MS).toISOString();
  return firstNewer(db).pluck().get({ id, before }) ?? newest(db).pluck().get({ id }) ?? 0;
}
