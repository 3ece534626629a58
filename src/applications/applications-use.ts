import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { query, valueQuery } from "../db/statement.ts";
import { findFeature } from "../flags/features-store.ts";
import { findStrategyType } from "../flags/strategy-types.ts";
import type {
  Application,
  ApplicationDetails,
  ApplicationOverview,
  ApplicationSearch,
  ProjectApplications,
} from "./applications-schema.ts";
import { matchingNames } from "./applications-store.ts";
import { dayAgo, instancesOf, isOutdated } from "./instances.ts";

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

/** The names of the flags that an application has requested, including unknown ones. */
const seenSince = valueQuery<{ application: string; since: string }, string>(`
  SELECT DISTINCT feature FROM usage_series
  WHERE application = :application
    AND EXISTS (SELECT 1 FROM hourly_usage WHERE series = usage_series.id AND hour >= :since)
  ORDER BY feature`);

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

/** Everything about an application. @param hidden projects that must not be mentioned */
export const detailsOf = (
  db: Database,
  { appName, strategies, updatedAt: _, createdBy: __, ...described }: Application,
  hidden: readonly string[],
): ApplicationDetails => ({
  appName,
  ...described,
  strategies: strategies.map((name) => findStrategyType(db, name) ?? missing(name)),
  instances: instancesOf(db, appName),
  seenToggles: seenSince(db)
    .all({ application: appName, since: dayAgo() })
    .map((name) => findFeature(db, name) ?? missing(name))
    .filter((feature) => "notFound" in feature || !hidden.includes(feature.project)),
  links: { self: `/api/applications/${appName}` }, // as in the original, where the path doesn't exist either
});

const missing = (name: string) => ({ name, notFound: true as const });

const applicationsOf = valueQuery<{ project: string }, string>(`
  SELECT DISTINCT application FROM features CROSS JOIN usage_series ON feature = features.name
  WHERE project = :project ORDER BY application`);

interface Row {
  application: string;
  environment: string;
  instance: string | null;
  sdk: string | null;
}

// Only instances in environments where flags of the project were requested.
const instancesIn = query<{ project: string; names: string }, Row>(`
  SELECT user AS application, used.environment, instance, sdk_version AS sdk
  FROM (SELECT DISTINCT usage_series.application AS user, usage_series.environment
    FROM json_each(:names) AS page
    CROSS JOIN usage_series ON usage_series.application = page.value
    CROSS JOIN features ON features.name = usage_series.feature AND features.project = :project) AS used
  LEFT JOIN application_instances
    ON application_instances.application = user AND application_instances.environment = used.environment
  ORDER BY user, used.environment, instance`);

type ProjectApplication = ProjectApplications["applications"][number];

/** A page of the applications that have requested flags of a project, by name. */
export function applicationsOfProject(
  db: Database,
  project: string,
  search: ApplicationSearch,
): ProjectApplications {
  const found = matchingNames(applicationsOf(db).all({ project }), search);
  const page = found.slice(search.offset, search.offset + search.limit);
  const rows = instancesIn(db).all({ project, names: JSON.stringify(page) });
  const byApplication = Map.groupBy(rows, ({ application }) => application);
  const applications = page.map((name) => toProjectApplication(name, byApplication.get(name) ?? []));
  return { applications, total: found.length };
}

const toProjectApplication = (name: string, rows: readonly Row[]): ProjectApplication => ({
  name,
  environments: distinct(rows.map(({ environment }) => environment)),
  instances: distinct(rows.flatMap(({ instance }) => instance ?? [])),
  sdks: toSdks(distinct(rows.flatMap(({ sdk }) => sdk ?? []))),
});

const distinct = (names: readonly string[]) => [...new Set(names)];

/** By name, with all versions of each. */
function toSdks(sdks: readonly string[]): ProjectApplication["sdks"] {
  const parts = sdks.toSorted().map((sdk) => sdk.split(":"));
  return [...Map.groupBy(parts, ([name = ""]) => name)].map(([name, group]) => ({
    name,
    versions: group.flatMap(([, version]) => version ?? []),
  }));
}
