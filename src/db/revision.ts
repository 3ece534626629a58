import type { Database } from "./statement.ts";

/*
 * How often each table was changed by this process. What was made of some tables is good as long as their revisions
 * stand. Most of what is changed belongs to one project, and so does most of what is read, so some tables have a
 * revision for each project too.
 */

/** Of these a change within a project touches only what belongs to it, and a read within a project reads only that. */
const OF_PROJECTS: ReadonlySet<string> = new Set([
  "features",
  "feature_environments",
  "feature_tags",
  "feature_favorites",
  "feature_stages",
  "strategies",
  "strategy_segments",
  "strategy_context_fields",
  "project_environments",
  "events",
]);

/** How often something was changed, by table, or by table and project. */
type Revisions = Map<string, number>;

const known = new WeakMap<Database, Revisions>();

function revisionsOf(db: Database): Revisions {
  const found = known.get(db);
  if (found) return found;
  const revisions: Revisions = new Map();
  known.set(db, revisions);
  return revisions;
}

const EVERYTHING = "";
const ofProject = (table: string, project: string) => `${table} ${project}`;
/** Changes that were not made within a project; none has an empty id. */
const beyondProjects = (table: string) => ofProject(table, "");

const increment = (revisions: Revisions, key: string) => revisions.set(key, (revisions.get(key) ?? 0) + 1);

/** After a commit. @param project where all of it was done within one */
export function bump(db: Database, tables: Iterable<string>, project = "") {
  const revisions = revisionsOf(db);
  for (const table of tables) {
    increment(revisions, table);
    if (OF_PROJECTS.has(table)) increment(revisions, ofProject(table, project));
  }
}

/** After what may have changed anything. */
export const bumpEverything = (db: Database) => void increment(revisionsOf(db), EVERYTHING);

/** What something was made of, and its revisions then. */
export type Stamp = ReadonlyArray<readonly [key: string, revision: number | undefined]>;

/** The present revisions of tables. @param project where they were read within one */
export function stampOf(db: Database, tables: Iterable<string>, project?: string): Stamp {
  const keys = [EVERYTHING];
  for (const table of tables) {
    if (project === undefined || !OF_PROJECTS.has(table)) keys.push(table);
    else keys.push(ofProject(table, project), beyondProjects(table));
  }
  const revisions = revisionsOf(db);
  return keys.map((key) => [key, revisions.get(key)]);
}

/** Whether nothing that was stamped has changed since. */
export function isCurrent(db: Database, stamp: Stamp): boolean {
  const revisions = revisionsOf(db);
  return stamp.every(([key, revision]) => revisions.get(key) === revision);
}
