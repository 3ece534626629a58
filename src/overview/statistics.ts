import { createHash } from "node:crypto";
import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { SHOWN } from "../applications/applications-store.ts";
import type { Database } from "../db/database.ts";
import { query, valueQuery } from "../db/statement.ts";
import { toCsv } from "../http/csv.ts";
import { Csv, GET, WithHeaders } from "../http/operation.ts";
import { DAY_MS, startOfMinute } from "../lib/time.ts";
import { Count, Timestamp } from "../lib/validation.ts";
import { ORIGINAL } from "../lib/version.ts";
import { idSince } from "../log/store.ts";
import { instanceId } from "../settings/settings.ts";
import { currentProvider } from "../sign-in/oidc-provider.ts";

/** The number of users, flags and so on in this instance. */
export const Statistics = v.strictObject({
  timestamp: Timestamp,
  instanceId: v.string(),
  users: Count,
  serviceAccounts: Count,
  apiTokens: v.record(v.string(), Count),
  activeUsers: v.strictObject({ last7: Count, last30: Count, last60: Count, last90: Count }),
  featureToggles: Count,
  archivedFeatureToggles: Count,
  projects: Count,
  contextFields: Count,
  roles: Count,
  customRootRoles: Count,
  customRootRolesInUse: Count,
  groups: Count,
  environments: Count,
  segments: Count,
  strategies: Count,
  featureExports: Count,
  featureImports: Count,
  /** Applications seen within these times. */
  clientApps: v.array(v.strictObject({ range: v.picklist(["7d", "30d", "allTime"]), count: Count })),
  /** Events in production environments, within days. */
  productionChanges: v.strictObject({ last30: Count, last60: Count, last90: Count }),
  /** Hours of use that applications reported for yesterday, and those of variants. */
  previousDayMetricsBucketsCount: v.strictObject({ enabledCount: Count, variantCount: Count }),
  /** The most strategies that a flag has in an environment, and so on. */
  maxEnvironmentStrategies: Count,
  maxConstraints: Count,
  maxConstraintValues: Count,
  /** A checksum of the figures. */
  sum: v.string(),
});
type Statistics = v.InferOutput<typeof Statistics>;

/** The same, plus the versions that the original's clients expect. */
export const InstanceStatistics = v.strictObject({
  ...Statistics.entries,
  versionOSS: v.string(),
  versionEnterprise: v.literal(""),
  SAMLenabled: v.literal(false),
  OIDCenabled: v.boolean(),
});
type InstanceStatistics = v.InferOutput<typeof InstanceStatistics>;

export const readStatistics = GET({
  id: "getInstanceAdminStats",
  summary: "Instance statistics",
  tag: "Instance",
  path: "/api/admin/instance-admin/statistics",
  permission: null,
  response: InstanceStatistics,
  includesUsage: true,
}).run(wholeStatistics);

export const readStatisticsAsCsv = GET({
  id: "getInstanceAdminStatsCsv",
  summary: "Instance statistics as CSV, in one row",
  tag: "Instance",
  path: "/api/admin/instance-admin/statistics/csv",
  permission: null,
  response: Csv,
  includesUsage: true,
}).run((request) => {
  const stats = wholeStatistics(request);
  const name = `flagstone-${stats.instanceId}.csv`;
  return new WithHeaders(toCsv([stats]), { "content-disposition": `attachment; filename="${name}"` });
});

function wholeStatistics({ db, actor }: { db: Database; actor: Actor }): InstanceStatistics {
  return {
    ...statistics(db, JSON.stringify(hiddenProjects(db, actor))),
    versionOSS: ORIGINAL,
    versionEnterprise: "",
    SAMLenabled: false,
    OIDCenabled: currentProvider(db) !== undefined,
  };
}

/** The projects of which nothing may be counted, as JSON. */
interface Hidden {
  hidden: string;
}

function statistics(db: Database, hidden: string): Statistics {
  const periods = { since7: daysAgo(7), since30: daysAgo(30), since60: daysAgo(60), since90: daysAgo(90) };
  const tokens = tokensByType(db).all({ hidden });
  const figures = {
    timestamp: daysAgo(0),
    instanceId: instanceId(db),
    ...totals(db).get({ hidden })!,
    apiTokens: Object.fromEntries(tokens.map(({ type, count }) => [type, count])),
    activeUsers: activeUsers(db).get(periods)!,
    ...activity(db, hidden, periods),
    ...mostOfAll(db).get({ hidden })!,
  };
  return { ...figures, sum: checksum(figures) };
}

function activity(db: Database, hidden: string, { since7, since30, since60, since90 }: Periods) {
  const seen = applicationsSeen(db).get({ hidden, since7, since30 })!;
  const [id30, id60, id90] = [idSince(db, since30), idSince(db, since60), idSince(db, since90)];
  const yesterday = { hidden, from: midnight(1), until: midnight(0) };
  return {
    clientApps: [
      { range: "7d" as const, count: seen.last7 },
      { range: "30d" as const, count: seen.last30 },
      { range: "allTime" as const, count: seen.ever },
    ],
    productionChanges: changesInProduction(db).get({ hidden, id30, id60, id90 })!,
    previousDayMetricsBucketsCount: {
      enabledCount: hoursOfUse(db).get(yesterday)!,
      variantCount: hoursOfVariants(db).get(yesterday)!,
    },
  };
}

