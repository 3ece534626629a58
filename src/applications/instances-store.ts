import { type Database, query } from "../db/statement.ts";
import { DAY_MS } from "../lib/hour.ts";
import type { ApplicationDetails, ApplicationInstances, OutdatedSdks } from "./schema.ts";
import { isOutdated } from "./sdks.ts";
import { SHOWN } from "./store.ts";

type Instance = ApplicationDetails["instances"][number];

const COLUMNS = `instance AS instanceId, sdk_version AS sdkVersion, client_ip AS clientIp, last_seen_at AS lastSeen`;

const ofApplication = query<{ application: string }, Instance>(`
  SELECT application AS appName, ${COLUMNS}, created_at AS createdAt, environment
  FROM application_instances WHERE application = :application
  ORDER BY last_seen_at DESC, environment, instance`);

const recent = query<
  { application: string; environment: string; since: string },
  ApplicationInstances["instances"][number]
>(`
  SELECT ${COLUMNS} FROM application_instances
  WHERE application = :application AND environment = :environment AND last_seen_at >= :since
  ORDER BY last_seen_at DESC, instance LIMIT 1000`);

type Sdk = { sdkVersion: string; application: string };

const sdks = query<{ hidden: string }, Sdk>(`
  SELECT sdkVersion, application FROM (
    SELECT DISTINCT sdk_version AS sdkVersion, application FROM application_instances
    WHERE sdk_version IS NOT NULL) AS used
  WHERE ${SHOWN("used.application")} ORDER BY sdkVersion, application`);

const sdksOfProject = query<{ project: string }, Sdk>(`
  SELECT DISTINCT sdk_version AS sdkVersion, application
  FROM (SELECT DISTINCT application AS user FROM features
    CROSS JOIN usage_series ON feature = features.name WHERE project = :project)
  CROSS JOIN application_instances ON application = user
  WHERE sdk_version IS NOT NULL ORDER BY sdk_version, application`);

/** A day ago, RFC 3339. */
export const dayAgo = () => new Date(Date.now() - DAY_MS).toISOString();

/** All instances of an application, last seen first. */
export const instancesOf = (db: Database, application: string): Instance[] =>
  ofApplication(db).all({ application });

/** The instances seen in an environment within a day. */
export const recentInstances = (db: Database, application: string, environment: string) =>
  recent(db).all({ application, environment, since: dayAgo() });

/** The outdated SDKs, except those that only applications of hidden projects use. */
export const outdatedSdks = (db: Database, hidden: readonly string[]) =>
  outdatedIn(sdks(db).all({ hidden: JSON.stringify(hidden) }));

/** The outdated SDKs of instances that requested flags of a project. */
export const outdatedSdksOf = (db: Database, project: string) =>
  outdatedIn(sdksOfProject(db).all({ project }));

function outdatedIn(rows: readonly Sdk[]): OutdatedSdks["sdks"] {
  const bySdk = Map.groupBy(rows, ({ sdkVersion }) => sdkVersion);
  return [...bySdk]
    .filter(([sdk]) => isOutdated(sdk))
    .map(([sdkVersion, users]) => ({
      sdkVersion,
      applications: users.map(({ application }) => application),
    }));
}
