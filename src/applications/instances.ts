import * as v from "valibot";
import { kind, Name, OptionalText, OptionalTime } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { bookkeeping, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { DAY_MS } from "../lib/time.ts";
import type { ApplicationDetails, ApplicationInstances, OutdatedSdks } from "./applications-schema.ts";
import { SHOWN } from "./applications-store.ts";
import type { Instance as Reported } from "./reports.ts";

type Instance = ApplicationDetails["instances"][number];

const COLUMNS = `instance AS instanceId, sdk_version AS sdkVersion, client_ip AS clientIp, last_seen_at AS lastSeen`;

const ofApplication = query<{ application: string }, Instance>(`
  SELECT application AS appName, ${COLUMNS}, created_at AS createdAt, environment
  FROM application_instances WHERE application = :application
  ORDER BY last_seen_at DESC, environment, instance`);

/** All instances of an application, last seen first. */
export const instancesOf = (db: Database, application: string): Instance[] =>
  ofApplication(db).all({ application });

const recent = query<
  { application: string; environment: string; since: string },
  ApplicationInstances["instances"][number]
>(`
  SELECT ${COLUMNS} FROM application_instances
  WHERE application = :application AND environment = :environment AND last_seen_at >= :since
  ORDER BY last_seen_at DESC, instance LIMIT 1000`);

/** The instances seen in an environment within a day. */
export const recentInstances = (db: Database, application: string, environment: string) =>
  recent(db).all({ application, environment, since: dayAgo() });

/** A day ago, RFC 3339. */
export const dayAgo = () => new Date(Date.now() - DAY_MS).toISOString();

type Sdk = { sdkVersion: string; application: string };

const sdks = query<{ hidden: string }, Sdk>(`
  SELECT sdkVersion, application FROM (
    SELECT DISTINCT sdk_version AS sdkVersion, application FROM application_instances
    WHERE sdk_version IS NOT NULL) AS used
  WHERE ${SHOWN("used.application")} ORDER BY sdkVersion, application`);

/** The outdated SDKs, except those that only applications of hidden projects use. */
export const outdatedSdks = (db: Database, hidden: readonly string[]) =>
  outdatedIn(sdks(db).all({ hidden: JSON.stringify(hidden) }));

const sdksOfProject = query<{ project: string }, Sdk>(`
  SELECT DISTINCT sdk_version AS sdkVersion, application
  FROM (SELECT DISTINCT application AS user FROM features
    CROSS JOIN usage_series ON feature = features.name WHERE project = :project)
  CROSS JOIN application_instances ON application = user
  WHERE sdk_version IS NOT NULL ORDER BY sdk_version, application`);

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

/** The oldest version of each SDK that is not outdated (original). */
const MINIMUM: Readonly<Record<string, string>> = {
  "unleash-client-node": "5.3.2",
  "unleash-client-java": "9.0.0",
  "unleash-client-go": "4.1.0",
  "unleash-client-python": "5.9.2",
  "unleash-client-ruby": "5.0.0",
  "unleash-client-dotnet": "4.1.3",
  "unleash-client-php": "1.13.0",
};

/** Whether an SDK, written as `name:version`, is outdated; false for an unknown one. */
export function isOutdated(sdk: string): boolean {
  const [name = "", version = "", ...rest] = sdk.split(":");
  const minimum = Object.hasOwn(MINIMUM, name) ? MINIMUM[name] : undefined;
  if (minimum === undefined || rest.length > 0) return false;
  const [actual, required] = [partsOf(version), partsOf(minimum)!];
  return actual !== undefined && isLess(actual, required);
}

/** The numbers of a version and, for a prerelease, -1. */
function partsOf(version: string): number[] | undefined {
  const [, major, minor, patch, prerelease] = /^(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?(?:\+.*)?$/.exec(version) ?? [];
  return major === undefined ? undefined : [+major, +minor!, +patch!, prerelease === undefined ? 0 : -1];
}

function isLess(actual: readonly number[], required: readonly number[]) {
  const index = actual.findIndex((part, at) => part !== required[at]);
  return index >= 0 && actual[index]! < required[index]!;
}

type InstanceRow = Omit<Reported, "kind"> & { createdAt: string };

const insertInstance = bookkeeping<InstanceRow>(`
  INSERT INTO application_instances (application, environment, instance, sdk_version, client_ip, created_at,
    last_seen_at)
  VALUES (:application, :environment, :instance, :sdkVersion, :clientIp, :createdAt, :seenAt)
  ON CONFLICT DO UPDATE SET sdk_version = ifnull(excluded.sdk_version, sdk_version),
    client_ip = excluded.client_ip, last_seen_at = excluded.last_seen_at`);

export const writeInstance = (tx: Writing, { kind: _, ...instance }: Reported) =>
  insertInstance(tx).run({ ...instance, createdAt: instance.seenAt });

const removeInstances = bookkeeping<{ before: string; limit: number }>(`
  DELETE FROM application_instances WHERE (application, environment, instance) IN (
    SELECT application, environment, instance FROM application_instances WHERE last_seen_at < :before LIMIT :limit)`);

/** Deletes a batch of instances not seen since a time. @returns how many were deleted */
export const removeOldInstances = (tx: Writing, before: string, limit: number): number =>
  removeInstances(tx).run({ before, limit }).changes;

const all = query<object, InstanceRow>(`
  SELECT application, environment, instance, sdk_version AS sdkVersion, client_ip AS clientIp,
    created_at AS createdAt, last_seen_at AS seenAt
  FROM application_instances ORDER BY application, environment, instance`);

/** Its line in a dataset. */
export const instance = kind({
  name: "instance",
  tables: ["application_instances"],
  schema: v.strictObject({
    application: Name,
    environment: Name,
    instance: Name,
    sdkVersion: OptionalText,
    clientIp: OptionalText,
    createdAt: OptionalTime,
    seenAt: OptionalTime,
  }),
  insert({ tx, now }, line) {
    const seenAt = line.seenAt ?? now;
    insertInstance(tx).run({ ...line, createdAt: line.createdAt ?? seenAt, seenAt });
  },
  rows: (db) => all(db).iterate({}),
});
