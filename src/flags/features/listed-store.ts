import { rowCache } from "../../db/row-cache.ts";
import { type Database, query } from "../../db/statement.ts";
import type { Tag } from "../../events/schema.ts";
import type { FeatureEnvironment, ProjectFeature } from "./schema.ts";

/** A flag in its project's list: its JSON before and after the value of `favorite`, and its tags to filter by. */
export interface Listed {
  before: string;
  after: string;
  tags: readonly Tag[];
}

// Most of a list's cost is reading its rows and serializing them, and usually only one flag has changed.
const cachedTexts = rowCache<string, Listed>("listed_features", {
  limit: 8 * 1024 * 1024, // about five thousand flags
  sizeOf: ({ before, after }) => before.length + after.length,
  sources: {
    features: "name",
    feature_environments: "feature",
    strategies: "feature",
    feature_tags: "feature",
    environments: null,
    project_environments: null,
  },
});

interface FeatureRow {
  name: string;
  type: string;
  description: string | null;
  stale: 0 | 1;
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

const features = query<{ names: string }, FeatureRow>(`
  SELECT name, features.type, description, stale, impression_data AS impressionData, created_at AS createdAt
  FROM json_each(:names) CROSS JOIN features ON name = json_each.value`);

// Every flag lists all environments of the project, including those where the flag was never touched.
const environmentsOf = query<{ names: string }, EnvironmentRow>(`
  SELECT features.name AS feature, environments.name, environments.type,
    ifnull(feature_environments.enabled, 0) AS enabled, environments.sort_order AS sortOrder,
    ifnull(json_array_length(feature_environments.variants), 0) AS variantCount,
    feature_environments.last_seen_at AS lastSeenAt,
    (SELECT min(disabled) FROM strategies
      WHERE feature = features.name AND environment = environments.name) AS leastDisabled
  FROM json_each(:names)
  CROSS JOIN features ON features.name = json_each.value
  CROSS JOIN project_environments ON project_environments.project = features.project
  CROSS JOIN environments ON environments.name = project_environments.environment
  LEFT JOIN feature_environments
    ON feature_environments.feature = features.name AND feature_environments.environment = environments.name
  ORDER BY environments.sort_order, environments.name`);

const tagsOf = query<{ names: string }, Tag & { feature: string }>(`
  SELECT feature_tags.feature, feature_tags.type, feature_tags.value
  FROM json_each(:names) CROSS JOIN feature_tags ON feature = json_each.value
  ORDER BY feature_tags.type, feature_tags.value`);

/** These flags as their project lists them, in the same order. */
export const listedTexts = (db: Database, names: readonly string[]): Listed[] =>
  cachedTexts(db).of(names, (missing) => buildTexts(db, missing));

function buildTexts(db: Database, names: readonly string[]): Array<[name: string, Listed]> {
  const bind = { names: JSON.stringify(names) };
  const environments = Map.groupBy(environmentsOf(db).all(bind), (row) => row.feature);
  const tags = Map.groupBy(tagsOf(db).all(bind), (row) => row.feature);
  const toText = (row: FeatureRow) =>
    toListed(row, environments.get(row.name) ?? [], tags.get(row.name) ?? []);
  return features(db)
    .all(bind)
    .map((row) => [row.name, toText(row)]);
}

function toListed(row: FeatureRow, environments: EnvironmentRow[], featureTags: Tag[]): Listed {
  const tags = featureTags.map(({ type, value }) => ({ type, value }));
  const before: Partial<ProjectFeature> = {
    name: row.name,
    type: row.type,
    description: row.description,
    stale: row.stale === 1,
  };
  const after: Partial<ProjectFeature> = {
    impressionData: row.impressionData === 1,
    createdAt: row.createdAt,
    lastSeenAt: newest(environments.map((environment) => environment.lastSeenAt)),
    environments: environments.map(toEnvironment),
    tags,
  };
  const [head, tail] = [JSON.stringify(before), JSON.stringify(after)];
  return { before: `${head.slice(0, -1)},"favorite":`, after: `,${tail.slice(1)}`, tags };
}

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
