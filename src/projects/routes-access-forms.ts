import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import type { Tx } from "../events/write.ts";
import { NoBody, operation } from "../http/operation.ts";
import { requireGroup } from "../people/groups/require.ts";
import { requireAnyUser } from "../people/users/require.ts";
import { requireAccess, requireAddedAccess, requireRoleForProjects } from "./access-require.ts";
import { AddedAccess, AddedToRole, GivenRoles, HolderId } from "./access-schema.ts";
import { type Holder, roleHolders, withRolesOf } from "./access-store.ts";
import { addAccess, setRolesOf } from "./changes-access.ts";
import { requireProject } from "./require.ts";

/*
 * Further operations that change access to a project, for several users and groups or for one.
 */

const PROJECT = "/api/admin/projects/:projectId";

const ofAccess = {
  tag: "Projects",
  permission: { permission: ["UPDATE_PROJECT", "PROJECT_USER_ACCESS_WRITE"], project: "projectId" },
  errors: ["NotFoundError", "ProjectWithoutOwnerError"],
  response: NoBody,
} as const;

export const addProjectAccess = operation({
  ...ofAccess,
  id: "addAccessToProject",
  summary: "Assign several roles in a project to users and groups, in addition to their current ones",
  method: "POST",
  path: `${PROJECT}/access`,
  params: v.object({ projectId: v.string() }),
  body: AddedAccess,
  records: ["project-access-added"],
}).change(({ tx, actor, params: { projectId }, body }) => add(tx, actor, projectId, body));

export const addRoleAccess = operation({
  ...ofAccess,
  id: "addRoleAccessToProject",
  summary: "Assign a role in a project to users and groups, in addition to their current ones",
  method: "POST",
  path: `${PROJECT}/role/:roleId/access`,
  params: v.object({ projectId: v.string(), roleId: HolderId }),
  body: AddedToRole,
  records: ["project-access-added"],
}).change(({ tx, actor, params: { projectId, roleId }, body: { users, groups } }) => {
  requireRoleForProjects(tx.db, roleId);
  const ids = (named: ReadonlyArray<{ id: number }>) => named.map(({ id }) => id);
  add(tx, actor, projectId, { roles: [roleId], users: ids(users), groups: ids(groups) });
});

const ofUser = {
  ...ofAccess,
  path: `${PROJECT}/users/:userId/roles`,
  params: v.object({ projectId: v.string(), userId: HolderId }),
} as const;

export const setUserRoles = operation({
  ...ofUser,
  id: "setRolesForUser",
  summary: "Set the roles of a user in a project",
  method: "PUT",
  body: GivenRoles,
  records: ["project-access-user-roles-updated", "project-access-user-roles-deleted"],
}).change(({ tx, actor, params: { projectId, userId: id }, body: { roles } }) => {
  requireAnyUser(tx.db, id);
  setRoles(tx, actor, projectId, { holder: { kind: "user", id }, roles });
});

export const removeUserRoles = operation({
  ...ofUser,
  id: "removeUserAccess",
  summary: "Remove all roles of a user in a project",
  method: "DELETE",
  records: ["project-access-user-roles-deleted"],
}).change(({ tx, actor, params: { projectId, userId: id } }) => {
  requireAnyUser(tx.db, id);
  setRoles(tx, actor, projectId, { holder: { kind: "user", id }, roles: [] });
});

const ofGroup = {
  ...ofAccess,
  path: `${PROJECT}/groups/:groupId/roles`,
  params: v.object({ projectId: v.string(), groupId: HolderId }),
} as const;

export const setGroupRoles = operation({
  ...ofGroup,
  id: "setRolesForGroup",
  summary: "Set the roles of a group in a project",
  method: "PUT",
  body: GivenRoles,
  records: ["project-access-group-roles-updated", "project-access-user-roles-deleted"],
}).change(({ tx, actor, params: { projectId, groupId: id }, body: { roles } }) => {
  requireGroup(tx.db, id);
  setRoles(tx, actor, projectId, { holder: { kind: "group", id }, roles });
});

export const removeGroupRoles = operation({
  ...ofGroup,
  id: "removeGroupAccess",
  summary: "Remove all roles of a group in a project",
  method: "DELETE",
  records: ["project-access-user-roles-deleted"],
}).change(({ tx, actor, params: { projectId, groupId: id } }) => {
  requireGroup(tx.db, id);
  setRoles(tx, actor, projectId, { holder: { kind: "group", id }, roles: [] });
});

function add(tx: Tx, actor: Actor, projectId: string, added: AddedAccess) {
  requireProject(tx.db, projectId);
  requireAddedAccess(tx.db, added);
  const { roles, users, groups } = added;
  const access = [...roleHolders(tx.db, projectId), ...roles.map((id) => ({ id, users, groups }))];
  requireAccess(tx.db, actor, projectId, access);
  addAccess(tx, projectId, added, access);
}

function setRoles(
  tx: Tx,
  actor: Actor,
  projectId: string,
  { holder, roles }: { holder: Holder; roles: readonly number[] },
) {
  requireProject(tx.db, projectId);
  requireAddedAccess(tx.db, { roles: [...roles], users: [], groups: [] });
  const access = withRolesOf(tx.db, projectId, holder, roles);
  requireAccess(tx.db, actor, projectId, access);
  setRolesOf(tx, projectId, { holder, roles }, access);
}
