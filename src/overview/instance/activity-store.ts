import { SHOWN } from "../../applications/require.ts";
import { type Database, query } from "../../db/statement.ts";
import { idSince } from "../../events/time.ts";
import { DAY_MS } from "../../lib/hour.ts";
import type { Statistics } from "./schema.ts";

/*
 * The statistics of how the instance is used. Nothing of a hidden project is counted.
 */

interface Hidden {
  hidden: string;
}

const applicationsSeen = query<
  Hidden & { week: string; month: string },
  { week: number; month: number; all: number }
>(`
  SELECT count(DISTINCT application) FILTER (WHERE last_seen_at >= :week) AS week,
    count(DISTINCT application) FILTER (WHERE last_seen_at >= :month) AS month,
    count(DISTINCT application) AS "all"
  FROM application_instances
  WHERE ${SHOWN("application_instances.application")}`);

// The `+` keeps the column's affinity from the comparison, so that the index serves it.
const changesInProduction = query<
  Hidden & { since30: number; since60: number; since90: number },
  Statistics["productionChanges"]
>(`
  SELECT count(*) FILTER (WHERE id >= :since30) AS last30, count(*) FILTER (WHERE id >= :since60) AS last60,
    count(*) AS last90
  FROM environments CROSS JOIN events ON wire ->> 'environment' = +environments.name AND id >= :since90
  WHERE environments.type = 'production'
    AND ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden))`);

const HIDDEN_SERIES = `
  SELECT usage_series.id FROM json_each(:hidden) AS hidden
  JOIN features ON features.project = hidden.value
  JOIN usage_series ON usage_series.feature = features.name`;

const hoursOf = (table: string) =>
  query<Hidden & { from: string; until: string }, number>(`
    SELECT count(*) FROM ${table} WHERE hour >= :from AND hour < :until AND series NOT IN (${HIDDEN_SERIES})`);

const hoursOfUse = hoursOf("hourly_usage");
const hoursOfVariants = hoursOf("hourly_variants");

const mostOfAll = query<
  Hidden,
  Pick<Statistics, "maxEnvironmentStrategies" | "maxConstraints" | "maxConstraintValues">
>(`
  SELECT ifnull(max(strategies), 0) AS maxEnvironmentStrategies, ifnull(max(constraints), 0) AS maxConstraints,
    ifnull(max("values"), 0) AS maxConstraintValues
  FROM (
    SELECT count(*) AS strategies, max(json_array_length(constraints)) AS constraints,
      max((SELECT max(json_array_length(value, '$.values')) FROM json_each(constraints))) AS "values"
    FROM features CROSS JOIN strategies ON strategies.feature = features.name
    WHERE archived_at IS NULL AND project NOT IN (SELECT value FROM json_each(:hidden))
    GROUP BY strategies.feature, strategies.environment)`);

/** How much is going on, and the most of everything. @param ids projects that must not be counted */
export function activity(db: Database, ids: readonly string[]) {
  const hidden = JSON.stringify(ids);
  const seen = applicationsSeen(db).get({ hidden, week: daysAgo(7), month: daysAgo(30) })!;
  const eventsSince = (days: number) => idSince(db, daysAgo(days));
  const periods = { since30: eventsSince(30), since60: eventsSince(60), since90: eventsSince(90) };
  const yesterday = { hidden, from: midnight(1), until: midnight(0) };
  return {
    clientApps: [
      { range: "7d" as const, count: seen.week },
      { range: "30d" as const, count: seen.month },
      { range: "allTime" as const, count: seen.all },
    ],
    productionChanges: changesInProduction(db).get({ hidden, ...periods })!,
    previousDayMetricsBucketsCount: {
      enabledCount: hoursOfUse(db).pluck().get(yesterday)!,
      variantCount: hoursOfVariants(db).pluck().get(yesterday)!,
    },
    ...mostOfAll(db).get({ hidden })!,
  };
}

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/** The start of a day in UTC. */
const midnight = (daysBefore: number) => `${daysAgo(daysBefore).slice(0, 10)}T00:00:00.000Z`;
