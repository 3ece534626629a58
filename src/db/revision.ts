import type { Database } from "./statement.ts";

/*
 * The number of the last change that this process made to each table. A cached result is current as long as none of
 * the tables it was read from has changed since. Most changes and most reads stay within one project, so some tables
 * have a revision per project too.
 */

/** In these tables, a change within a project touches only that project's rows, and a read within it reads only those. */
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

/** The last change to each table, or to each table and project. */
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
/** Changes not confined to a project; no project has an empty id. */
const beyondProjects = (table: string) => ofProject(table, "");

let changes = 0;

/** The number of changes so far, in any file: whatever is read from now on includes them. */
export const changesSoFar = () => changes;

/** Called after a commit. @param project if everything changed belongs to one */
export function bump(db: Database, tables: Iterable<string>, project = "") {
  const revisions = revisionsOf(db);
  changes++;
  for (const table of tables) {
    revisions.set(table, changes);
    if (OF_PROJECTS.has(table)) revisions.set(ofProject(table, project), changes);
  }
  for (const notify of watching.get(db) ?? []) notify(tables);
}

/** Called with the tables that a change has written; must be quick, since the change waits for it. */
export type Watcher = (tables: Iterable<string>) => void;

const watching = new WeakMap<Database, Set<Watcher>>();

/** Reports every change by this process as soon as it is on disk. @returns a function that stops it */
export function onChange(db: Database, watcher: Watcher): () => void {
  const watchers = watching.get(db) ?? new Set();
  watching.set(db, watchers.add(watcher));
  return () => void watchers.delete(watcher);
}

/** For changes that may have touched any table. */
export const bumpEverything = (db: Database) => bump(db, [EVERYTHING]);

/** What a result was read from, and the number of changes before that. */
export interface Stamp {
  readonly keys: readonly string[];
  readonly since: number;
}

/** @param since taken before anything was read @param project if the tables were read within one */
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
