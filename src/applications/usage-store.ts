import * as v from "valibot";
import { kind, Name } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { inGroup } from "../db/group-commit.ts";
import { bookkeeping, query, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { markFeatureSeen } from "../flags/feature-environments-store.ts";
import { enterUsageStages } from "../flags/lifecycle.ts";
import { RawJson, type Wire } from "../lib/raw-json.ts";
import { HOUR_MS, startOfHour, timestamp } from "../lib/time.ts";
import { dictionary, Time } from "../lib/validation.ts";
import { writeApplication } from "./applications-store.ts";
import { removeOldInstances, writeInstance } from "./instances.ts";
import { keep, type Report, take, type Use } from "./reports.ts";
import type { HourOfUse, Usage } from "./usage-schema.ts";

/** The starts of the last hours, beginning with the current one. */
const lastHours = (count: number, now = Date.now()) =>
  Array.from({ length: count }, (_, index) => startOfHour(now - index * HOUR_MS));

const usageSince = query<{ feature: string; since: string }, Usage["lastHourUsage"][number]>(`
  SELECT environment, min(hour) AS timestamp, sum(yes) AS yes, sum(no) AS no
  FROM usage_series JOIN hourly_usage ON series = usage_series.id AND hour >= :since
  WHERE feature = :feature GROUP BY environment ORDER BY environment`);

const applicationsSince = valueQuery<{ feature: string; since: string }, string>(`
  SELECT DISTINCT application FROM usage_series
  WHERE feature = :feature
    AND EXISTS (SELECT 1 FROM hourly_usage WHERE series = usage_series.id AND hour >= :since)
  ORDER BY application`);

const hoursSince = query<
  { feature: string; since: string },
  Omit<HourOfUse, "variants"> & { variants: string }
>(`
  SELECT feature AS featureName, application AS appName, environment, hour AS timestamp, yes, no,
    (SELECT json_group_object(variant, count) FROM hourly_variants
      WHERE hourly_variants.series = usage_series.id AND hourly_variants.hour = hourly_usage.hour) AS variants
  FROM usage_series JOIN hourly_usage ON hourly_usage.series = usage_series.id AND hourly_usage.hour >= :since
  WHERE feature = :feature ORDER BY environment, application, hourly_usage.hour`);

/** How often a flag was on and off in the current hour, and the applications that used it within a day. */
export function usageOf(db: Database, feature: string): Omit<Usage, "version" | "maturity"> {
  const [thisHour = ""] = lastHours(1);
  return {
    featureName: feature,
    lastHourUsage: usageSince(db).all({ feature, since: thisHour }),
    seenApplications: applicationsSince(db).all({ feature, since: lastHours(24).at(-1)! }),
  };
}

/** The maximum number of applications in a response. */
const MAX_APPLICATIONS = 100;

/**
 * How often a flag was on and off, hour by hour, oldest first: a row per hour, environment and application, for
 * applications with any usage at all.
 */
export function hoursOfUse(db: Database, feature: string, count: number): Wire<HourOfUse>[] {
  const hours = lastHours(count).toReversed();
  const rows = hoursSince(db).all({ feature, since: hours[0]! });
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const environments = [...new Set(rows.map(({ environment }) => environment))];
  const applications = [...new Set(rows.map(({ appName }) => appName))].slice(0, MAX_APPLICATIONS);
  return hours.flatMap((timestamp) =>
    environments.flatMap((environment) =>
      applications.map((appName) => {
        const place = { featureName: feature, appName, environment, timestamp };
        const row = byKey.get(keyOf(place));
        return row ? { ...row, variants: new RawJson(row.variants) } : { ...place, yes: 0, no: 0 };
      }),
    ),
  );
}

const keyOf = ({ environment, appName, timestamp }: Omit<HourOfUse, "yes" | "no" | "variants">) =>
  JSON.stringify([environment, appName, timestamp]);

interface Series {
  feature: string;
  environment: string;
  application: string;
}

const insertSeries = bookkeeping<Series>(`
  INSERT INTO usage_series (feature, environment, application) VALUES (:feature, :environment, :application)`);

const OF_SERIES = `FROM usage_series
  WHERE feature = :feature AND environment = :environment AND application = :application`;

const MAX_COUNT = Number.MAX_SAFE_INTEGER;

const addHour = bookkeeping<Series & { hour: string; yes: number; no: number }>(`
  INSERT INTO hourly_usage (series, hour, yes, no) SELECT id, :hour, :yes, :no ${OF_SERIES}
  ON CONFLICT DO UPDATE SET yes = min(yes + excluded.yes, ${MAX_COUNT}), no = min(no + excluded.no, ${MAX_COUNT})`);

const addVariant = bookkeeping<Series & { hour: string; variant: string; count: number }>(`
  INSERT INTO hourly_variants (series, hour, variant, count) SELECT id, :hour, :variant, :count ${OF_SERIES}
  ON CONFLICT DO UPDATE SET count = min(count + excluded.count, ${MAX_COUNT})`);

function addUse(tx: Writing, { kind: _, ...use }: Use) {
  const { feature, environment, application } = use;
  if (addToHour(tx, use) === 0) {
    insertSeries(tx).run({ feature, environment, application });
    addToHour(tx, use);
  }
}

/** The same for an existing series. @returns how many hours changed; 0 if the series doesn't exist */
function addToHour(tx: Writing, { variants, yes, no, ...place }: Omit<Use, "kind">): number {
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

/** An instance that hasn't been seen for this long is gone (original). */
const INSTANCE_HOURS = 48;

/** The number of rows removed per transaction, so that requests and changes get a turn in between. */
const SLICE = 200;

const removeHours = bookkeeping<{ before: string; limit: number }>(`
  DELETE FROM hourly_usage WHERE (series, hour) IN (
    SELECT series, hour FROM hourly_usage WHERE hour < :before LIMIT :limit)`);

const newestSeries = valueQuery<object, number>(`SELECT ifnull(max(id), 0) FROM usage_series`);

const removeEmptySeries = bookkeeping<{ from: number; to: number }>(`
  DELETE FROM usage_series WHERE id BETWEEN :from AND :to
    AND NOT EXISTS (SELECT 1 FROM hourly_usage WHERE series = usage_series.id)`);

interface RemovalOptions {
  hours: number;
  /** In milliseconds. */
  now?: number;
  /** Called between transactions. */
  isStopped?: () => boolean;
}

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
  const newest = newestSeries(db).get({})!;
  for (let from = 1; from <= newest && !isStopped(); from += SLICE)
    await inGroup(db, (tx) => void removeEmptySeries(tx).run({ from, to: from + SLICE - 1 }));
  await removeAll((tx) => removeOldInstances(tx, before(INSTANCE_HOURS), SLICE));
}

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const Hour = v.pipe(
  Time,
  v.check((time) => time.endsWith(":00:00.000Z"), "must be the beginning of an hour"),
);

const all = query<object, object>(`
  SELECT feature, environment, application,
    (SELECT json_group_array(json_object('hour', hour, 'yes', yes, 'no', no, 'variants', json(
        (SELECT json_group_object(variant, count ORDER BY variant) FROM hourly_variants
          WHERE hourly_variants.series = hourly_usage.series AND hourly_variants.hour = hourly_usage.hour)))
        ORDER BY hour)
      FROM hourly_usage WHERE series = usage_series.id) AS hours
  FROM usage_series ORDER BY feature, environment, application`);

/** Its line in a dataset: all hours of a series. */
export const usage = kind({
  name: "usage",
  tables: ["usage_series"],
  schema: v.strictObject({
    feature: Name,
    environment: Name,
    application: Name,
    hours: v.array(
      v.strictObject({
        hour: Hour,
        yes: v.nullish(Count, 0),
        no: v.nullish(Count, 0),
        variants: v.nullish(dictionary(Count), {}),
      }),
    ),
  }),
  insert({ tx }, { hours, ...series }) {
    insertSeries(tx).run(series);
    for (const { variants, ...hour } of hours)
      addToHour(tx, { ...series, ...hour, variants: new Map(Object.entries(variants)) });
  },
  rows: (db) => all(db).iterate({}),
});
