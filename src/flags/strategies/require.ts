import type { Actor } from "../../access/actor.ts";
import { requirePermission } from "../../access/require-permission.ts";
import { hiddenProjects } from "../../access/visibility.ts";
import { type Database, query } from "../../db/statement.ts";
import type { StrategyUse } from "../../evaluation/constraint.ts";
import type { Strategy } from "../../evaluation/strategy.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { LIMITS } from "../../lib/limits.ts";
import { getsStrategy, placedStrategy, strategyCount } from "./store.ts";

export { type StoredParts, strategiesAsValues, toValues } from "./store.ts";

interface Place {
  project: string;
  feature: string;
  environment: string;
}

/** Which parts of a place exist, checked separately so that the error can name the missing one. */
type Parts = Record<"hasProject" | "hasFeature" | "isArchived" | "hasEnvironment", 0 | 1>;

const partsOf = query<Place, Parts>(`
  SELECT EXISTS (SELECT 1 FROM projects WHERE id = :project) AS hasProject,
    EXISTS (SELECT 1 FROM features WHERE name = :feature AND project = :project) AS hasFeature,
    EXISTS (SELECT 1 FROM features WHERE name = :feature AND archived_at IS NOT NULL) AS isArchived,
    EXISTS (SELECT 1 FROM project_environments WHERE project = :project AND environment = :environment)
      AS hasEnvironment`);

/** @throws ApiError `NotFoundError` naming the first of project, feature and environment that is missing */
export const requireFeatureEnvironment = (db: Database, place: Place) =>
  requireParts(place, partsOf(db).get(place)!);

/**
 * The same, to add a strategy there.
 * @throws ApiError `NotFoundError` for project or flag, `ValidationError` for the environment (original)
 */
export function requirePlaceForStrategy(db: Database, place: Place) {
  const parts = partsOf(db).get(place)!;
  if (parts.hasEnvironment || !parts.hasFeature) return requireParts(place, parts);
  const message = `${place.environment} is not an environment of the project ${place.project}`;
  throw invalid({ path: "path.environment", message });
}

/**
 * The same, to enable or disable the flag there.
 * @throws ApiError `NotFoundError`, and `ArchivedFeatureError` for an archived flag (original)
 */
export function requireLiveFeatureEnvironment(db: Database, place: Place) {
  const parts = partsOf(db).get(place)!;
  requireParts(place, parts);
  if (!parts.isArchived) return;
  throw new ApiError("ArchivedFeatureError", `The flag ${place.feature} is archived: revive it first`);
}

/**
 * Whoever enables a flag that gets a strategy by it must be allowed to add one (original).
 * @throws ApiError `NoAccessError`
 */
export function requireMayEnable(db: Database, actor: Actor, place: Place, enablesStrategies: boolean) {
  if (!getsStrategy(db, place, enablesStrategies)) return;
  const { project, environment } = place;
  requirePermission(db, actor, { permissions: ["CREATE_FEATURE_STRATEGY"], project, environment });
}

/**
 * The strategy with this id.
 * @throws ApiError `NotFoundError` if there is none in the project, `InvalidOperationError` if it is in another place
 */
export function requireStrategy(db: Database, place: Place, id: string): Strategy {
  const found = placedStrategy(db, id);
  if (found?.project !== place.project) throw new ApiError("NotFoundError", `There is no strategy ${id}`);
  const { project: _, environment, ...strategy } = found;
  if (strategy.featureName === place.feature && environment === place.environment) return strategy;
  throw new ApiError(
    "InvalidOperationError",
    `The strategy ${id} does not belong to this flag and environment`,
  );
}

/** The same of a flag that is not archived. @throws ApiError `NotFoundError`, `InvalidOperationError` (original) */
export function requireStrategyOfLive(db: Database, place: Place, id: string): Strategy {
  const strategy = requireStrategy(db, place, id);
  if (partsOf(db).get(place)!.isArchived)
    throw new ApiError("NotFoundError", `The flag ${place.feature} is archived`);
  return strategy;
}

/** @throws ApiError `ExceedsLimitError` if a flag has reached the limit of strategies in an environment */
export function requireRoomForStrategy(db: Database, { feature, environment }: Place) {
  if (strategyCount(db, feature, environment) < LIMITS.featureEnvironmentStrategies) return;
  const most = `${LIMITS.featureEnvironmentStrategies} strategies in ${environment}, the most allowed`;
  throw new ApiError("ExceedsLimitError", `The flag ${feature} has ${most}`);
}

function requireParts(place: Place, parts: Parts) {
  const missing = missingPart(place, parts);
  if (missing !== undefined) throw new ApiError("NotFoundError", `There is no ${missing}`);
}

function missingPart(place: Place, { hasProject, hasFeature, hasEnvironment }: Parts): string | undefined {
  if (!hasProject) return `project ${place.project}`;
  if (!hasFeature) return `flag ${place.feature} in the project ${place.project}`;
  if (!hasEnvironment) return `environment ${place.environment} in the project ${place.project}`;
  return undefined;
}

const strategyOf = query<{ strategy: string; project: string; environment: string }>(`
  SELECT 1 FROM strategies JOIN features ON features.name = feature
  WHERE strategies.id = :strategy AND environment = :environment AND project = :project`);

/** @throws ApiError `NotFoundError` unless a flag of the project has a strategy with this id in the environment */
export function requirePlacedStrategy(
  db: Database,
  place: { strategy: string; project: string; environment: string },
) {
  if (strategyOf(db).get(place)) return;
  const { strategy, project, environment } = place;
  throw new ApiError(
    "NotFoundError",
    `There is no strategy ${strategy} in the environment ${environment} of the project ${project}`,
  );
}

/** The maximum number of flags named in an error. */
const MAX_NAMED = 10;

/**
 * @param subject the thing to delete, such as "segment x"
 * @param usesWithout returns the strategies that use it, except those of the given projects
 * @throws ApiError `ConflictError` if any strategy uses it, naming the flags that the actor can see
 */
export function requireNoUse(
  db: Database,
  actor: Actor,
  subject: string,
  usesWithout: (hidden: readonly string[]) => readonly StrategyUse[],
) {
  if (usesWithout([]).length === 0) return;
  const visible = usesWithout(hiddenProjects(db, actor));
  const flags = [...new Set(visible.map(({ featureName }) => featureName))].slice(0, MAX_NAMED);
  const users = flags.length > 0 ? `strategies of ${flags.join(", ")}` : "strategies that you may not see";
  throw new ApiError("ConflictError", `The ${subject} can't be deleted: ${users} use it`);
}
