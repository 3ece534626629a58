import { type Database, query } from "../../db/statement.ts";

const places = query<object, { project: string; environment: string }>(
  `SELECT project, environment FROM project_environments`,
);

const NONE: ReadonlySet<string> = new Set();

/** Looks up the names of a project's environments. */
export function environmentsByProject(db: Database) {
  const found = new Map<string, Set<string>>();
  for (const { project, environment } of places(db).iterate({}))
    found.set(project, (found.get(project) ?? new Set()).add(environment));
  return (project: string) => found.get(project) ?? NONE;
}
