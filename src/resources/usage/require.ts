import type { SdkActor } from "../../auth/authenticate-sdk.ts";
import { HOUR_MS, startOfHour } from "../../hour.ts";
import type { Noted, Use } from "./gathered.ts";
import { isKept, type UsageReport, type UsageRow } from "./schema.ts";

export { gather } from "./gathered.ts";
export { type Counted, usageThisHour } from "./store.ts";

/** Where an application is whose token names no environment, and neither does it (original). */
const DEFAULT_ENVIRONMENT = "default";

/** The environment of the token; only one of all environments leaves it to who asks. */
export const environmentOf = (actor: SdkActor, said?: string | null) =>
  actor.environment ?? (said || DEFAULT_ENVIRONMENT);

/** Use from before is not shown any more, in milliseconds. */
const OLDEST_MS = 48 * HOUR_MS;

type Counted = Omit<Use, "kind" | "hour"> & { at: number };

/** What a report tells: use, and who has told. */
export function toNoted(actor: SdkActor, report: UsageReport, address: string | undefined): Noted[] {
  const { appName: application, instanceId, sdkVersion = null, bucket } = report;
  const environment = environmentOf(actor, report.environment);
  const now = new Date();
  const uses = [...bucket.toggles].flatMap(([feature, { variants = new Map(), yes, no }]) =>
    toUse({ feature, environment, application, at: bucket.start, yes, no, variants }, now),
  );
  const instance = instanceId ?? "default";
  const clientIp = address ?? null;
  const seenAt = now.toISOString();
  return [...uses, { kind: "instance", application, environment, instance, sdkVersion, clientIp, seenAt }];
}

/** Use that others have counted; that of environments other than the token's is not theirs to tell (original). */
export function toUses(actor: SdkActor, rows: readonly UsageRow[]): Use[] {
  const now = new Date();
  return rows
    .filter(({ environment }) => environment === environmentOf(actor))
    .flatMap(({ featureName: feature, appName: application, timestamp: at, variants = new Map(), ...row }) =>
      toUse({ ...row, feature, application, at, variants }, now),
    );
}

/**
 * Nothing where there was no use, where no flag can have the name, or where it is too long ago; by a clock that is
 * fast, it was now.
 */
function toUse({ at, ...counted }: Counted, now: Date): Use[] {
  const isUse = counted.yes > 0 || counted.no > 0;
  if (!isUse || !isKept(counted.feature) || at < now.valueOf() - OLDEST_MS) return [];
  const time = Math.min(at, now.valueOf());
  const variants = new Map([...counted.variants].filter(([name]) => isKept(name)));
  return [{ kind: "use", ...counted, variants, hour: startOfHour(time) }];
}
