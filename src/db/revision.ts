import type { Database } from "./statement.ts";

/*
 * When each table was last changed by this process, counted in changes. What was made of some tables is good as long as
 * none was changed since. Most of what is changed belongs to one project, and so does most of what is read, so some tables have a
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

/** Which change was the last of something, by table, or by table and project. */
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

let changes = 0;

/** How many changes there were, of any file: what is read from now on holds them. */
export const changesSoFar = () => changes;

/** After a commit. @param project where all of it was done within one */
export function bump(db: Database, tables: Iterable<string>, project = "") {
  const revisions = revisionsOf(db);
  changes++;
  for (const table of tables) {
    revisions.set(table, changes);
    if (OF_PROJECTS.has(table)) revisions.set(ofProject(table, project), changes);
  }
  for (const tell of watching.get(db) ?? []) tell(tables);
}

/** Told which tables a change has written; must be quick, for whoever made the change waits. */
export type Watcher = (tables: Iterable<string>) => void;

const watching = new WeakMap<Database, Set<Watcher>>();

/** Tells of every change of this process as soon as it is on disk. @returns what ends it */
export function onChange(db: Database, watcher: Watcher): () => void {
  const watchers = watching.get(db) ?? new Set();
  watching.set(db, watchers.add(watcher));
  return () => void watchers.delete(watcher);
}

/** After what may have changed anything. */
export const bumpEverything = (db: Database) => bump(db, [EVERYTHING]);

/** What something was made of, and how many changes there were before. */
export interface Stamp {
  readonly keys: readonly string[];
  readonly since: number;
}

/** @param since taken before anything was read @param project where the tables were read within one */
export function stampOf(tables: Iterable<string>, since: number, project?: string): Stamp {
  const keys = [EVERYTHING];
  for (const table of tables) {
    if (project === undefined || !OF_PROJECTS.has(table)) keys.push(table);
    else keys.push(ofProject(table, project), beyondProjects(table));
  }
  return { keys, since };
}

/** Whether nothing that was stamped has changed since. */
export function isCurrent(db: Database, { keys, since }: Stamp): boolean {
  const revisions = revisionsOf(db);
  return keys.every((key) => (revisions.get(key) ?? 0) <= since);
}
