import { type Database, query } from "../../db/statement.ts";
import { HOUR_MS, startOfHour } from "../../lib/hour.ts";
import { RawJson, type Wire } from "../../lib/raw-json.ts";
import type { HourOfUse, Usage } from "./schema.ts";

/** The starts of the last hours, beginning with the current one. */
const lastHours = (count: number, now = Date.now()) =>
  Array.from({ length: count }, (_, index) => startOfHour(now - index * HOUR_MS));

const usageSince = query<{ feature: string; since: string }, Usage["lastHourUsage"][number]>(`
  SELECT environment, min(hour) AS timestamp, sum(yes) AS yes, sum(no) AS no
  FROM usage_series JOIN hourly_usage ON series = usage_series.id AND hour >= :since
  WHERE feature = :feature GROUP BY environment ORDER BY environment`);

const applicationsSince = query<{ feature: string; since: string }, string>(`
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
    seenApplications: applicationsSince(db)
      .pluck()
      .all({ feature, since: lastHours(24).at(-1)! }),
  };
}

const elsewhere = query<{ names: string; projects: string }, string>(`
  SELECT name FROM json_each(:names) AS named CROSS JOIN features ON name = named.value
  WHERE project NOT IN (SELECT value FROM json_each(:projects))`);

/** Those of the named flags that exist in other projects than these. */
export const flagsElsewhere = (db: Database, names: readonly string[], projects: readonly string[]) =>
  new Set(
    elsewhere(db)
      .pluck()
      .all({ names: JSON.stringify(names), projects: JSON.stringify(projects) }),
  );

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
