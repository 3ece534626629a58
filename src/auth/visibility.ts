import { type Database, query } from "../db/statement.ts";
import { ApiError } from "../http/error.ts";
import type { Actor } from "./actor.ts";

/*
 * A private project is visible to its members (a role in it, directly or through a group), to holders of ADMIN and to
 * service tokens; from anyone else it is hidden with everything in it (CONTRACT, Visibility).
 */

const hiddenFrom = query<{ userId: number | null }, { id: string }>(`
  SELECT id FROM projects
  WHERE mode = 'private'
    AND id NOT IN (SELECT project FROM project_members WHERE user_id = :userId)`);

const privateProject = query<{ id: string }>(`SELECT 1 FROM projects WHERE id = :id AND mode = 'private'`);

/** Whether a project is hidden from non-members. */
export const isPrivate = (db: Database, project: string) =>
  privateProject(db).get({ id: project }) !== undefined;

/** The ids of the projects that the actor may not see; usually none. */
export const hiddenProjects = (db: Database, actor: Actor): string[] =>
  actor.isAdmin
    ? []
    : hiddenFrom(db)
        .all({ userId: actor.userId })
        .map((project) => project.id);

/** @throws ApiError `NoAccessError` if the project is hidden from the actor; an unknown one is not. */
export function requireVisible(db: Database, actor: Actor, project: string) {
  if (!hiddenProjects(db, actor).includes(project)) return;
  // The project isn't named: if a flag was requested, its project is hidden too.
  throw new ApiError(
    "NoAccessError",
    "This belongs to a private project: you need a role in it or the permission ADMIN",
  );
}
