import * as v from "valibot";
import { snapshot } from "../../db/snapshot.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { ApiError } from "../../lib/api-error.ts";
import * as changes from "./changes.ts";
import { requireCustomRole, requireFreeRoleName, requirePermissions, roleById } from "./require.ts";
import { AllPermissions, ChangedRole, NewRole, RoleDetails, RoleId, RoleList } from "./schema.ts";
import { allPermissions, isInUse, roleDetails, roles } from "./store.ts";

export const listPermissions = operation({
  id: "getPermissions",
  summary: "All permissions that a role can have",
  tag: "Roles",
  method: "GET",
  path: "/api/admin/permissions",
  permission: null,
  response: v.strictObject({ version: v.literal(1), permissions: AllPermissions }),
}).run(({ db }) => ({ version: 1 as const, permissions: allPermissions(db) }));

export const listRoles = operation({
  id: "getRoles",
  summary: "All roles",
  tag: "Roles",
  method: "GET",
  path: "/api/admin/roles",
  permission: { permission: ["ADMIN", "READ_ROLE"] },
  response: RoleList,
}).run(({ db }) => ({ version: 1 as const, roles: roles(db) }));

const ROLE = "/api/admin/roles/:id";

export const readRole = operation({
  id: "getRoleById",
  summary: "A role and its permissions",
  tag: "Roles",
  method: "GET",
  path: ROLE,
  permission: null,
  params: v.object({ id: RoleId }),
  errors: ["NotFoundError"],
  response: RoleDetails,
}).run(({ db, params: { id } }) =>
  snapshot(db, () => {
    const role = roleDetails(db, id);
    if (!role) throw new ApiError("NotFoundError", `There is no role with the id ${id}`);
    return role;
  }),
);

export const validateRole = operation({
  id: "validateRole",
  summary: "Check whether this role can be created",
  tag: "Roles",
  method: "POST",
  path: "/api/admin/roles/validate",
  permission: "ADMIN",
  body: NewRole,
  errors: ["NameExistsError"],
  response: NoBody,
}).run(({ db, body: { name, type = "custom", permissions } }) => {
  requireFreeRoleName(db, name);
  requirePermissions(db, type, permissions);
});

export const createRole = operation({
  id: "createRole",
  summary: "Create a custom role",
  tag: "Roles",
  method: "POST",
  path: "/api/admin/roles",
  permission: "ADMIN",
  body: NewRole,
  errors: ["NameExistsError"],
  records: ["role-created"],
  response: ChangedRole,
}).change(({ tx, body: { type = "custom", ...body } }) => {
  requireFreeRoleName(tx.db, body.name);
  const permissions = requirePermissions(tx.db, type, body.permissions);
  const stored = type === "custom" ? type : "custom-root";
  const id = changes.createRole(tx, stored, { ...body, permissions });
  return { version: 1 as const, roles: roleById(tx.db, id)! };
});

export const updateRole = operation({
  id: "updateRole",
  summary: "Replace a custom role, except its type",
  tag: "Roles",
  method: "PUT",
  path: ROLE,
  permission: "ADMIN",
  params: v.object({ id: RoleId }),
  body: NewRole,
  errors: ["NotFoundError", "NameExistsError", "InvalidOperationError"],
  records: ["role-updated"],
  response: ChangedRole,
}).change(({ tx, params: { id }, body }) => {
  const { type } = requireCustomRole(tx.db, id);
  requireFreeRoleName(tx.db, body.name, id);
  changes.updateRole(tx, id, { ...body, permissions: requirePermissions(tx.db, type, body.permissions) });
  return { version: 1 as const, roles: roleById(tx.db, id)! };
});

export const deleteRole = operation({
  id: "deleteRole",
  summary: "Delete a custom role that is not in use",
  tag: "Roles",
  method: "DELETE",
  path: ROLE,
  permission: "ADMIN",
  params: v.object({ id: RoleId }),
  errors: ["NotFoundError", "InvalidOperationError", "RoleInUseError"],
  records: ["role-deleted"],
  response: NoBody,
}).change(({ tx, params: { id } }) => {
  const { name } = requireCustomRole(tx.db, id);
  if (isInUse(tx.db, id)) throw new ApiError("RoleInUseError", `The role ${name} is in use`);
  changes.removeRole(tx, id);
});
