import type { Database } from "../db/database.ts";
import { bookkeeping, command, query, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { Tx } from "../events/write.ts";
import { ApiError, invalid } from "../lib/api-error.ts";

/** A flag in an environment. */
export interface FeatureScope {
  feature: string;
  environment: string;
}

/** The same, with the flag's project. */
export interface Scope extends FeatureScope {
  project: string;
}

/** Which parts of it exist, checked separately so that the error can name the missing one. */
type Parts = Record<"hasProject" | "hasFeature" | "isArchived" | "hasEnvironment", 0 | 1>;

const partsOf = query<Scope, Parts>(`
  SELECT EXISTS (SELECT 1 FROM projects WHERE id = :project) AS hasProject,
    EXISTS (SELECT 1 FROM features WHERE name = :feature AND project = :project) AS hasFeature,
    EXISTS (SELECT 1 FROM features WHERE name = :feature AND archived_at IS NOT NULL) AS isArchived,
    EXISTS (SELECT 1 FROM project_environments WHERE project = :project AND environment = :environment)
      AS hasEnvironment`);

/** @throws ApiError `NotFoundError` naming the first of project, feature and environment that is missing */
export function requireFeatureEnvironment(db: Database, scope: Scope): Parts {
  const parts = partsOf(db).get(scope)!;
  const missing = missingPart(scope, parts);
  if (missing === undefined) return parts;
  throw new ApiError("NotFoundError", `There is no ${missing}`);
}

/**
 * The same, to add a strategy there.
 * @throws ApiError `NotFoundError` for project or flag, `ValidationError` for the environment (original)
 */
export function requireScopeForStrategy(db: Database, scope: Scope) {
  const { hasFeature, hasEnvironment } = partsOf(db).get(scope)!;
  if (hasEnvironment || !hasFeature) return requireFeatureEnvironment(db, scope);
  const message = `${scope.environment} is not an environment of the project ${scope.project}`;
  throw invalid({ path: "path.environment", message });
}

/**
 * The same, to enable or disable the flag there.
 * @throws ApiError `NotFoundError`, and `ArchivedFeatureError` for an archived flag (original)
 */
export function requireLiveFeatureEnvironment(db: Database, scope: Scope) {
  const { isArchived } = requireFeatureEnvironment(db, scope);
  if (!isArchived) return;
  throw new ApiError("ArchivedFeatureError", `The flag ${scope.feature} is archived: revive it first`);
}

function missingPart(scope: Scope, { hasProject, hasFeature, hasEnvironment }: Parts): string | undefined {
  if (!hasProject) return `project ${scope.project}`;
  if (!hasFeature) return `flag ${scope.feature} in the project ${scope.project}`;
  if (!hasEnvironment) return `environment ${scope.environment} in the project ${scope.project}`;
  return undefined;
}

/** Whether the flag is archived. */
export const isArchived = (db: Database, scope: Scope) => partsOf(db).get(scope)!.isArchived === 1;

const enabled = valueQuery<FeatureScope, 0 | 1>(`
  SELECT enabled FROM feature_environments WHERE feature = :feature AND environment = :environment`);

/** Whether a flag is on in an environment. */
export const isEnabled = (db: Database, { feature, environment }: FeatureScope): boolean =>
  enabled(db).get({ feature, environment }) === 1;

const storeEnabled = command<FeatureScope & { enabled: 0 | 1 }>(`
  INSERT INTO feature_environments (feature, environment, enabled) VALUES (:feature, :environment, :enabled)
  ON CONFLICT DO UPDATE SET enabled = :enabled`);

/** Turns a flag on or off in an environment of its project, unless it already is. */
export function setEnabled(tx: Tx, { project, feature, environment }: Scope, isOn: boolean) {
  if (isEnabled(tx.db, { feature, environment }) === isOn) return;
  storeEnabled(tx).run({ feature, environment, enabled: isOn ? 1 : 0 });
  const type = isOn ? "feature-environment-enabled" : "feature-environment-disabled";
  tx.record({ type, project, environment, featureName: feature });
}

export interface FeatureEnvironmentRow {
  environment: string;
  enabled: 0 | 1;
  lastSeenAt: string | null;
  variants: string;
}

export const insertFeatureEnvironment = command<
  { feature: string } & Omit<FeatureEnvironmentRow, "lastSeenAt">
>(`
  INSERT INTO feature_environments (feature, environment, enabled, variants)
  VALUES (:feature, :environment, :enabled, :variants)`);

// A flag that was never touched in an environment has no row there.
export const ensureFeatureEnvironment = command<FeatureScope>(`
  INSERT INTO feature_environments (feature, environment) VALUES (:feature, :environment) ON CONFLICT DO NOTHING`);

// The copy does not inherit usage, nor whether the flag is on.
export const copyFeatureEnvironments = command<{ from: string; to: string; project: string }>(`
  INSERT INTO feature_environments (feature, environment, variants)
  SELECT :to, environment, variants FROM feature_environments
  WHERE feature = :from AND environment IN (SELECT environment FROM project_environments WHERE project = :project)`);

/** The accuracy of the time, in milliseconds (original). */
const ACCURACY_MS = 30_000;

const lastSeen = query<FeatureScope, { lastSeenAt: string | null }>(`
  SELECT state.last_seen_at AS lastSeenAt
  FROM features
  JOIN project_environments
    ON project_environments.project = features.project AND project_environments.environment = :environment
  LEFT JOIN feature_environments AS state
    ON state.feature = features.name AND state.environment = project_environments.environment
  WHERE features.name = :feature`);

const SET_LAST_SEEN = `UPDATE feature_environments SET last_seen_at = :now
  WHERE feature = :feature AND environment = :environment`;

// Kept with the flag too, for lists and for its project.
const SET_SEEN = `UPDATE features SET seen_at = max(ifnull(seen_at, ''), :now) WHERE name = :feature`;

type Seen = FeatureScope & { now: string };

// The first use invalidates cached responses; later ones don't.
const setFirstSeen = [command<Seen>(SET_LAST_SEEN), command<Seen>(SET_SEEN)];
const setLastSeen = [bookkeeping<Seen>(SET_LAST_SEEN), bookkeeping<Seen>(SET_SEEN)];

/** Updates when a flag was last used, if the flag exists and its project has the environment. */
export function markFeatureSeen(tx: Writing, scope: FeatureScope, now: string) {
  const state = lastSeen(tx.db).get(scope);
  if (!state) return;
  if (state.lastSeenAt === null) {
    ensureFeatureEnvironment(tx).run(scope);
    markFirstSeen(tx, { ...scope, now });
  } else if (Date.parse(now) - Date.parse(state.lastSeenAt) >= ACCURACY_MS)
    for (const set of setLastSeen) set(tx).run({ ...scope, now });
}

/** The same for a flag that was never used there. */
export function markFirstSeen(tx: Writing, seen: Seen) {
  for (const set of setFirstSeen) set(tx).run(seen);
}
