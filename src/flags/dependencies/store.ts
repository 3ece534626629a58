import { type Database, query } from "../../db/statement.ts";

const candidates = query<{ project: string; child: string }, string>(`
  SELECT name FROM features
  WHERE project = :project AND archived_at IS NULL AND name <> :child
    AND EXISTS (SELECT 1 FROM features WHERE name = :child AND project = :project)
    AND NOT EXISTS (SELECT 1 FROM feature_dependencies WHERE feature = name)
  ORDER BY name`);

const anyDependency = query<{ project: string }>(`
  SELECT 1 FROM feature_dependencies JOIN features ON features.name = feature WHERE project = :project LIMIT 1`);

/** The names of the flags that a flag of the project may depend on; none for an unknown flag (original). */
export const possibleParents = (db: Database, project: string, child: string): string[] =>
  candidates(db).pluck().all({ project, child });

/** Whether any flag of a project depends on another one. */
export const hasDependencies = (db: Database, project: string): boolean =>
  anyDependency(db).get({ project }) !== undefined;
