import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { requireGroup } from "../people/groups.ts";
import { requireAnyUser } from "../people/users-store.ts";
import {
  AddedAccess,
  AddedToRole,
  GivenRoles,
  HolderId,
  NewAccess,
  ProjectAccess,
  RoleUsage,
} from "./access-schema.ts";
import {
  isAssignable,
  projectAccess,
  replaceAccess,
  requireAddedAccess,
  requireHolders,
  roleHolders,
  roleUsage,
} from "./access-store.ts";
import { requireProject } from "./projects-store.ts";

const PROJECT = "/api/admin/projects/:projectId";

export const readProjectAccess = GET({
  id: "getProjectAccess",
  summary: "The users and groups with access to a project, and their roles",
  tag: "Projects",
  path: `${PROJECT}/access`,
  permission: { permission: ["UPDATE_PROJECT", "PROJECT_USER_ACCESS_READ"], project: "projectId" },
  errors: ["NotFoundError"],
  response: ProjectAccess,
}).run(({ db, params: { projectId } }) => {
  requireProject(db, projectId);
  return projectAccess(db, projectId);
});

export const readRoleUsage = GET({
  id: "getRoleProjectAccess",
  summary: "The projects in which a role is assigned, and to how many",
  tag: "Projects",
  path: "/api/admin/projects/roles/:roleId/access",
  permission: { permission: ["ADMIN", "READ_ROLE"] },
  params: v.object({ roleId: HolderId }),
  response: RoleUsage,
}).run(({ db, actor, params: { roleId } }) => ({
  projects: roleUsage(db, roleId, hiddenProjects(db, actor)),
}));

const ofAccess = {
  tag: "Projects",
  permission: { permission: ["UPDATE_PROJECT", "PROJECT_USER_ACCESS_WRITE"], project: "projectId" },
  errors: ["NotFoundError", "ProjectWithoutOwnerError"],
} as const;

export const setProjectAccess = PUT({
  ...ofAccess,
  id: "setProjectAccess",
  summary: "Replace a project's access list",
  path: `${PROJECT}/access`,
  body: NewAccess,
  records: ["project-access-updated"],
  example: {
    roles: [
      { id: 4, users: [1] },
      { id: 5, users: [2], groups: [1] },
    ],
  },
}).change(({ tx, params: { projectId: project }, body: { roles } }) => {
  requireProject(tx.db, project);
  requireHolders(tx.db, roles);
  const change = replaceAccess(tx, project, roles);
  if (!change) return;
  const [data, preData] = [{ roles: change.after }, { roles: change.before }];
  tx.record({ type: "project-access-updated", project, data, preData });
});

export const addProjectAccess = POST({
  ...ofAccess,
  id: "addAccessToProject",
  summary: "Assign several roles in a project to users and groups, in addition to their current ones",
  path: `${PROJECT}/access`,
  body: AddedAccess,
  records: ["project-access-added"],
  example: { roles: [5], users: [3] },
}).change(({ tx, params: { projectId }, body }) => addAccess(tx, projectId, body));

export const addRoleAccess = POST({
  ...ofAccess,
  id: "addRoleAccessToProject",
  summary: "Assign a role in a project to users and groups, in addition to their current ones",
  path: `${PROJECT}/role/:roleId/access`,
  params: v.object({ projectId: v.string(), roleId: HolderId }),
  body: AddedToRole,
  records: ["project-access-added"],
  example: { users: [{ id: 3 }] },
}).change(({ tx, params: { projectId, roleId }, body: { users, groups } }) => {
  if (!isAssignable(tx.db, roleId))
    throw new ApiError("NotFoundError", `There is no role ${roleId} for projects`);
  const ids = (named: ReadonlyArray<{ id: number }>) => named.map(({ id }) => id);
  addAccess(tx, projectId, { roles: [roleId], users: ids(users), groups: ids(groups) });
});

function addAccess(tx: Tx, project: string, added: AddedAccess) {
  requireProject(tx.db, project);
  requireAddedAccess(tx.db, added);
  const { roles, users, groups } = added;
  const access = [...roleHolders(tx.db, project), ...roles.map((id) => ({ id, users, groups }))];
  if (!replaceAccess(tx, project, access)) return;
  const data = { roles: roles.map((roleId) => ({ roleId, userIds: users, groupIds: groups })) };
  tx.record({ type: "project-access-added", project, data });
}

const ofUser = {
  ...ofAccess,
  path: `${PROJECT}/users/:userId/roles`,
  params: v.object({ projectId: v.string(), userId: HolderId }),
} as const;

export const setUserRoles = PUT({
  ...ofUser,
  id: "setRolesForUser",
  summary: "Set the roles of a user in a project",
  body: GivenRoles,
  records: ["project-access-user-roles-updated", "project-access-user-roles-deleted"],
  example: { roles: [4] },
}).change(({ tx, params: { projectId, userId: id }, body: { roles } }) =>
  setRoles(tx, projectId, { kind: "user", id }, roles),
);

export const removeUserRoles = DELETE({
  ...ofUser,
  id: "removeUserAccess",
  summary: "Remove all roles of a user in a project",
  records: ["project-access-user-roles-deleted"],
}).change(({ tx, params: { projectId, userId: id } }) => setRoles(tx, projectId, { kind: "user", id }, []));

const ofGroup = {
  ...ofAccess,
  path: `${PROJECT}/groups/:groupId/roles`,
  params: v.object({ projectId: v.string(), groupId: HolderId }),
} as const;

export const setGroupRoles = PUT({
  ...ofGroup,
  id: "setRolesForGroup",
  summary: "Set the roles of a group in a project",
  body: GivenRoles,
  records: ["project-access-group-roles-updated", "project-access-user-roles-deleted"],
  example: { roles: [5] },
}).change(({ tx, params: { projectId, groupId: id }, body: { roles } }) =>
  setRoles(tx, projectId, { kind: "group", id }, roles),
);

export const removeGroupRoles = DELETE({
  ...ofGroup,
  id: "removeGroupAccess",
  summary: "Remove all roles of a group in a project",
  records: ["project-access-user-roles-deleted"],
}).change(({ tx, params: { projectId, groupId: id } }) => setRoles(tx, projectId, { kind: "group", id }, []));

/** A user or a group with roles in a project. */
interface Holder {
  kind: "user" | "group";
  id: number;
}

function setRoles(tx: Tx, project: string, { kind, id }: Holder, roles: number[]) {
  if (kind === "user") requireAnyUser(tx.db, id);
  else requireGroup(tx.db, id);
  requireProject(tx.db, project);
  requireAddedAccess(tx.db, { roles, users: [], groups: [] });
  const list = `${kind}s` as const;
  const before = roleHolders(tx.db, project);
  const others = before.map((role) => ({ ...role, [list]: role[list].filter((one) => one !== id) }));
  const own = roles.map((role) => ({ id: role, users: [], groups: [], [list]: [id] }));
  if (!replaceAccess(tx, project, [...others, ...own])) return;
  const eventData = (ids: readonly number[]) => ({ roles: ids, [`${kind}Id`]: id });
  const preData = eventData(before.filter((role) => role[list].includes(id)).map((role) => role.id));
  // Groups that lose their roles get the event type of users, too (original).
  if (roles.length === 0) tx.record({ type: "project-access-user-roles-deleted", project, preData });
  else tx.record({ type: `project-access-${kind}-roles-updated`, project, data: eventData(roles), preData });
}
