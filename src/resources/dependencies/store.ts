import { type Database, query } from "../../db/statement.ts";

const candidates = query<{ project: string; child: string }, string>(`
  SELECT name FROM features
  WHERE project = :project AND archived_at IS NULL AND name <> :child
    AND NOT EXISTS (SELECT 1 FROM feature_dependencies WHERE feature = name)
  ORDER BY name`);

const anyOf = query<{ project: string }>(`
  SELECT 1 FROM feature_dependencies JOIN features ON features.name = feature WHERE project = :project LIMIT 1`);

// Variants of the flag's environments and of its strategies.
const variantsOf = query<{ project: string; parent: string }, string>(`
  SELECT json_each.value ->> 'name' AS name
  FROM features JOIN feature_environments ON feature = features.name, json_each(variants)
  WHERE features.name = :parent AND project = :project
  UNION
  SELECT json_each.value ->> 'name'
  FROM features JOIN strategies ON feature = features.name, json_each(variants)
  WHERE features.name = :parent AND project = :project
  ORDER BY 1`);

/** The flags of a project that another one of it may depend on, by name. */
export const possibleParents = (db: Database, project: string, child: string): string[] =>
  candidates(db).pluck().all({ project, child });

/** Whether any flag of a project depends on another one. */
export const hasDependencies = (db: Database, project: string): boolean =>
  anyOf(db).get({ project }) !== undefined;

/** The names of the variants that a flag can have, by name. */
export const variantNames = (db: Database, project: string, parent: string): string[] =>
  variantsOf(db).pluck().all({ project, parent });
