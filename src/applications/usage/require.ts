import type { SdkActor } from "../../access/authenticate-sdk.ts";
import type { Database } from "../../db/statement.ts";
import { HOUR_MS, startOfHour } from "../../lib/hour.ts";
import { timestamp } from "../../lib/timestamp.ts";
import type { Application, Report, Use } from "./gathered.ts";
import { isStorable, type UsageReport, type UsageRow } from "./schema.ts";
import { flagsElsewhere } from "./store.ts";

export { gather } from "./gathered.ts";

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
  const { appName: application, instanceId, sdkVersion = null, bucket } = report;
  const environment = environmentOf(actor, report.environment);
  const now = new Date();
  const hour = hourOf(bucket.start, now);
  const uses = Object.entries(bucket.toggles).flatMap(([feature, counts]) =>
    toUse({ feature, environment, application, ...counts }, hour),
  );
  const instance = instanceId ?? "default";
  const clientIp = address ?? null;
  const seenAt = timestamp(now.valueOf());
  return [
    ...ownUses(db, actor, uses),
    toUser(actor, application, environment),
    { kind: "instance", application, environment, instance, sdkVersion, clientIp, seenAt },
  ];
}

/** An application that reports usage, and may not have registered. */
const toUser = ({ projects }: SdkActor, application: string, environment: string): Application => ({
  kind: "application",
  application,
  environment,
  projects,
  seenAt: timestamp(),
});

/** Usage counted elsewhere; environments other than the token's are ignored (original). */
export function toUses(db: Database, actor: SdkActor, rows: readonly UsageRow[]): Report[] {
  const now = new Date();
  const own = rows.filter(({ environment }) => environment === environmentOf(actor));
  const uses = own.flatMap(({ featureName: feature, appName: application, timestamp, ...row }) =>
    toUse({ ...row, feature, application }, hourOf(timestamp, now)),
  );
  return [
    ...ownUses(db, actor, uses),
    ...own.map(({ appName, environment }) => toUser(actor, appName, environment)),
  ];
}

/** Without flags of projects that the token is not for. */
function ownUses(db: Database, { projects }: SdkActor, uses: readonly Use[]): readonly Use[] {
  if (projects.includes("*")) return uses;
  const names = uses.map(({ feature }) => feature);
  const others = flagsElsewhere(db, names, projects);
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
