import { inGroup } from "../../db/group-commit.ts";
import { bookkeeping, type Database, query } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import { HOUR_MS } from "../../lib/hour.ts";
import { removeOldInstances } from "../changes.ts";

/** An instance that hasn't been seen for this long is gone (original). */
const INSTANCE_HOURS = 48;

/** The number of rows removed per transaction, so that requests and changes get a turn in between. */
const SLICE = 200;

const removeHours = bookkeeping<{ before: string; limit: number }>(`
  DELETE FROM hourly_usage WHERE (series, hour) IN (
    SELECT series, hour FROM hourly_usage WHERE hour < :before LIMIT :limit)`);

const newestSeries = query<object, number>(`SELECT ifnull(max(id), 0) FROM usage_series`);

const removeEmptySeries = bookkeeping<{ from: number; to: number }>(`
  DELETE FROM usage_series WHERE id BETWEEN :from AND :to
    AND NOT EXISTS (SELECT 1 FROM hourly_usage WHERE series = usage_series.id)`);

/** Removes usage data older than the given hours, and instances that haven't been seen for a while. */
export async function removeOldUsage(
  db: Database,
  { hours, now = Date.now(), isStopped = () => false }: RemovalOptions,
) {
  const before = (ago: number) => new Date(now - ago * HOUR_MS).toISOString();
  const removeAll = async (remove: (tx: Writing) => number) => {
    while (!isStopped() && (await inGroup(db, remove)) > 0);
  };
  await removeAll((tx) => removeHours(tx).run({ before: before(hours), limit: SLICE }).changes);
  const newest = newestSeries(db).pluck().get({})!;
  for (let from = 1; from <= newest && !isStopped(); from += SLICE)
    await inGroup(db, (tx) => void removeEmptySeries(tx).run({ from, to: from + SLICE - 1 }));
  await removeAll((tx) => removeOldInstances(tx, before(INSTANCE_HOURS), SLICE));
}

interface RemovalOptions {
  hours: number;
  /** In milliseconds. */
  now?: number;
  /** Called between transactions. */
  isStopped?: () => boolean;
}
