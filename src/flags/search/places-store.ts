import { type Database, query } from "../../db/statement.ts";

const projects = query<{ environment: string }, string>(
  `SELECT project FROM project_environments WHERE environment = :environment`,
);

/** The projects that have this environment. */
export const projectsWith = (db: Database, environment: string): ReadonlySet<string> =>
  new Set(projects(db).pluck().all({ environment }));
