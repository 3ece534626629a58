import { type Database, perDatabase } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import { type Actor, SERVICE_USER_ID } from "./actor.ts";
import { ROLES } from "./permissions.ts";

const rightsIn = perDatabase((): { db?: Database } => ({}));

/** Rights are those in another database, such as today's for one that shows how things were. */
export const useRightsOf = (db: Database, other: Database) => void Object.assign(rightsIn(db), { db: other });

/** The database that says who may do what. */
export const rightsOf = (db: Database): Database => rightsIn(db).db ?? db;

/*
 * A private project is visible to its members (a role in it, directly or through a group), to holders of ADMIN and to
 * service tokens; from anyone else it is hidden with everything in it. Once deleted, it has no members, and its log stays
 * hidden.
 */

const hiddenFrom = query<{ userId: number | null }, { id: string }>(`
  SELECT id FROM private_project_ids
  WHERE id NOT IN (SELECT project FROM project_members WHERE user_id = :userId)`);

/** Admin, or a custom role with that permission; limited to an environment, it wouldn't cover everything. */
const isAdmin = (role: string) => `(${role} = ${ROLES.admin} OR EXISTS (
  SELECT 1 FROM role_permissions WHERE role_id = ${role} AND name = 'ADMIN' AND environment IS NULL))`;

/** SQL: whether a row of `users` holds ADMIN. */
export const HOLDS_ADMIN = `(${isAdmin("users.root_role")} OR EXISTS (
  SELECT 1 FROM group_users JOIN groups ON groups.id = group_users.group_id
  WHERE group_users.user_id = users.id AND ${isAdmin("groups.root_role")}))`;

/** SQL: `integrations` with their last editors in `users`. */
export const EDITED_INTEGRATIONS = `integrations LEFT JOIN users ON users.id = edited_by_user_id`;

/** SQL: whether the last editor of an integration may see a project, given as SQL; null is none. */
export const editorSees = (project: string) => `(${project} IS NULL
  OR ${project} NOT IN (SELECT id FROM private_project_ids)
  OR edited_by_user_id = ${SERVICE_USER_ID} OR ${HOLDS_ADMIN}
  OR EXISTS (SELECT 1 FROM project_members WHERE project_members.project = ${project} AND user_id = users.id))`;

const privateProject = query<{ id: string }>(`SELECT 1 FROM private_project_ids WHERE id = :id`);

/**
 * The first of these projects that is private, else null: an event about them belongs to that one, and so is hidden with
 * it.
 */
export const firstPrivate = (db: Database, projects: Iterable<string>): string | null =>
  [...projects].find((id) => privateProject(db).get({ id }) !== undefined) ?? null;

/** The ids of the projects that the actor may not see; usually none. */
export const hiddenProjects = (db: Database, actor: Actor): string[] =>
  actor.isAdmin
    ? []
    : hiddenFrom(rightsOf(db))
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
