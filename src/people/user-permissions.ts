import * as v from "valibot";
import type { PermissionScope } from "../access/permissions.ts";
import { covers, type Held, heldPermissions } from "../access/require-permission.ts";
import type { Database } from "../db/database.ts";
import { GET } from "../http/operation.ts";
import {
  PermissionDefinition,
  permissionsIn,
  Role,
  rolesInProject,
  rootRole,
  toDefinition,
} from "./roles.ts";
import { requireServiceAccount } from "./service-accounts.ts";
import { User, UserId } from "./users-schema.ts";
import { requireUser } from "./users-store.ts";

/** A permission, and whether the user has it. */
const MatrixEntry = v.strictObject({
  ...v.omit(PermissionDefinition, ["environment"]).entries,
  hasPermission: v.boolean(),
});

/** A user's permissions in the project and environment requested. */
export const UserPermissions = v.strictObject({
  matrix: v.strictObject({
    root: v.array(MatrixEntry),
    project: v.array(MatrixEntry),
    environment: v.array(MatrixEntry),
  }),
  user: User,
  rootRole: Role,
  projectRoles: v.array(Role),
});

/** The same for a service account. */
export const ServiceAccountPermissions = v.strictObject({
  ...v.omit(UserPermissions, ["user"]).entries,
  serviceAccount: User,
});

const ofPermissions = {
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  query: v.object({ project: v.optional(v.string()), environment: v.optional(v.string()) }),
  errors: ["NotFoundError"],
} as const;

export const readUserPermissions = GET({
  ...ofPermissions,
  id: "getUserPermissions",
  summary: "A user's permissions, optionally in a project and an environment",
  tag: "Users",
  path: "/api/admin/user-admin/:id/permissions",
  response: UserPermissions,
}).run(({ db, params: { id }, query }) => {
  const user = requireUser(db, id);
  return { ...permissionsOf(db, user, query), user };
});

export const readServiceAccountPermissions = GET({
  ...ofPermissions,
  id: "getServiceAccountPermissions",
  summary: "A service account's permissions, optionally in a project and an environment",
  tag: "Service accounts",
  path: "/api/admin/service-account/:id/permissions",
  response: ServiceAccountPermissions,
  exampleParams: { id: "5" },
}).run(({ db, params: { id }, query }) => {
  const serviceAccount = requireServiceAccount(db, id);
  return { ...permissionsOf(db, serviceAccount, query), serviceAccount };
});

function permissionsOf(
  db: Database,
  { id, rootRole: role }: Pick<User, "id" | "rootRole">,
  { project, environment }: { project?: string | undefined; environment?: string | undefined },
) {
  const held = heldPermissions(db, { isAdmin: false, userId: id });
  const entries = (scope: PermissionScope, place: Omit<Held, "permission">) =>
    permissionsIn(scope).map((name) => ({
      ...toDefinition(name),
      hasPermission: covers(held, { permission: name, ...place }),
    }));
  return {
    matrix: {
      root: entries("root", {}),
      project: entries("project", { project, environment }),
      environment: environment === undefined ? [] : entries("environment", { project, environment }),
    },
    rootRole: rootRole(db, role),
    projectRoles: project === undefined ? [] : rolesInProject(db, id, project),
  };
}
