import * as v from "valibot";
import {
  PERMISSIONS,
  type Permission,
  type PermissionScope,
  permissionsOfBuiltIn,
} from "../access/permissions.ts";
import { Id, kind, LineError, Name, OptionalText, optional, withoutNulls } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, query } from "../db/statement.ts";
import { found, invalid } from "../lib/api-error.ts";
import { NonEmptyText, ShortText } from "../lib/validation.ts";

/** A role as in the API, where a custom root role has the type `root-custom` (original). */
export const Role = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  name: v.string(),
  type: v.picklist(["root", "project", "custom", "root-custom"]),
  description: v.string(),
});
export type Role = v.InferOutput<typeof Role>;

/** A role someone has, and the project it applies to. */
export const RoleInProject = v.strictObject({ ...Role.entries, project: v.nullable(v.string()) });

/** A permission that exists, or that a role has in an environment. */
export const PermissionDefinition = v.strictObject({
  id: v.number(),
  name: v.string(),
  displayName: v.string(),
  type: v.string(),
  environment: v.optional(v.string()),
});
type PermissionDefinition = v.InferOutput<typeof PermissionDefinition>;

export const AllPermissions = v.strictObject({
  root: v.array(PermissionDefinition),
  project: v.array(PermissionDefinition),
  environments: v.array(v.strictObject({ name: v.string(), permissions: v.array(PermissionDefinition) })),
});
export const RoleDetails = v.strictObject({ ...Role.entries, permissions: v.array(PermissionDefinition) });

export const RoleList = v.strictObject({ version: v.literal(1), roles: v.array(Role) });

/** The role that was just created or changed: a single one, not a list (original). */
export const ChangedRole = v.strictObject({ version: v.literal(1), roles: Role });
export const RoleId = v.pipe(v.string(), v.regex(/^[0-9]+$/, "must be a whole number"), v.transform(Number));

/** A permission of a role, by name or id; without an environment, it applies to all. */
const RequestedPermission = v.object({
  id: v.nullish(v.number()),
  name: v.nullish(v.string()),
  environment: v.pipe(
    v.nullish(v.string(), null),
    v.transform((name) => name || null),
  ),
});

export type RequestedPermission = v.InferOutput<typeof RequestedPermission>;

/** The body that creates or changes a custom role; `root-custom` is instance-wide, `custom` for projects. */
export const NewRole = v.object({
  name: v.pipe(NonEmptyText, v.trim(), v.nonEmpty("must not be empty")),
  description: v.nullish(ShortText, null),
  type: v.optional(v.picklist(["root-custom", "custom"])),
  permissions: v.optional(v.array(RequestedPermission), []),
});

/** A role's columns in the form of the wire. */
export const ROLE_COLUMNS = `roles.id, roles.name,
  CASE type WHEN 'custom-root' THEN 'root-custom' ELSE type END AS type, ifnull(roles.description, '') AS description`;

const IS_ROOT = `type IN ('root', 'custom-root')`;

const allRootRoles = query<object, Role>(`SELECT ${ROLE_COLUMNS} FROM roles WHERE ${IS_ROOT} ORDER BY id`);

const rootRoleById = query<{ id: number }, Role>(`
  SELECT ${ROLE_COLUMNS} FROM roles WHERE id = :id AND ${IS_ROOT}`);

const rootRoleByName = query<{ name: string }, Role>(`
  SELECT ${ROLE_COLUMNS} FROM roles WHERE name = :name COLLATE NOCASE AND ${IS_ROOT}`);

const inProject = query<{ userId: number; project: string }, Role>(`
  SELECT DISTINCT ${ROLE_COLUMNS} FROM project_members JOIN roles ON roles.id = role_id
  WHERE user_id = :userId AND project = :project ORDER BY roles.id`);

const byId = query<{ id: number }, Role>(`SELECT ${ROLE_COLUMNS} FROM roles WHERE id = :id`);

/** Without an environment, it applies to all. */
export interface RolePermission {
  name: string;
  environment: string | null;
}

