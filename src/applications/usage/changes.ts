import { inGroup } from "../../db/group-commit.ts";
import { bookkeeping, type Database } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import { markFeatureSeen } from "../../flags/feature-environments-store.ts";
import { enterUsageStages } from "../../flags/lifecycle/changes.ts";
import { timestamp } from "../../lib/timestamp.ts";
import { writeApplication, writeInstance } from "../changes.ts";
import { keep, type Report, take, type Use } from "./gathered.ts";

/** Usage of a flag by an application in an environment. */
export interface Series {
  feature: string;
  environment: string;
  application: string;
}

export const insertSeries = bookkeeping<Series>(`
  INSERT INTO usage_series (feature, environment, application) VALUES (:feature, :environment, :application)`);

const OF_SERIES = `FROM usage_series
  WHERE feature = :feature AND environment = :environment AND application = :application`;

/** The largest exact integer. */
const MAX_COUNT = Number.MAX_SAFE_INTEGER;

const addHour = bookkeeping<Series & { hour: string; yes: number; no: number }>(`
  INSERT INTO hourly_usage (series, hour, yes, no) SELECT id, :hour, :yes, :no ${OF_SERIES}
  ON CONFLICT DO UPDATE SET yes = min(yes + excluded.yes, ${MAX_COUNT}), no = min(no + excluded.no, ${MAX_COUNT})`);

const addVariant = bookkeeping<Series & { hour: string; variant: string; count: number }>(`
  INSERT INTO hourly_variants (series, hour, variant, count) SELECT id, :hour, :variant, :count ${OF_SERIES}
  ON CONFLICT DO UPDATE SET count = min(count + excluded.count, ${MAX_COUNT})`);

/** Adds to an application's counts for an hour. */
export function addUse(tx: Writing, { kind: _, ...use }: Use) {
  const { feature, environment, application } = use;
  if (addToHour(tx, use) === 0) {
    insertSeries(tx).run({ feature, environment, application });
    addToHour(tx, use);
  }
}

/** The same for an existing series. @returns how many hours changed; 0 if the series doesn't exist */
export function addToHour(tx: Writing, { variants, yes, no, ...place }: Omit<Use, "kind">): number {
  const { changes } = addHour(tx).run({ ...place, yes, no });
  if (changes > 0) for (const [variant, count] of variants) addVariant(tx).run({ ...place, variant, count });
  return changes;
}

/** How long a transaction may write, in milliseconds, so that requests and changes get a turn in between. */
const SLICE_MS = 2;

/**
 * Writes the gathered reports, slice by slice.
 * @throws SQLite's error if the file can't be written to now; the rest is kept for the next attempt
 */
export async function writeUsage(db: Database, now = timestamp()) {
  const reports = take(db);
  let written = 0;
  try {
    while (written < reports.length)
      written = await inGroup(db, (tx) => writeSome(tx, reports, written, now));
  } catch (error) {
    keep(db, reports.slice(written));
    throw error;
  }
}

/** @returns how many have been written so far */
function writeSome(tx: Writing, reports: readonly Report[], from: number, now: string): number {
  const end = performance.now() + SLICE_MS;
  let next = from;
  do writeOne(tx, reports[next++]!, now);
  while (next < reports.length && performance.now() < end);
  return next;
}

function writeOne(tx: Writing, report: Report, now: string) {
  if (report.kind === "application") return writeApplication(tx, report);
  if (report.kind === "instance") return writeInstance(tx, report);
  addUse(tx, report);
  const { feature, environment } = report;
  markFeatureSeen(tx, { feature, environment }, now);
  enterUsageStages(tx, feature, environment, now);
}
