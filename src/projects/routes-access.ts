import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { snapshot } from "../db/snapshot.ts";
import { NoBody, operation } from "../http/operation.ts";
import { requireAccess, requireHolders } from "./access-require.ts";
import { HolderId, NewAccess, ProjectAccess, RoleUsage } from "./access-schema.ts";
import { projectAccess, roleUsage } from "./access-store.ts";
import { setAccess } from "./changes-access.ts";
import { requireProject } from "./require.ts";

const ofAccess = {
  tag: "Projects",
  path: "/api/admin/projects/:projectId/access",
  params: v.object({ projectId: v.string() }),
  errors: ["NotFoundError"],
} as const;

export const readProjectAccess = operation({
  ...ofAccess,
  id: "getProjectAccess",
  summary: "The users and groups with access to a project, and their roles",
  method: "GET",
  permission: { permission: ["UPDATE_PROJECT", "PROJECT_USER_ACCESS_READ"], project: "projectId" },
  response: ProjectAccess,
}).run(({ db, params: { projectId } }) => {
  requireProject(db, projectId);
  return projectAccess(db, projectId);
});

export const readRoleUsage = operation({
  id: "getRoleProjectAccess",
  summary: "The projects in which a role is assigned, and to how many",
  tag: "Projects",
  method: "GET",
  path: "/api/admin/projects/roles/:roleId/access",
  permission: { permission: ["ADMIN", "READ_ROLE"] },
  params: v.object({ roleId: HolderId }),
  response: RoleUsage,
}).run(({ db, actor, params: { roleId } }) => ({
  projects: snapshot(db, () => roleUsage(db, roleId, hiddenProjects(db, actor))),
}));

export const setProjectAccess = operation({
  ...ofAccess,
  id: "setProjectAccess",
  summary: "Replace a project's access list",
  method: "PUT",
  permission: { permission: ["UPDATE_PROJECT", "PROJECT_USER_ACCESS_WRITE"], project: "projectId" },
  errors: ["NotFoundError", "ProjectWithoutOwnerError"],
  body: NewAccess,
  records: ["project-access-updated"],
  response: NoBody,
}).change(({ tx, actor, params: { projectId }, body: { roles } }) => {
  requireProject(tx.db, projectId);
  requireHolders(tx.db, roles);
  requireAccess(tx.db, actor, projectId, roles);
  setAccess(tx, projectId, roles);
});
