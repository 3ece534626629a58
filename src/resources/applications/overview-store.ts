import { isKnown } from "../../db/known.ts";
import { type Database, query } from "../../db/statement.ts";
import { dayAgo } from "./instances-store.ts";
import type { Application, ApplicationOverview } from "./schema.ts";
import { isOutdated } from "./sdks.ts";

interface Asked {
  environment: string;
  feature: string;
  /** Null if there is no such flag. */
  project: string | null;
}

const askedFor = query<{ application: string; hidden: string }, Asked>(`
  SELECT environment, feature, project
  FROM usage_series LEFT JOIN features ON name = feature
  WHERE application = :application
    AND (project IS NULL OR project NOT IN (SELECT value FROM json_each(:hidden)))
  ORDER BY environment, feature`);

interface Askers {
  environment: string;
  instanceCount: number;
  /** JSON. */
  sdks: string;
  lastSeen: string;
}

const askersOf = query<{ application: string; since: string }, Askers>(`
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
export const featuresAskedFor = (db: Database, application: string): string[] =>
  seenSince(db).pluck().all({ application, since: dayAgo() });

/** Obsolete strategies that SDKs still report, so that they don't count as missing (original). */
const BYGONE = ["gradualRolloutRandom", "gradualRolloutSessionId", "gradualRolloutUserId", "userWithId"];

/** Where an application is in use. @param hidden projects that must not be mentioned */
export function overviewOf(
  db: Database,
  name: string,
  { strategies = [] }: Partial<Application>,
  hidden: readonly string[],
): ApplicationOverview {
  const asked = askedFor(db).all({ application: name, hidden: JSON.stringify(hidden) });
  const askers = askersOf(db).all({ application: name, since: dayAgo() });
  const environments = [...Map.groupBy(asked, ({ environment }) => environment)].map(([environment, rows]) =>
    toEnvironment(
      environment,
      rows,
      askers.find((one) => one.environment === environment),
    ),
  );
  const missing = strategies.filter((type) => !BYGONE.includes(type) && !isKnown(db, "strategyType", type));
  return {
    projects: [...new Set(asked.flatMap(({ project }) => project ?? []))],
    featureCount: Math.max(1, new Set(asked.map(({ feature }) => feature)).size), // counts at least one (original)
    environments,
    issues: { missingStrategies: environments.length > 0 ? [...new Set(missing)] : [] },
  };
}

function toEnvironment(name: string, asked: readonly Asked[], askers: Askers | undefined) {
  const sdks = JSON.parse(askers?.sdks ?? "[]") as string[];
  const missingFeatures = asked.filter(({ project }) => project === null).map(({ feature }) => feature);
  return {
    name,
    instanceCount: askers?.instanceCount ?? 0,
    sdks,
    lastSeen: askers?.lastSeen ?? null,
    issues: { missingFeatures, outdatedSdks: sdks.filter(isOutdated) },
  };
}
