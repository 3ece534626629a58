import { PERMISSIONS, type Permission, ROLES } from "../../access/permissions.ts";
import { isKnown } from "../../db/known.ts";
import { type Database, query } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import type { RequestedPermission, Role, RolePermission } from "./schema.ts";

/** A role's columns in the form of the wire. */
export const ROLE_COLUMNS = `roles.id, roles.name,
  CASE type WHEN 'custom-root' THEN 'root-custom' ELSE type END AS type, ifnull(roles.description, '') AS description`;

const IS_ROOT = `type IN ('root', 'custom-root')`;

const rootRoleById = query<{ id: number }, Role>(`
  SELECT ${ROLE_COLUMNS} FROM roles WHERE id = :id AND ${IS_ROOT}`);

const rootRoleByName = query<{ name: string }, Role>(`
  SELECT ${ROLE_COLUMNS} FROM roles WHERE name = :name COLLATE NOCASE AND ${IS_ROOT}`);

const byId = query<{ id: number }, Role>(`SELECT ${ROLE_COLUMNS} FROM roles WHERE id = :id`);

const byName = query<{ name: string }, { id: number }>(
  `SELECT id FROM roles WHERE name = :name COLLATE NOCASE`,
);

const allRootRoles = query<object, Role>(`SELECT ${ROLE_COLUMNS} FROM roles WHERE ${IS_ROOT} ORDER BY id`);

const inProject = query<{ userId: number; project: string }, Role>(`
  SELECT DISTINCT ${ROLE_COLUMNS} FROM project_members JOIN roles ON roles.id = role_id
  WHERE user_id = :userId AND project = :project ORDER BY roles.id`);

/** A user's roles in a project, direct and through groups, by id. */
export const rolesInProject = (db: Database, userId: number, project: string): Role[] =>
  inProject(db).all({ userId, project });

/** The instance-wide roles of users and groups, by id. */
export const rootRoles = (db: Database): Role[] => allRootRoles(db).all({});

/** A root role that is assigned to someone. */
export const rootRole = (db: Database, id: number): Role => rootRoleById(db).get({ id })!;

/** A root role by name, in any letter case. */
export const rootRoleNamed = (db: Database, name: string): Role | undefined =>
  rootRoleByName(db).get({ name });

/** The id of a root role, given its id or name. @throws ApiError `ValidationError` */
export function requireRootRole(db: Database, role: number | string): number {
  const found = typeof role === "number" ? rootRoleById(db).get({ id: role }) : rootRoleNamed(db, role);
  if (found) return found.id;
  throw invalid({ path: "body.rootRole", message: `there is no root role ${role}` });
}

/** Undefined if there is none. */
export const roleById = (db: Database, id: number): Role | undefined => byId(db).get({ id });

/** A role that can be changed. @throws ApiError `NotFoundError`, or `InvalidOperationError` for a built-in one */
export function requireCustomRole(db: Database, id: number): Role {
  const role = roleById(db, id);
  if (!role) throw new ApiError("NotFoundError", `There is no role with the id ${id}`);
  if (id > ROLES.member) return role;
  throw new ApiError("InvalidOperationError", `The role ${role.name} is built in and can't be changed`);
}

/** @throws ApiError `NameExistsError` if another role has this name, in any letter case */
export function requireFreeRoleName(db: Database, name: string, exceptId?: number) {
  const other = byName(db).get({ name });
  if (other && other.id !== exceptId)
    throw new ApiError("NameExistsError", "body.name: there is already a role with this name");
}

/**
 * The requested permissions, without duplicates.
 * @throws ApiError `ValidationError` for one that doesn't exist, or that this type of role can't have
 */
export function requirePermissions(
  db: Database,
  type: Role["type"],
  requested: readonly RequestedPermission[],
): RolePermission[] {
  const checked = requested.map((permission, index) => {
    const path = `body.permissions.${index}`;
    const name = permissionNamed(permission);
    if (name === undefined) throw invalid({ path: `${path}.name`, message: "is not a permission" });
    const { scope } = PERMISSIONS[name];
    if (scope === "root" && type === "custom")
      throw invalid({ path: `${path}.name`, message: "is not for projects, only for the whole instance" });
    requireMatchingEnvironment(db, `${path}.environment`, scope === "environment", permission.environment);
    return { name, environment: permission.environment };
  });
  return [...new Map(checked.map((permission) => [JSON.stringify(permission), permission])).values()];
}

const permissionNamed = ({ id, name }: RequestedPermission): Permission | undefined =>
  (Object.keys(PERMISSIONS) as Permission[]).find((candidate) =>
    name == null ? PERMISSIONS[candidate].id === id : candidate === name,
  );

function requireMatchingEnvironment(
  db: Database,
  path: string,
  isBound: boolean,
  environment: string | null,
) {
  if (environment === null) return;
  if (!isBound)
    throw invalid({ path, message: "must be left out: the permission does not depend on the environment" });
  if (!isKnown(db, "environment", environment))
    throw invalid({ path, message: `there is no environment ${environment}` });
}
