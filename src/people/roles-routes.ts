import * as v from "valibot";
import { PERMISSIONS, type Permission, ROLES } from "../access/permissions.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT } from "../http/operation.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import {
  AllPermissions,
  ChangedRole,
  insertRole,
  insertRolePermission,
  NewRole,
  permissionsIn,
  type RequestedPermission,
  ROLE_COLUMNS,
  type Role,
  RoleDetails,
  RoleId,
  RoleList,
  type RolePermission,
  requireRole,
  roleDetails,
  toDefinition,
} from "./roles.ts";

export const listPermissions = GET({
  id: "getPermissions",
  summary: "All permissions that a role can have",
  tag: "Roles",
  path: "/api/admin/permissions",
  permission: null,
  response: v.strictObject({ version: v.literal(1), permissions: AllPermissions }),
}).run(({ db }) => {
  const inEnvironment = (name: string) => ({
    name,
    permissions: permissionsIn("environment").map((permission) => toDefinition(permission, name)),
  });
  const permissions = {
    root: permissionsIn("root").map((name) => toDefinition(name)),
    project: permissionsIn("project").map((name) => toDefinition(name)),
    environments: environments(db).all({}).map(inEnvironment),
  };
  return { version: 1, permissions };
});

const environments = valueQuery<object, string>(`SELECT name FROM environments ORDER BY sort_order, name`);

const ofRoles = { tag: "Roles", path: "/api/admin/roles", permission: "ADMIN" } as const;

const ofRole = {
  ...ofRoles,
  path: `${ofRoles.path}/:id`,
  params: v.object({ id: RoleId }),
  exampleParams: { id: "8" },
} as const;

export const listRoles = GET({
  ...ofRoles,
  id: "getRoles",
  summary: "All roles",
  permission: { permission: ["ADMIN", "READ_ROLE"] },
  response: RoleList,
}).run(({ db }) => ({ version: 1, roles: all(db).all({}) }));

export const readRole = GET({
  ...ofRole,
  id: "getRoleById",
  summary: "A role and its permissions",
  permission: null,
  errors: ["NotFoundError"],
  response: RoleDetails,
}).run(({ db, params: { id } }) => roleDetails(db, id));

const EXAMPLE = {
  name: "Release manager",
  description: "Switches flags in production",
  type: "custom",
  permissions: [{ name: "UPDATE_FEATURE_ENVIRONMENT", environment: "production" }],
};

export const validateRole = POST({
  ...ofRoles,
  id: "validateRole",
  summary: "Check whether this role can be created",
  path: `${ofRoles.path}/validate`,
  body: NewRole,
  errors: ["NameExistsError"],
  example: EXAMPLE,
}).run(({ db, body: { name, type = "custom", permissions } }) => {
  requireFreeRoleName(db, name);
  requirePermissions(db, type, permissions);
});

export const createRole = POST({
  ...ofRoles,
  id: "createRole",
  summary: "Create a custom role",
  body: NewRole,
  errors: ["NameExistsError"],
  records: ["role-created"],
  response: ChangedRole,
  example: EXAMPLE,
}).change(({ tx, body: { name, description, type = "custom", permissions } }) => {
  requireFreeRoleName(tx.db, name);
  const granted = requirePermissions(tx.db, type, permissions);
  const stored = type === "custom" ? type : "custom-root";
  const { lastInsertRowid } = insertRole(tx).run({ id: null, name, type: stored, description });
  const id = Number(lastInsertRowid);
  grant(tx, id, granted);
  tx.record({ type: "role-created", data: dataOf(tx, id) });
  return { version: 1, roles: requireRole(tx.db, id) };
});

export const updateRole = PUT({
  ...ofRole,
  id: "updateRole",
  summary: "Replace a custom role, except its type",
  body: NewRole,
  errors: ["NotFoundError", "NameExistsError", "InvalidOperationError"],
  records: ["role-updated"],
  response: ChangedRole,
  example: EXAMPLE,
}).change(({ tx, params: { id }, body: { name, description, permissions } }) => {
  const { type } = requireCustomRole(tx.db, id);
  requireFreeRoleName(tx.db, name, id);
  const granted = requirePermissions(tx.db, type, permissions);
  const preData = dataOf(tx, id);
  update(tx).run({ id, name, description });
  removePermissions(tx).run({ id });
  grant(tx, id, granted);
  tx.record({ type: "role-updated", data: dataOf(tx, id), preData });
  return { version: 1, roles: requireRole(tx.db, id) };
});

export const deleteRole = DELETE({
  ...ofRole,
  id: "deleteRole",
  summary: "Delete a custom role that is not in use",
  errors: ["NotFoundError", "InvalidOperationError", "RoleInUseError"],
  records: ["role-deleted"],
}).change(({ tx, params: { id } }) => {
  const { name } = requireCustomRole(tx.db, id);
  if (holders(tx.db).get({ id })) throw new ApiError("RoleInUseError", `The role ${name} is in use`);
  const preData = dataOf(tx, id);
  remove(tx).run({ id });
  tx.record({ type: "role-deleted", preData });
});

const all = query<object, Role>(`SELECT ${ROLE_COLUMNS} FROM roles ORDER BY id`);

const byName = query<{ name: string }, { id: number }>(
  `SELECT id FROM roles WHERE name = :name COLLATE NOCASE`,
);

// Another role may get the id: whoever signs in for the first time would hold that one.
const holders = query<{ id: number }>(`
  SELECT 1 FROM users WHERE root_role = :id
  UNION ALL SELECT 1 FROM groups WHERE root_role = :id
  UNION ALL SELECT 1 FROM project_user_roles WHERE role_id = :id
  UNION ALL SELECT 1 FROM project_group_roles WHERE role_id = :id
  UNION ALL SELECT 1 FROM settings WHERE name = 'unleash.enterprise.auth.oidc' AND content ->> 'defaultRootRoleId' = :id
  LIMIT 1`);

const update = command<{ id: number; name: string; description: string | null }>(`
  UPDATE roles SET name = :name, description = :description WHERE id = :id`);

const remove = command<{ id: number }>(`DELETE FROM roles WHERE id = :id`);

const removePermissions = command<{ id: number }>(`DELETE FROM role_permissions WHERE role_id = :id`);

/** A role that can be changed. @throws ApiError `NotFoundError`, or `InvalidOperationError` for a built-in one */
function requireCustomRole(db: Database, id: number): Role {
  const role = requireRole(db, id);
  if (id > ROLES.member) return role;
  throw new ApiError("InvalidOperationError", `The role ${role.name} is built in and can't be changed`);
}

/** @throws ApiError `NameExistsError` if another role has this name, in any letter case */
function requireFreeRoleName(db: Database, name: string, exceptId?: number) {
  const other = byName(db).get({ name });
  if (other && other.id !== exceptId)
    throw new ApiError("NameExistsError", "body.name: there is already a role with this name");
}

/**
 * The requested permissions, without duplicates.
 * @throws ApiError `ValidationError` for one that doesn't exist, or that this type of role can't have
 */
function requirePermissions(
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

function grant(tx: Tx, roleId: number, permissions: readonly RolePermission[]) {
  for (const permission of permissions) insertRolePermission(tx).run({ roleId, ...permission });
}
function dataOf({ db }: Tx, id: number) {
  const { permissions, ...role } = roleDetails(db, id);
  return {
    ...role,
    permissions: permissions.map(({ id, name, environment = null }) => ({ id, name, environment })),
  };
}
