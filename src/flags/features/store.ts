import type { Database } from "../../db/database.ts";
import { query } from "../../db/statement.ts";
import type { Tag } from "../../events/schema.ts";
import type { FeatureEnvironment, FeatureFilter, ProjectFeature } from "./schema.ts";

interface Of {
  project: string;
}

interface FeatureRow {
  name: string;
  type: string;
  description: string | null;
  stale: 0 | 1;
  favorite: 0 | 1;
  impressionData: 0 | 1;
  createdAt: string;
  /** A JSON list. */
  tags: string;
}

const liveFeatures = query<Of & { userId: number | null }, FeatureRow>(`
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

const environmentsOf = query<Of, Environment>(`
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

const statesOf = query<Of, State>(`
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
  filter: FeatureFilter,
): ProjectFeature[] {
  const environments = environmentsOf(db).all({ project });
  const states = Map.groupBy(statesOf(db).all({ project }), ({ feature }) => feature);
  const isListed = toCondition(filter);
  return liveFeatures(db)
    .all({ project, userId })
    .map((row) => toFeature(row, environments, states.get(row.name) ?? []))
    .filter(isListed);
}

/** Every flag lists all environments of its project, including those where it was never touched. */
function toFeature(row: FeatureRow, all: readonly Environment[], states: readonly State[]): ProjectFeature {
  const environments = all.map((environment) =>
    toEnvironment(
      environment,
      states.find((state) => state.environment === environment.name),
    ),
  );
  return {
    name: row.name,
    type: row.type,
    description: row.description,
    stale: row.stale === 1,
    favorite: row.favorite === 1,
    impressionData: row.impressionData === 1,
    createdAt: row.createdAt,
    lastSeenAt: newest(environments.map(({ lastSeenAt }) => lastSeenAt)),
    environments,
    tags: JSON.parse(row.tags),
  };
}

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