const daysAgo = (days: number) => new Date(startOfMinute() - days * DAY_MS).toISOString();

/** The start of a day in UTC. */
const midnight = (daysBefore: number) => `${daysAgo(daysBefore).slice(0, 10)}T00:00:00.000Z`;

/** The original's checksum of these figures. */
function checksum(figures: Omit<Statistics, "sum">) {
  const { instanceId, users, featureToggles, projects, roles, groups, environments, segments } = figures;
  const summed = [instanceId, users, featureToggles, projects, roles, groups, environments, segments];
  return createHash("sha256").update(summed.join("")).digest("hex");
}

const isVisible = (project: string) => `ifnull(${project}, '') NOT IN (SELECT value FROM json_each(:hidden))`;

/** SQL for each count, under the original's names. */
const TOTALS = {
  users: "count(*) FROM users WHERE account_type = 'User'",
  serviceAccounts: "count(*) FROM users WHERE account_type = 'Service Account'",
  featureToggles: `count(*) FROM features WHERE archived_at IS NULL AND ${isVisible("project")}`,
  archivedFeatureToggles: `count(*) FROM features WHERE archived_at IS NOT NULL AND ${isVisible("project")}`,
  projects: `count(*) FROM projects WHERE archived_at IS NULL AND ${isVisible("id")}`,
  contextFields: `count(*) FROM context_fields WHERE ${isVisible("project")}`,
  roles: "count(*) FROM roles",
  customRootRoles: "count(*) FROM roles WHERE type = 'custom-root'",
  customRootRolesInUse: `count(*) FROM roles WHERE type = 'custom-root'
    AND (id IN (SELECT root_role FROM users) OR id IN (SELECT root_role FROM groups))`,
  groups: "count(*) FROM groups",
  environments: "count(*) FROM environments",
  segments: `count(*) FROM segments WHERE ${isVisible("project")}`,
  strategies: "count(*) FROM strategy_types",
  featureExports: `ifnull(sum(count), 0) FROM event_totals
    WHERE type = 'features-exported' AND ${isVisible("project")}`,
  featureImports: `ifnull(sum(count), 0) FROM event_totals
    WHERE type = 'features-imported' AND ${isVisible("project")}`,
};

const totals = query<Hidden, Record<keyof typeof TOTALS, number>>(`
  SELECT ${Object.entries(TOTALS).map(([name, total]) => `(SELECT ${total}) AS ${name}`)}`);

// As in the list of tokens, one that names a hidden project is left out.
const tokensByType = query<Hidden, { type: string; count: number }>(`
  SELECT type, count(*) AS count FROM tokens
  WHERE type <> 'user' AND (:hidden = '[]' OR NOT EXISTS (
    SELECT 1 FROM json_each(projects) AS named JOIN json_each(:hidden) AS hidden ON named.value = hidden.value))
  GROUP BY type ORDER BY type`);

type Periods = Record<"since7" | "since30" | "since60" | "since90", string>;

const activeUsers = query<Periods, Statistics["activeUsers"]>(`
  SELECT count(*) FILTER (WHERE seen_at >= :since7) AS last7, count(*) FILTER (WHERE seen_at >= :since30) AS last30,
    count(*) FILTER (WHERE seen_at >= :since60) AS last60, count(*) AS last90
  FROM users WHERE seen_at >= :since90 AND account_type = 'User'`);

const applicationsSeen = query<
  Hidden & Pick<Periods, "since7" | "since30">,
  { last7: number; last30: number; ever: number }
>(`
  SELECT count(DISTINCT application) FILTER (WHERE last_seen_at >= :since7) AS last7,
    count(DISTINCT application) FILTER (WHERE last_seen_at >= :since30) AS last30,
    count(DISTINCT application) AS ever
  FROM application_instances
  WHERE ${SHOWN("application_instances.application")}`);

// The `+` keeps the column's affinity from the comparison, so that the index serves it.
const changesInProduction = query<
  Hidden & Record<"id30" | "id60" | "id90", number>,
  Statistics["productionChanges"]
>(`
  SELECT count(*) FILTER (WHERE id >= :id30) AS last30, count(*) FILTER (WHERE id >= :id60) AS last60,
    count(*) AS last90
  FROM environments CROSS JOIN events ON wire ->> 'environment' = +environments.name AND id >= :id90
  WHERE environments.type = 'production' AND ${isVisible("project")}`);

const HIDDEN_SERIES = `
  SELECT usage_series.id FROM json_each(:hidden) AS hidden
  JOIN features ON features.project = hidden.value
  JOIN usage_series ON usage_series.feature = features.name`;

const hoursOf = (table: string) =>
  valueQuery<Hidden & { from: string; until: string }, number>(`
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
