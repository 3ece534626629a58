import {
  type Application,
  type Instance,
  keep,
  type Report,
  take,
  type Use,
} from "../applications/reports.ts";
import type { Database } from "../db/database.ts";
import type { Mirror } from "./mirror.ts";
import { sendUsage, type Upstream } from "./upstream.ts";

/** What is sent in one request: upstream takes 1 MiB. */
const MOST = 1000;

/**
 * Sends on what applications have reported, summed; what upstream does not take is kept for the next time.
 * @param hashes by the secret of the token
 * @throws Error if upstream does not take it
 */
export async function forward(mirror: Mirror, upstream: Upstream, hashes: ReadonlyMap<string, string>) {
  const { db } = mirror;
  for (const [environment, reports] of Map.groupBy(take(db), ({ environment }) => environment)) {
    const token = senderIn(mirror, hashes, environment);
    for (let first = 0; first < reports.length; first += MOST)
      await forwardSome(db, upstream, token, reports.slice(first, first + MOST), reports.slice(first));
  }
}

async function forwardSome(
  db: Database,
  upstream: Upstream,
  token: string | undefined,
  some: readonly Report[],
  left: readonly Report[],
) {
  if (token === undefined) return keep(db, left);
  try {
    await sendUsage(upstream, token, toBulk(some));
  } catch (error) {
    keep(db, left);
    throw error;
  }
}

/** A token for applications on servers, which may report for all others there; the widest. */
function senderIn({ scopes }: Mirror, hashes: ReadonlyMap<string, string>, environment: string) {
  const own = [...hashes].filter(([, hash]) => {
    const scope = scopes.get(hash);
    return scope?.environment === environment && scope.type !== "frontend";
  });
  const widest = own.find(([, hash]) => scopes.get(hash)!.projects.includes("*")) ?? own[0];
  return widest?.[0];
}

/** As Edges report. */
function toBulk(reports: readonly Report[]) {
  const instances = reports.filter((report): report is Instance => report.kind === "instance");
  const applications = reports.filter((report): report is Application => report.kind === "application");
  const uses = reports.filter((report): report is Use => report.kind === "use");
  return {
    applications: instances.map(({ application, environment, instance, sdkVersion, seenAt }) => ({
      appName: application,
      environment,
      instanceId: instance,
      ...(sdkVersion !== null && { sdkVersion }),
      strategies: applications.find((one) => one.application === application)?.strategies ?? [],
      started: seenAt,
      interval: 60_000,
    })),
    metrics: uses.map(({ feature, application, environment, hour, yes, no, variants }) => ({
      featureName: feature,
      appName: application,
      environment,
      timestamp: hour,
      yes,
      no,
      variants: Object.fromEntries(variants),
    })),
  };
}
