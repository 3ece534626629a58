import type { SdkActor } from "../access/authenticate.ts";
import { type Database, perDatabase } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import { HOUR_MS, startOfHour, timestamp } from "../lib/time.ts";
import type { Registration } from "./applications-schema.ts";
import { isStorable, type UsageReport, type UsageRow } from "./usage-schema.ts";

/*
 * Reports from applications, kept in memory until they are written. Reports on the same subject are added up, so that
 * memory depends on the number of flags and applications, and not on how often these report.
 */

/** How often a flag was on and off for an application in an environment, within an hour. */
export interface Use {
  kind: "use";
  feature: string;
  environment: string;
  application: string;
  /** The start of the hour, RFC 3339. */
  hour: string;
  yes: number;
  no: number;
  variants: ReadonlyMap<string, number>;
}

/** A running instance of an application. */
export interface Instance {
  kind: "instance";
  application: string;
  environment: string;
  instance: string;
  /** Null if not reported this time. */
  sdkVersion: string | null;
  clientIp: string | null;
  /** RFC 3339. */
  seenAt: string;
}

export interface Application {
  kind: "application";
  application: string;
  environment: string;
  /** The projects of its token, `*` for all. */
  projects: readonly string[];
  /** Undefined if it reported usage instead of registering. */
  strategies?: readonly string[];
  seenAt: string;
}

export type Report = Use | Instance | Application;

/** If there are more characters than this, the file hasn't been writable for a while. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

const gatheredFor = perDatabase(() => ({ byKey: new Map<string, Report>(), size: 0 }));

/** @throws ApiError `ServiceUnavailableError` with `Retry-After` if there is no room for more */
export function gather(db: Database, reports: readonly Report[]) {
  if (gatheredFor(db).size > MAX_CHARACTERS)
    throw new ApiError(
      "ServiceUnavailableError",
      "Too many reports are waiting to be written: try again later",
      {
        headers: { "retry-after": "60" },
        isLogged: false, // the log says why it can't be written
      },
    );
  keep(db, reports);
}

/** The same for reports that have already been accepted. */
export function keep(db: Database, reports: readonly Report[]) {
  const gathered = gatheredFor(db);
  for (const report of reports) {
    const key = keyOf(report);
    const before = gathered.byKey.get(key);
    const after = before ? merged(before, report) : report;
    gathered.size += sizeOf(after) - (before ? sizeOf(before) : -key.length);
    gathered.byKey.set(key, after);
  }
}

export function take(db: Database): Report[] {
  const gathered = gatheredFor(db);
  const reports = [...gathered.byKey.values()];
  gathered.byKey.clear();
  gathered.size = 0;
  return reports;
}

/** No name contains the character NUL. */
const keyOf = (report: Report) =>
  [report.kind, report.application, report.environment, ...ownKeyOf(report)].join("\0");

function ownKeyOf(report: Report): readonly string[] {
  if (report.kind === "use") return [report.feature, report.hour];
  return report.kind === "instance" ? [report.instance] : report.projects;
}

/** The size of an entry apart from its names. */
const BASE = 200;

/** Roughly its size in characters. */
function sizeOf(report: Report) {
  if (report.kind === "use" && report.variants.size > 0)
    return BASE + [...report.variants.keys()].reduce((sum, name) => sum + name.length + 20, 0);
  return report.kind === "application" ? BASE + (report.strategies ?? []).join().length : BASE;
}

/** Both have the same key, and so the same kind. */
function merged(before: Report, report: Report): Report {
  if (report.kind === "use") return sum(before as Use, report);
  if (report.kind === "instance")
    return { ...report, sdkVersion: report.sdkVersion ?? (before as Instance).sdkVersion };
  return report.strategies ? report : before;
}

function sum(before: Use, report: Use): Use {
  const variants = new Map(before.variants);
  for (const [name, count] of report.variants) variants.set(name, plus(variants.get(name) ?? 0, count));
  return { ...report, yes: plus(before.yes, report.yes), no: plus(before.no, report.no), variants };
}

/** Capped at the largest exact integer. */
const plus = (a: number, b: number) => Math.min(a + b, Number.MAX_SAFE_INTEGER);

