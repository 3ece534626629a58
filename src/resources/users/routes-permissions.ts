import * as v from "valibot";
import { covers, type Held, heldPermissions } from "../../auth/held.ts";
import { PERMISSIONS, type Permission, type PermissionScope } from "../../auth/permissions.ts";
import { snapshot } from "../../db/snapshot.ts";
import { operation } from "../../http/operation.ts";
import { rolesInProject, rootRole } from "../roles/require.ts";
import { requireUser } from "./require.ts";
import { UserId, UserPermissions } from "./schema.ts";

export const readUserPermissions = operation({
  id: "getUserPermissions",
  summary: "A user's permissions, optionally in a project and an environment",
  tag: "Users",
  method: "GET",
  path: "/api/admin/user-admin/:id/permissions",
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  query: v.object({ project: v.optional(v.string()), environment: v.optional(v.string()) }),
  errors: ["NotFoundError"],
  response: UserPermissions,
}).run(({ db, params: { id }, query: { project, environment } }) =>
  snapshot(db, () => {
    const user = requireUser(db, id);
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
      user,
      rootRole: rootRole(db, user.rootRole),
      projectRoles: project === undefined ? [] : rolesInProject(db, id, project),
    };
  }),
);

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
