import { isKnown } from "../db/known.ts";
import { type Database, query } from "../db/statement.ts";
import { dayAgo } from "./instances-store.ts";
import type { Application, ApplicationOverview } from "./schema.ts";
import { isOutdated } from "./sdks.ts";

interface RequestedFeature {
  environment: string;
  feature: string;
  /** Null if there is no such flag. */
  project: string | null;
}

const requestedBy = query<{ application: string; hidden: string }, RequestedFeature>(`
  SELECT environment, feature, project
  FROM usage_series LEFT JOIN features ON name = feature
  WHERE application = :application
    AND (project IS NULL OR project NOT IN (SELECT value FROM json_each(:hidden)))
  ORDER BY environment, feature`);

interface InstanceSummary {
  environment: string;
  instanceCount: number;
  /** JSON. */
  sdks: string;
  lastSeen: string;
}

const instanceSummaries = query<{ application: string; since: string }, InstanceSummary>(`
  SELECT environment, count(*) AS instanceCount, max(last_seen_at) AS lastSeen,
    json_group_array(DISTINCT sdk_version ORDER BY sdk_version) FILTER (WHERE sdk_version IS NOT NULL) AS sdks
  FROM application_instances WHERE application = :application AND last_seen_at >= :since
  GROUP BY environment`);

const seenSince = query<{ application: string; since: string }, string>(`
  SELECT DISTINCT feature FROM usage_series
  WHERE application = :application
    AND EXISTS (SELECT 1 FROM hourly_usage WHERE series = usage_series.id AND hour >= :since)
  ORDER BY feature`);

/** The names of the flags that an application has requested within a day, including unknown ones. */
export const recentlyRequestedFeatures = (db: Database, application: string): string[] =>
  seenSince(db).pluck().all({ application, since: dayAgo() });

/** Obsolete strategies that SDKs still report, so that they don't count as missing (original). */
const OBSOLETE = ["gradualRolloutRandom", "gradualRolloutSessionId", "gradualRolloutUserId", "userWithId"];

/** Where an application is in use. @param hidden projects that must not be mentioned */
export function overviewOf(
  db: Database,
  name: string,
  { strategies = [] }: Partial<Application>,
  hidden: readonly string[],
): ApplicationOverview {
  const requested = requestedBy(db).all({ application: name, hidden: JSON.stringify(hidden) });
  const summaries = instanceSummaries(db).all({ application: name, since: dayAgo() });
  const environments = [...Map.groupBy(requested, ({ environment }) => environment)].map(
    ([environment, rows]) =>
      toEnvironment(
        environment,
        rows,
        summaries.find((row) => row.environment === environment),
      ),
  );
  const missing = strategies.filter((type) => !OBSOLETE.includes(type) && !isKnown(db, "strategyType", type));
  return {
    projects: [...new Set(requested.flatMap(({ project }) => project ?? []))],
    featureCount: Math.max(1, new Set(requested.map(({ feature }) => feature)).size), // counts at least one (original)
    environments,
    issues: { missingStrategies: environments.length > 0 ? [...new Set(missing)] : [] },
  };
}

function toEnvironment(
  name: string,
  requested: readonly RequestedFeature[],
  summary: InstanceSummary | undefined,
) {
  const sdks = JSON.parse(summary?.sdks ?? "[]") as string[];
  const missingFeatures = requested.filter(({ project }) => project === null).map(({ feature }) => feature);
  return {
    name,
    instanceCount: summary?.instanceCount ?? 0,
    sdks,
    lastSeen: summary?.lastSeen ?? null,
    issues: { missingFeatures, outdatedSdks: sdks.filter(isOutdated) },
  };
}
