import { createHash } from "node:crypto";
import { type Database, query } from "../../db/statement.ts";
import { DAY_MS } from "../../lib/hour.ts";
import { startOfMinute } from "../../lib/minute.ts";
import { activity } from "./activity-store.ts";
import type { Statistics } from "./schema.ts";

const instance = query<object, string>(`SELECT content ->> 'id' FROM settings WHERE name = 'instance'`);

/** The id of this data file, a UUID generated when it was created. */
export const instanceId = (db: Database): string => instance(db).pluck().get({})!;

type Hidden = { hidden: string };

const count = (source: string) => query<Hidden, number>(`SELECT count(*) FROM ${source}`);

const isVisible = (project: string) => `ifnull(${project}, '') NOT IN (SELECT value FROM json_each(:hidden))`;

const countEvents = (type: string) =>
  query<Hidden, number>(`
    SELECT ifnull(sum(count), 0) FROM event_totals WHERE type = '${type}' AND ${isVisible("project")}`);

/** The counts, under the original's names. */
const COUNTS = {
  users: count("users WHERE account_type = 'User'"),
  serviceAccounts: count("users WHERE account_type = 'Service Account'"),
  featureToggles: count(`features WHERE archived_at IS NULL AND ${isVisible("project")}`),
  archivedFeatureToggles: count(`features WHERE archived_at IS NOT NULL AND ${isVisible("project")}`),
  projects: count(`projects WHERE archived_at IS NULL AND ${isVisible("id")}`),
  contextFields: count("context_fields"),
  roles: count("roles"),
  customRootRoles: count("roles WHERE type = 'custom-root'"),
  customRootRolesInUse: count(
    `roles WHERE type = 'custom-root' AND (id IN (SELECT root_role FROM users) OR id IN (SELECT root_role FROM groups))`,
  ),
  groups: count("groups"),
  environments: count("environments"),
  segments: count(`segments WHERE ${isVisible("project")}`),
  strategies: count("strategy_types"),
  featureExports: countEvents("features-exported"),
  featureImports: countEvents("features-imported"),
};

// As in the list of tokens, one that names a hidden project is left out.
const tokensByType = query<Hidden, { type: string; count: number }>(`
  SELECT type, count(*) AS count FROM tokens
  WHERE type <> 'user' AND (:hidden = '[]' OR NOT EXISTS (
    SELECT 1 FROM json_each(projects) AS named JOIN json_each(:hidden) AS hidden ON named.value = hidden.value))
  GROUP BY type ORDER BY type`);

const seenSince = query<{ time: string }, number>(`
  SELECT count(*) FROM users WHERE seen_at >= :time AND account_type = 'User'`);

const since = (days: number) => new Date(startOfMinute() - days * DAY_MS).toISOString();

/** The number of users, flags and so on in this instance. @param hidden projects whose content must not be counted */
export function statistics(db: Database, hidden: readonly string[]): Statistics {
  const bind = { hidden: JSON.stringify(hidden) };
  const counts = Object.entries(COUNTS).map(([name, statement]) => [name, statement(db).pluck().get(bind)!]);
  const active = (days: number) =>
    seenSince(db)
      .pluck()
      .get({ time: since(days) })!;
  const figures = {
    timestamp: since(0),
    instanceId: instanceId(db),
    ...(Object.fromEntries(counts) as Record<keyof typeof COUNTS, number>),
    apiTokens: Object.fromEntries(
      tokensByType(db)
        .all(bind)
        .map(({ type, count }) => [type, count]),
    ),
    activeUsers: { last7: active(7), last30: active(30), last60: active(60), last90: active(90) },
    ...activity(db, hidden),
  };
  return { ...figures, sum: checksum(figures) };
}

/** The original's checksum of these figures. */
function checksum(figures: Omit<Statistics, "sum">) {
  const { instanceId, users, featureToggles, projects, roles, groups, environments, segments } = figures;
  const summed = [instanceId, users, featureToggles, projects, roles, groups, environments, segments];
  return createHash("sha256").update(summed.join("")).digest("hex");
}
