import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { fromStored, query, type Stored, valueQuery } from "../db/statement.ts";
import type { Tag } from "../events/schema.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { Feature, type FeatureEnvironment, type FeatureFilter, ProjectFeature } from "./features-schema.ts";

const byName = query<{ name: string }, Stored<Omit<Feature, "archived">>>(`
  SELECT name, description, type, project, stale, created_at AS createdAt, seen_at AS lastSeenAt,
    impression_data AS impressionData, archived_at AS archivedAt
  FROM features WHERE name = :name`);

/** The flag with this name in any project, archived or not; undefined if there is none. */
export function findFeature(db: Database, name: string): Feature | undefined {
  const row = byName(db).get({ name });
  return row && { ...toFeature(row), archived: row.archivedAt !== null };
}

/** A row of a flag with true and false instead of 1 and 0. */
export const toFeature = fromStored(Feature);

/**
 * The flag with this name in a project, archived or not.
 * @throws ApiError `NotFoundError` if there is none, or it is in another project
 */
export function requireFeature(db: Database, project: string, name: string): Feature {
  const feature = findFeature(db, name);
  return found(feature?.project === project ? feature : undefined, `flag ${name} in the project ${project}`);
}

/** The same, unless it is archived. @throws ApiError `NotFoundError` */
export function requireLiveFeature(db: Database, project: string, name: string): Feature {
  const feature = requireFeature(db, project, name);
  if (feature.archived) throw new ApiError("NotFoundError", `The flag ${name} is archived`);
  return feature;
}

/** The flag with this name in any project. @throws ApiError `NotFoundError` */
export const requireFeatureNamed = (db: Database, name: string): Feature =>
  found(findFeature(db, name), `flag ${name}`);

/**
 * Those of the named flags that exist.
 * @throws ApiError `InvalidOperationError` if one is in another project (original)
 */
export function requireFeaturesOf(db: Database, project: string, names: readonly string[]): Feature[] {
  const features = [...new Set(names)].flatMap((name) => findFeature(db, name) ?? []);
  const other = features.find((feature) => feature.project !== project);
  if (!other) return features;
  throw new ApiError("InvalidOperationError", `The flag ${other.name} is not in the project ${project}`);
}

/** Whether the actor may not see the flag with this name; there may have been a hidden one if there is none. */
export function mayBeHidden(db: Database, actor: Actor, name: string): boolean {
  const hidden = hiddenProjects(db, actor);
  const feature = findFeature(db, name);
  return feature ? hidden.includes(feature.project) : hidden.length > 0;
}

/** SQL: a flag's dependencies as a JSON list. */
export const DEPENDENCIES = `json_group_array(json_object(
  'feature', parent, 'enabled', json(iif(enabled, 'true', 'false')), 'variants', json(variants)) ORDER BY parent)`;

const childrenOf = valueQuery<{ name: string }, string>(`
  SELECT feature FROM feature_dependencies JOIN features ON features.name = feature
  WHERE parent = :name AND archived_at IS NULL ORDER BY feature`);

/** The names of live flags that depend on this one, sorted. */
export const liveChildren = (db: Database, name: string): string[] => childrenOf(db).all({ name });

type ListedRow = Stored<Omit<ProjectFeature, "lastSeenAt" | "environments">>;

const liveFeatures = query<{ project: string; userId: number | null }, ListedRow>(`
  SELECT name, type, description, stale,
    EXISTS (SELECT 1 FROM feature_favorites WHERE feature = name AND user_id = :userId) AS favorite,
    impression_data AS impressionData, created_at AS createdAt,
    (SELECT json_group_array(json_object('type', feature_tags.type, 'value', value)
      ORDER BY feature_tags.type, value) FROM feature_tags WHERE feature = name) AS tags
  FROM features
  WHERE project = :project AND archived_at IS NULL
    AND (SELECT archived_at FROM projects WHERE id = :project) IS NULL
  ORDER BY name`);

type Environment = Pick<FeatureEnvironment, "name" | "type" | "sortOrder">;

const environmentsOf = query<{ project: string }, Environment>(`
  SELECT name, type, sort_order AS sortOrder
  FROM project_environments JOIN environments ON name = environment
  WHERE project = :project ORDER BY sort_order, name`);

interface State {
  feature: string;
  environment: string;
  enabled: 0 | 1;
  variantCount: number;
  lastSeenAt: string | null;
  /** Over its strategies: 0 if any is enabled, null if there are none. */
  leastDisabled: 0 | 1 | null;
}

const statesOf = query<{ project: string }, State>(`
  SELECT feature, environment, enabled, json_array_length(variants) AS variantCount, last_seen_at AS lastSeenAt,
    (SELECT min(disabled) FROM strategies
      WHERE strategies.feature = features.name AND strategies.environment = feature_environments.environment)
      AS leastDisabled
  FROM features CROSS JOIN feature_environments ON feature = features.name
  WHERE project = :project AND archived_at IS NULL`);

/** The live flags of a live project by name; none if the project is unknown or archived. */
export function projectFeatures(
  db: Database,
  project: string,
  userId: number | null,
  filter: FeatureFilter = { namePrefix: "", tag: [] },
): ProjectFeature[] {
  const environments = environmentsOf(db).all({ project });
  const states = Map.groupBy(statesOf(db).all({ project }), ({ feature }) => feature);
  const isListed = toCondition(filter);
  return liveFeatures(db)
    .all({ project, userId })
    .map((row) => toListed(row, environments, states.get(row.name) ?? []))
    .filter(isListed);
}

/** Every flag lists all environments of its project, including those where it was never touched. */
function toListed(row: ListedRow, all: readonly Environment[], states: readonly State[]): ProjectFeature {
  const { tags, ...feature } = restored(row);
  const environments = all.map((environment) =>
    toEnvironment(
      environment,
      states.find((state) => state.environment === environment.name),
    ),
  );
  const lastSeenAt = newest(environments.map(({ lastSeenAt }) => lastSeenAt));
  return { ...feature, lastSeenAt, environments, tags };
}

const restored = fromStored(ProjectFeature);

const toEnvironment = (environment: Environment, state?: State): FeatureEnvironment => ({
  name: environment.name,
  type: environment.type,
  enabled: state?.enabled === 1,
  sortOrder: environment.sortOrder,
  variantCount: state?.variantCount ?? 0,
  lastSeenAt: state?.lastSeenAt ?? null,
  hasStrategies: (state?.leastDisabled ?? null) !== null,
  hasEnabledStrategies: state?.leastDisabled === 0,
});

const newest = (times: Array<string | null>) =>
  times.reduce((newest, time) => (time !== null && (newest === null || time > newest) ? time : newest), null);

function toCondition({ namePrefix, tag: wantedTags }: FeatureFilter) {
  const prefix = namePrefix.toLowerCase();
  const isMatch = ({ type, value }: Tag) =>
    wantedTags.some((wanted) => wanted.type === type && wanted.value === value);
  return ({ name, tags }: ProjectFeature) =>
    name.toLowerCase().startsWith(prefix) && (wantedTags.length === 0 || tags.some(isMatch));
}
