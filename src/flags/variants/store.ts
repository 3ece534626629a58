import { type Database, query } from "../../db/statement.ts";
import type { FlagVariant } from "../../evaluation/variant.ts";

// All environments of the flag's project, including those where the flag was never touched.
const inEnvironments = query<{ feature: string }, { environment: string; variants: string }>(`
  SELECT project_environments.environment, ifnull(feature_environments.variants, '[]') AS variants
  FROM features
  JOIN project_environments ON project_environments.project = features.project
  JOIN environments ON environments.name = project_environments.environment
  LEFT JOIN feature_environments ON feature_environments.feature = features.name
    AND feature_environments.environment = project_environments.environment
  WHERE features.name = :feature
  ORDER BY environments.sort_order, environments.name`);

const ofStrategiesAndFlag = query<{ project: string; feature: string }, string>(`
  SELECT json_each.value ->> 'name' AS name
  FROM features JOIN strategies ON strategies.feature = features.name, json_each(strategies.variants)
  WHERE features.name = :feature AND features.project = :project
  UNION
  SELECT json_each.value ->> 'name'
  FROM features JOIN feature_environments ON feature_environments.feature = features.name,
    json_each(feature_environments.variants)
  WHERE features.name = :feature AND features.project = :project
  ORDER BY name`);

/** The variants of a flag per environment of its project, in the order of the environments. */
export const variantsByEnvironment = (db: Database, feature: string): Map<string, FlagVariant[]> =>
  new Map(
    inEnvironments(db)
      .all({ feature })
      .map(({ environment, variants }) => [environment, JSON.parse(variants)]),
  );

/** The variants of the first environment that has any, which count as the flag's own (original). */
export const variantsOf = (db: Database, feature: string): FlagVariant[] =>
  [...variantsByEnvironment(db, feature).values()].find((variants) => variants.length > 0) ?? [];

/** The names of all variants of a flag and its strategies; none if the flag is unknown (original). */
export const variantNames = (db: Database, project: string, feature: string): string[] =>
  ofStrategiesAndFlag(db).pluck().all({ project, feature });
