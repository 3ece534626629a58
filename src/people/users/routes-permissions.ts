import * as v from "valibot";
import { covers, type Held, heldPermissions } from "../../access/held.ts";
import { PERMISSIONS, type Permission, type PermissionScope } from "../../access/permissions.ts";
import { snapshot } from "../../db/snapshot.ts";
import type { Database } from "../../db/statement.ts";
import { operation } from "../../http/operation.ts";
import { rolesInProject, rootRole } from "../roles/require.ts";
import { requireServiceAccount } from "../service-accounts/require.ts";
import { requireOwnUser, requireUser } from "./require.ts";
import { ServiceAccountPermissions, type User, UserId, UserPermissions } from "./schema.ts";

const permissions = {
  method: "GET",
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  query: v.object({ project: v.optional(v.string()), environment: v.optional(v.string()) }),
  errors: ["NotFoundError"],
} as const;

export const readUserPermissions = operation({
  ...permissions,
  id: "getUserPermissions",
  summary: "A user's permissions, optionally in a project and an environment",
  tag: "Users",
  path: "/api/admin/user-admin/:id/permissions",
  response: UserPermissions,
}).run(({ db, params: { id }, query }) =>
  snapshot(db, () => {
    const user = requireUser(db, id);
    return { ...permissionsOf(db, user, query), user };
  }),
);

export const readServiceAccountPermissions = operation({
  ...permissions,
  id: "getServiceAccountPermissions",
  summary: "A service account's permissions, optionally in a project and an environment",
  tag: "Service accounts",
  path: "/api/admin/service-account/:id/permissions",
  response: ServiceAccountPermissions,
}).run(({ db, params: { id }, query }) =>
  snapshot(db, () => {
    requireServiceAccount(db, id);
    const serviceAccount = requireOwnUser(db, id);
    return { ...permissionsOf(db, serviceAccount, query), serviceAccount };
  }),
);

function permissionsOf(
  db: Database,
  { id, rootRole: role }: Pick<User, "id" | "rootRole">,
  { project, environment }: { project?: string | undefined; environment?: string | undefined },
) {
  const held = heldPermissions(db, { isAdmin: false, userId: id });
  const place = {
    ...(project !== undefined && { project }),
    ...(environment !== undefined && { environment }),
  };
  return {
    matrix: {
      root: entries("root", held, {}),
      project: entries("project", held, place),
      environment: environment === undefined ? [] : entries("environment", held, place),
    },
    rootRole: rootRole(db, role),
    projectRoles: project === undefined ? [] : rolesInProject(db, id, project),
  };
}

const entries = (scope: PermissionScope, held: readonly Held[], place: Omit<Held, "permission">) =>
  (Object.keys(PERMISSIONS) as Permission[])
    .filter((name) => PERMISSIONS[name].scope === scope)
    .map((name) => ({
      id: PERMISSIONS[name].id,
      name,
      displayName: PERMISSIONS[name].displayName,
      type: scope,
      hasPermission: covers(held, { permission: name, ...place }),
    }));