/** The environment for usage if neither the token nor the report names one (original). */
const DEFAULT_ENVIRONMENT = "default";

/** The token's environment, or with a token for all environments, the reported one. */
export const environmentOf = (actor: SdkActor, reported?: string | null) =>
  actor.environment ?? (reported || DEFAULT_ENVIRONMENT);

/** Older usage is no longer shown, in milliseconds. */
const MAX_AGE_MS = 48 * HOUR_MS;

type Counted = Omit<Use, "kind" | "hour" | "variants"> & Pick<UsageRow, "variants">;

/** The contents of a report: usage, and the instance that sent it. */
export function toReports(
  db: Database,
  actor: SdkActor,
  report: UsageReport,
  address: string | undefined,
): Report[] {
  const { appName: application, bucket } = report;
  const environment = environmentOf(actor, report.environment);
  const now = new Date();
  const hour = hourOf(bucket.start, now);
  const uses = Object.entries(bucket.toggles).flatMap(([feature, counts]) =>
    toUse({ feature, environment, application, ...counts }, hour),
  );
  const place = { application, environment, seenAt: timestamp(now.valueOf()) };
  return [...ownUses(db, actor, uses), toUser(actor, place), toInstance(place, report, address)];
}

/** An application that reports usage, and may not have registered. */
const toUser = (
  { projects }: SdkActor,
  place: Pick<Application, "application" | "environment" | "seenAt">,
): Application => ({ kind: "application", ...place, projects });

/** The contents of a registration: an application, and the instance that sent it. */
export function toRegistered(
  actor: SdkActor,
  { appName: application, strategies, ...rest }: Registration,
  address: string | undefined,
): Report[] {
  const environment = environmentOf(actor, rest.environment);
  const place = { application, environment, seenAt: timestamp() };
  return [
    { kind: "application", ...place, projects: actor.projects, strategies },
    toInstance(place, rest, address),
  ];
}

const toInstance = (
  place: Pick<Instance, "application" | "environment" | "seenAt">,
  { instanceId: instance = "default", sdkVersion = null }: Pick<Registration, "instanceId" | "sdkVersion">,
  address: string | undefined,
): Instance => ({ kind: "instance", ...place, instance, sdkVersion, clientIp: address ?? null });

/** Usage counted elsewhere; environments other than the token's are ignored (original). */
export function toUses(db: Database, actor: SdkActor, rows: readonly UsageRow[]): Report[] {
  const now = new Date();
  const own = rows.filter(({ environment }) => environment === environmentOf(actor));
  const uses = own.flatMap(({ featureName: feature, appName: application, timestamp: time, ...row }) =>
    toUse({ ...row, feature, application }, hourOf(time, now)),
  );
  return [
    ...ownUses(db, actor, uses),
    ...own.map(({ appName: application, environment }) =>
      toUser(actor, { application, environment, seenAt: timestamp(now.valueOf()) }),
    ),
  ];
}

const elsewhere = valueQuery<{ names: string; projects: string }, string>(`
  SELECT name FROM json_each(:names) AS named CROSS JOIN features ON name = named.value
  WHERE project NOT IN (SELECT value FROM json_each(:projects))`);

/** Without flags of projects that the token is not for. */
function ownUses(db: Database, { projects }: SdkActor, uses: readonly Use[]): readonly Use[] {
  if (projects.includes("*")) return uses;
  const names = JSON.stringify(uses.map(({ feature }) => feature));
  const others = new Set(elsewhere(db).all({ names, projects: JSON.stringify(projects) }));
  return uses.filter(({ feature }) => !others.has(feature));
}

/** Undefined if that is too long ago. A time in the future counts as now. */
const hourOf = (time: number, now: Date) =>
  time < now.valueOf() - MAX_AGE_MS ? undefined : startOfHour(Math.min(time, now.valueOf()));

/** Empty if there was no usage, or if no flag can have this name. */
function toUse(counted: Counted, hour: string | undefined): Use[] {
  const isUse = counted.yes > 0 || counted.no > 0;
  if (!isUse || hour === undefined || !isStorable(counted.feature)) return [];
  const variants = Object.entries(counted.variants ?? {}).filter(([name]) => isStorable(name));
  return [{ kind: "use", ...counted, variants: new Map(variants), hour }];
}
