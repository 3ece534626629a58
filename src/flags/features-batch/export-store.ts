import { type Database, query } from "../../db/statement.ts";
import { toValues } from "../strategies-store.ts";
import type { FeaturesExport } from "./schema.ts";

interface Bind {
  names: string;
  environment: string;
}

const OF_FLAGS = `(SELECT value AS flag FROM json_each(:names)) CROSS JOIN`;

type Row<Name extends keyof FeaturesExport> = {
  [Key in keyof FeaturesExport[Name][number]]: FeaturesExport[Name][number][Key] extends boolean
    ? 0 | 1
    : FeaturesExport[Name][number][Key] extends string | number | null
      ? FeaturesExport[Name][number][Key]
      : string; // JSON
};

const features = query<Bind, Row<"features">>(`
  SELECT name, description, features.type, project, stale, impression_data AS impressionData,
    archived_at IS NOT NULL AS archived
  FROM ${OF_FLAGS} features ON name = flag ORDER BY name`);

const strategies = query<Bind, Row<"featureStrategies">>(`
  SELECT strategies.name, strategies.id, feature AS featureName, title, parameters, constraints, variants, disabled,
    (SELECT json_group_array(segment ORDER BY segment) FROM strategy_segments WHERE strategy = strategies.id)
      AS segments
  FROM ${OF_FLAGS} strategies ON feature = flag AND environment = :environment
  ORDER BY feature, sort_order, strategies.id`);

const environments = query<Bind, Row<"featureEnvironments">>(`
  SELECT ifnull(state.enabled, 0) AS enabled, features.name AS featureName, place.environment,
    ifnull(state.variants, '[]') AS variants, features.name
  FROM ${OF_FLAGS} features ON features.name = flag
  JOIN project_environments AS place ON place.project = features.project AND place.environment = :environment
  LEFT JOIN feature_environments AS state
    ON state.feature = features.name AND state.environment = place.environment
  ORDER BY features.name`);

const contextFields = query<{ names: string }, Row<"contextFields">>(`
  SELECT name, description, stickiness, sort_order AS sortOrder, legal_values AS legalValues
  FROM context_fields WHERE name IN (SELECT value FROM json_each(:names)) ORDER BY name`);

const tags = query<Bind, Row<"featureTags">>(`
  SELECT feature AS featureName, feature_tags.type AS tagType, feature_tags.value AS tagValue
  FROM ${OF_FLAGS} feature_tags ON feature = flag ORDER BY feature, feature_tags.type, feature_tags.value`);

const segments = query<{ ids: string }, Row<"segments">>(`
  SELECT id, name FROM segments WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id`);

const tagTypes = query<{ names: string }, Row<"tagTypes">>(`
  SELECT name, description, icon FROM tag_types WHERE name IN (SELECT value FROM json_each(:names)) ORDER BY name`);

const dependencies = query<Bind, Row<"dependencies">>(`
  SELECT feature, json_group_array(json_object('feature', parent, 'enabled', json(iif(enabled, 'true', 'false')),
      'variants', json(variants)) ORDER BY parent) AS dependencies
  FROM ${OF_FLAGS} feature_dependencies ON feature = flag GROUP BY feature ORDER BY feature`);

/** The state of flags in an environment, with everything they refer to. */
export function exportOf(db: Database, flags: readonly string[], environment: string): FeaturesExport {
  const bind = { names: JSON.stringify(flags), environment };
  const featureStrategies = strategies(db).all(bind).map(toValues);
  const featureEnvironments = environments(db).all(bind).map(toEnvironment);
  const featureTags = tags(db).all(bind);
  const fields = JSON.stringify(fieldsOf({ featureStrategies, featureEnvironments }));
  const types = JSON.stringify(featureTags.map(({ tagType }) => tagType));
  const ids = JSON.stringify(featureStrategies.flatMap((strategy) => strategy.segments));
  return {
    features: features(db).all(bind).map(toFeature),
    featureStrategies,
    featureEnvironments,
    contextFields: contextFields(db).all({ names: fields }).map(toField),
    featureTags,
    segments: segments(db).all({ ids }),
    tagTypes: tagTypes(db).all({ names: types }),
    dependencies: dependencies(db)
      .all(bind)
      .map((row) => ({ ...row, dependencies: JSON.parse(row.dependencies) })),
  };
}

/** The context fields of constraints and stickiness. */
const fieldsOf = ({
  featureStrategies,
  featureEnvironments,
}: Pick<FeaturesExport, "featureStrategies" | "featureEnvironments">) => [
  ...featureStrategies.flatMap(({ constraints, parameters }) => [
    parameters.stickiness,
    ...constraints.map(({ contextName }) => contextName),
  ]),
  ...featureEnvironments.flatMap(({ variants }) => variants.map(({ stickiness }) => stickiness)),
];

const toFeature = (row: Row<"features">): FeaturesExport["features"][number] => ({
  ...row,
  stale: row.stale === 1,
  impressionData: row.impressionData === 1,
  archived: row.archived === 1,
});

const toEnvironment = (row: Row<"featureEnvironments">): FeaturesExport["featureEnvironments"][number] => ({
  ...row,
  enabled: row.enabled === 1,
  variants: JSON.parse(row.variants),
});

const toField = (row: Row<"contextFields">): FeaturesExport["contextFields"][number] => ({
  ...row,
  stickiness: row.stickiness === 1,
  legalValues: JSON.parse(row.legalValues),
});