const permissionsOf = query<{ id: number }, RolePermission>(`
  SELECT name, environment FROM role_permissions WHERE role_id = :id ORDER BY name, environment`);

interface RoleRow {
  /** Null for the next free id. */
  id: number | null;
  name: string;
  type: string;
  description: string | null;
}

export const insertRole = command<RoleRow>(`
  INSERT INTO roles (id, name, type, description) VALUES (:id, :name, :type, :description)`);

export const insertRolePermission = command<RolePermission & { roleId: number }>(`
  INSERT INTO role_permissions (role_id, name, environment) VALUES (:roleId, :name, :environment)`);

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

/** The names of the permissions that apply there. */
export const permissionsIn = (scope: PermissionScope) =>
  (Object.keys(PERMISSIONS) as Permission[]).filter((name) => PERMISSIONS[name].scope === scope);

export const toDefinition = (name: Permission, environment: string | null = null): PermissionDefinition => ({
  id: PERMISSIONS[name].id,
  name,
  displayName: PERMISSIONS[name].displayName,
  type: PERMISSIONS[name].scope,
  ...(environment !== null && { environment }),
});

/** @throws ApiError `NotFoundError` */
export function requireRole(db: Database, id: number): Role {
  return found(byId(db).get({ id }), `role with the id ${id}`);
}

/** @throws ApiError `NotFoundError` */
export function roleDetails(db: Database, id: number) {
  const role = requireRole(db, id);
  const builtIn = permissionsOfBuiltIn(id).map((name) => toDefinition(name));
  const assigned = permissionsOf(db)
    .all({ id })
    .filter(({ name }) => name in PERMISSIONS) // a dataset may contain other permissions, which have no effect here
    .map(({ name, environment }) => toDefinition(name as Permission, environment));
  return { ...role, permissions: [...builtIn, ...assigned] };
}

const RoleLine = v.strictObject({
  id: Id,
  name: Name,
  type: v.picklist(["root", "project", "custom", "custom-root"]),
  description: OptionalText,
  permissions: v.optional(v.array(v.strictObject({ name: Name, environment: optional(Name) })), []),
});
type RoleLine = v.InferOutput<typeof RoleLine>;

/** Roles 1 to 5 exist in every file. */
const BUILT_IN = 5;

const lines = query<object, Omit<RoleLine, "permissions">>(`
  SELECT id, name, type, description FROM roles WHERE id > ${BUILT_IN} ORDER BY id`);

const sameRole = query<Omit<RoleLine, "permissions">>(`
  SELECT 1 FROM roles
  WHERE id = :id AND name = :name AND type = :type AND ifnull(:description, description) = description`);

const removeCustom = command<object>(`DELETE FROM roles WHERE id > ${BUILT_IN}`);

export const role = kind({
  name: "role",
  schema: RoleLine,
  refers: { "permissions.environment": "environment" },
  clear: (tx) => void removeCustom(tx).run({}),
  insert({ tx, db }, { permissions, ...row }) {
    if (row.id <= BUILT_IN) return requireUnchanged(db, { permissions, ...row });
    insertRole(tx).run(row);
    for (const permission of permissions) insertRolePermission(tx).run({ roleId: row.id, ...permission });
  },
  *rows(db) {
    for (const row of lines(db).all({})) {
      const permissions = permissionsOf(db).all({ id: row.id }).map(withoutNulls);
      yield { ...row, permissions };
    }
  },
});

/** A built-in role may be repeated; a description and permissions, if given, must be its own. */
function requireUnchanged(db: Database, { permissions, ...row }: RoleLine) {
  const builtIn = permissionsOfBuiltIn(row.id).map((name) => ({ name, environment: null }));
  const isSame = permissions.length === 0 || JSON.stringify(permissions) === JSON.stringify(builtIn);
  if (isSame && sameRole(db).get(row)) return;
  throw new LineError(`id: the role ${row.id} is built in and can't be changed`);
}
