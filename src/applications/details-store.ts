import type { Database } from "../db/statement.ts";
import { findFeature } from "../flags/features/require.ts";
import { findStrategyType } from "../flags/strategy-types.ts";
import { instancesOf } from "./instances-store.ts";
import { recentlyRequestedFeatures } from "./overview-store.ts";
import type { Application, ApplicationDetails } from "./schema.ts";

/** Everything about an application. @param hidden projects that must not be mentioned */
export const detailsOf = (
  db: Database,
  { appName, strategies, ...application }: Application,
  hidden: readonly string[],
): ApplicationDetails => ({
  appName,
  createdAt: application.createdAt,
  description: application.description,
  url: application.url,
  color: application.color,
  icon: application.icon,
  strategies: strategies.map((name) => findStrategyType(db, name) ?? missing(name)),
  instances: instancesOf(db, appName),
  seenToggles: recentlyRequestedFeatures(db, appName)
    .map((name) => findFeature(db, name) ?? missing(name))
    .filter((feature) => "notFound" in feature || !hidden.includes(feature.project)),
  links: { self: `/api/applications/${appName}` }, // as in the original, where the path doesn't exist either
});

const missing = (name: string) => ({ name, notFound: true as const });
