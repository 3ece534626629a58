import { type Database, query } from "../../db/statement.ts";
import type { Tag } from "../../events/schema.ts";
import type { FeatureEnvironment, FeatureFilter, ProjectFeature } from "./schema.ts";

interface FeatureRow {
  name: string;
  type: string;
  description: string | null;
  stale: 0 | 1;
  favorite: 0 | 1;
  impressionData: 0 | 1;
  createdAt: string;
}

interface EnvironmentRow {
  feature: string;
  name: string;
  type: string;
  enabled: 0 | 1;
  sortOrder: number;
  variantCount: number;
  lastSeenAt: string | null;
  /** Over its strategies: 0 if any is enabled, null if there are none. */
  leastDisabled: 0 | 1 | null;
}

const liveFeatures = query<{ project: string; userId: number | null }, FeatureRow>(`
  SELECT name, type, description, stale, impression_data AS impressionData, created_at AS createdAt,
    EXISTS (SELECT 1 FROM feature_favorites WHERE feature = name AND user_id = :userId) AS favorite
  FROM features
  WHERE project = :project AND archived_at IS NULL
    AND (SELECT archived_at FROM projects WHERE id = :project) IS NULL
  ORDER BY name`);

// Every flag lists all environments of the project, including those where the flag was never touched.
const environmentsOf = query<{ project: string }, EnvironmentRow>(`
  SELECT features.name AS feature, environments.name, environments.type,
    ifnull(feature_environments.enabled, 0) AS enabled, environments.sort_order AS sortOrder,
    ifnull(json_array_length(feature_environments.variants), 0) AS variantCount,
    feature_environments.last_seen_at AS lastSeenAt,
    (SELECT min(disabled) FROM strategies
      WHERE feature = features.name AND environment = environments.name) AS leastDisabled
  FROM project_environments
  JOIN environments ON environments.name = project_environments.environment
  CROSS JOIN features ON features.project = project_environments.project AND features.archived_at IS NULL
  LEFT JOIN feature_environments
    ON feature_environments.feature = features.name AND feature_environments.environment = environments.name
  WHERE project_environments.project = :project
  ORDER BY environments.sort_order, environments.name`);

const tagsOf = query<{ project: string }, Tag & { feature: string }>(`
  SELECT feature_tags.feature, feature_tags.type, feature_tags.value
  FROM features JOIN feature_tags ON feature_tags.feature = features.name
  WHERE features.project = :project AND features.archived_at IS NULL
  ORDER BY feature_tags.type, feature_tags.value`);

/** The live flags of a live project by name; none if the project is unknown or archived. */
export function projectFeatures(
  db: Database,
  project: string,
  userId: number | null,
  filter: FeatureFilter,
): ProjectFeature[] {
  const features = liveFeatures(db).all({ project, userId });
  if (features.length === 0) return [];
  const environments = Map.groupBy(environmentsOf(db).all({ project }), (row) => row.feature);
  const tags = Map.groupBy(tagsOf(db).all({ project }), (row) => row.feature);
  const isListed = toCondition(filter);
  return features
    .filter(({ name }) => isListed(name, tags.get(name) ?? []))
    .map((row) => toProjectFeature(row, environments.get(row.name) ?? [], tags.get(row.name) ?? []));
}

function toCondition({ namePrefix, tag: wanted }: FeatureFilter) {
  const prefix = namePrefix.toLowerCase();
  const isWanted = ({ type, value }: Tag) => wanted.some((one) => one.type === type && one.value === value);
  return (name: string, tags: Tag[]) =>
    name.toLowerCase().startsWith(prefix) && (wanted.length === 0 || tags.some(isWanted));
}

const toProjectFeature = (row: FeatureRow, environments: EnvironmentRow[], tags: Tag[]): ProjectFeature => ({
  name: row.name,
  type: row.type,
  description: row.description,
  stale: row.stale === 1,
  favorite: row.favorite === 1,
  impressionData: row.impressionData === 1,
  createdAt: row.createdAt,
  lastSeenAt: newest(environments.map((environment) => environment.lastSeenAt)),
  environments: environments.map(toEnvironment),
  tags: tags.map(({ type, value }) => ({ type, value })),
});

const newest = (times: Array<string | null>) =>
  times.reduce((newest, time) => (time !== null && (newest === null || time > newest) ? time : newest), null);

const toEnvironment = (row: EnvironmentRow): FeatureEnvironment => ({
  name: row.name,
  type: row.type,
  enabled: row.enabled === 1,
  sortOrder: row.sortOrder,
  variantCount: row.variantCount,
  lastSeenAt: row.lastSeenAt,
  hasStrategies: row.leastDisabled !== null,
  hasEnabledStrategies: row.leastDisabled === 0,
});
