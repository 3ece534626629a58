import type { Database } from "../db/database.ts";
import { command, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { currentSeal, lastHash, sealLog } from "../events/chain.ts";
import { idSince } from "./store.ts";

/** How many are deleted in one transaction; each leaves a seal. */
const BATCH = 10_000;

const ofBatch = valueQuery<{ end: number; limit: number }, number>(`
  SELECT max(id) FROM (SELECT id FROM events WHERE id < :end ORDER BY id LIMIT :limit)`);

const countOld = valueQuery<{ end: number }, number>(`SELECT count(*) FROM events WHERE id < :end`);

/** How many events are older than a time (RFC 3339). */
export const countOldEvents = (db: Database, time: string): number =>
  countOld(db).get({ end: idSince(db, time) })!;

const removeEvents = command<{ id: number }>(`DELETE FROM events WHERE id <= :id`);

const removeSeals = command<{ id: number }>(`DELETE FROM event_seals WHERE content ->> 'afterId' < :id`);

/**
 * Deletes some of the events that are older than a time, the oldest first, with what refers to them, and seals the gap.
 * @returns how many; 0 if none is left
 */
export function purgeEvents(tx: Writing, time: string): number {
  const id = ofBatch(tx.db).get({ end: idSince(tx.db, time), limit: BATCH });
  if (!id) return 0;
  const hash = lastHash(tx.db, currentSeal(tx.db).purgedHash, id);
  removeSeals(tx).run({ id });
  const { changes } = removeEvents(tx).run({ id });
  sealLog(tx, "purge", { id, hash });
  return changes;
}
