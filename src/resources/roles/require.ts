import { type Database, query } from "../../db/statement.ts";
import { invalid } from "../../http/error.ts";
import type { Role } from "./schema.ts";

/** A role's columns in its own form on the wire. */
export const ROLE_COLUMNS = `roles.id, roles.name,
  CASE type WHEN 'custom-root' THEN 'root-custom' ELSE type END AS type, ifnull(roles.description, '') AS description`;

const IS_ROOT = `type IN ('root', 'custom-root')`;

const rootRoleById = query<{ id: number }, Role>(`
  SELECT ${ROLE_COLUMNS} FROM roles WHERE id = :id AND ${IS_ROOT}`);

const rootRoleByName = query<{ name: string }, Role>(`
  SELECT ${ROLE_COLUMNS} FROM roles WHERE name = :name COLLATE NOCASE AND ${IS_ROOT}`);

const allRootRoles = query<object, Role>(`SELECT ${ROLE_COLUMNS} FROM roles WHERE ${IS_ROOT} ORDER BY id`);

const inProject = query<{ userId: number; project: string }, Role>(`
  SELECT DISTINCT ${ROLE_COLUMNS} FROM project_members JOIN roles ON roles.id = role_id
  WHERE user_id = :userId AND project = :project ORDER BY roles.id`);

/** The roles that a user has in a project, directly or through a group, by id. */
export const rolesInProject = (db: Database, userId: number, project: string): Role[] =>
  inProject(db).all({ userId, project });

/** The roles that users and groups can have in the whole instance, by id. */
export const rootRoles = (db: Database): Role[] => allRootRoles(db).all({});

/** A root role that somebody has. */
export const rootRole = (db: Database, id: number): Role => rootRoleById(db).get({ id })!;

/** A root role by its name in any letter case. */
export const rootRoleNamed = (db: Database, name: string): Role | undefined =>
  rootRoleByName(db).get({ name });

/** The id of a root role that is given by id or by name. @throws ApiError `ValidationError` */
export function requireRootRole(db: Database, role: number | string): number {
  const found = typeof role === "number" ? rootRoleById(db).get({ id: role }) : rootRoleNamed(db, role);
  if (found) return found.id;
  throw invalid({ path: "body.rootRole", message: `there is no root role ${role}` });
}
