import * as v from "valibot";
import { ROLES } from "../access/permissions.ts";
import { type PersonRow, toPerson } from "../access/person.ts";
import { Id, kind, LineError, Name, optional } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, query } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import type { Wire } from "../lib/raw-json.ts";
import { ROLE_COLUMNS, type Role, roleById, rolesInProject } from "../people/roles.ts";
import type { AddedAccess, ProjectAccess, RoleHolders, RoleUsage } from "./access-schema.ts";
import { requireAllExist } from "./projects-store.ts";

const PERSON = `users.id, name, username, email, image_url AS imageUrl`;

const ROLE_IDS = `json_group_array(role_id ORDER BY role_id) AS roles`;

const usersOf = query<{ project: string }, PersonRow & { roles: string }>(`
  SELECT ${PERSON}, ${ROLE_IDS} FROM project_user_roles JOIN users ON users.id = user_id
  WHERE project = :project GROUP BY users.id ORDER BY users.id`);

type GroupRow = Omit<ProjectAccess["groups"][number], "users" | "roles" | "roleId"> & { roles: string };

const groupsOf = query<{ project: string }, GroupRow>(`
  SELECT groups.id, name, description, root_role AS rootRole, created_by AS createdBy, created_at AS createdAt,
    ${ROLE_IDS}
  FROM project_group_roles JOIN groups ON groups.id = group_id
  WHERE project = :project GROUP BY groups.id ORDER BY groups.id`);

const membersOf = query<{ group: number }, PersonRow>(`
  SELECT ${PERSON} FROM group_users JOIN users ON users.id = user_id WHERE group_id = :group ORDER BY users.id`);

const projectRoles = query<object, Role>(`
  SELECT ${ROLE_COLUMNS} FROM roles WHERE type IN ('project', 'custom') ORDER BY id`);

/** The users with direct roles in a project, the groups, and the roles that can be assigned there; by id. */
export const projectAccess = (db: Database, project: string): Wire<ProjectAccess> => ({
  users: usersOf(db)
    .all({ project })
    .map((row) => ({ ...toPerson(row), isAPI: false, email: row.email, ...toRoles(row) })),
  groups: groupsOf(db)
    .all({ project })
    .map((row) => ({ ...row, ...toRoles(row), users: groupMembers(db, row.id) })),
  roles: projectRoles(db).all({}),
});

const groupMembers = (db: Database, group: number) =>
  membersOf(db)
    .all({ group })
    .map((row) => ({ user: toPerson(row) }));

function toRoles(row: { roles: string }) {
  const roles: number[] = JSON.parse(row.roles);
  return { roleId: roles[0]!, roles };
}

const usage = query<{ role: number; hidden: string }, RoleUsage["projects"][number]>(`
  SELECT project, :role AS role, count(*) FILTER (WHERE holder = 'User') AS userCount,
    count(*) FILTER (WHERE holder = 'Service Account') AS serviceAccountCount,
    count(*) FILTER (WHERE holder = 'group') AS groupCount
  FROM (
    SELECT project, account_type AS holder FROM project_user_roles JOIN users ON users.id = user_id
    WHERE role_id = :role
    UNION ALL
    SELECT project, 'group' FROM project_group_roles WHERE role_id = :role)
  WHERE project NOT IN (SELECT value FROM json_each(:hidden))
  GROUP BY project ORDER BY project`);

/** How many have a role in each project in which someone has it. @param hidden projects that must not be named */
export const roleUsage = (db: Database, role: number, hidden: readonly string[]) =>
  usage(db).all({ role, hidden: JSON.stringify(hidden) });

const holders = query<{ project: string }, { id: number; users: string; groups: string }>(`
  SELECT id,
    (SELECT json_group_array(user_id ORDER BY user_id) FROM project_user_roles
      WHERE project = :project AND role_id = roles.id) AS users,
    (SELECT json_group_array(group_id ORDER BY group_id) FROM project_group_roles
      WHERE project = :project AND role_id = roles.id) AS groups
  FROM roles WHERE users <> '[]' OR groups <> '[]' ORDER BY id`);

/** Users and groups per role, by id; without roles that are not assigned. */
export const roleHolders = (db: Database, project: string): RoleHolders[] =>
  holders(db)
    .all({ project })
    .map(({ id, users, groups }) => ({ id, users: JSON.parse(users), groups: JSON.parse(groups) }));

/** Checks that the users, groups and roles exist. @throws ApiError `ValidationError` */
export function requireHolders(db: Database, access: readonly RoleHolders[]) {
  for (const [index, { id, users, groups }] of access.entries()) {
    const path = `body.roles.${index}`;
    requireAssignable(db, id, `${path}.id`);
    requireAllExist(db, "user", users, `${path}.users`);
    requireAllExist(db, "group", groups, `${path}.groups`);
  }
}

/** The same for roles that are all assigned to the same users and groups. */
export function requireAddedAccess(db: Database, { roles, users, groups }: AddedAccess) {
  for (const [index, id] of roles.entries()) requireAssignable(db, id, `body.roles.${index}`);
  requireAllExist(db, "user", users, "body.users");
  requireAllExist(db, "group", groups, "body.groups");
}

function requireAssignable(db: Database, id: number, path: string) {
  if (!isAssignable(db, id)) throw invalid({ path, message: `there is no role ${id} for projects` });
}

/** Whether this is the id of a role that can be assigned in a project. */
export function isAssignable(db: Database, id: number) {
  const type = roleById(db, id)?.type;
  return type === "project" || type === "custom";
}

const clearUsers = command<{ project: string }>(`
  DELETE FROM project_user_roles WHERE project = :project`);

const clearGroups = command<{ project: string }>(`
  DELETE FROM project_group_roles WHERE project = :project`);

const assignUsers = command<{ project: string; access: string }>(`
  INSERT INTO project_user_roles (project, user_id, role_id)
  SELECT DISTINCT :project, holder.value, role.value ->> 'id'
  FROM json_each(:access) AS role, json_each(role.value, '$.users') AS holder`);

const assignGroups = command<{ project: string; access: string }>(`
  INSERT INTO project_group_roles (project, group_id, role_id)
  SELECT DISTINCT :project, holder.value, role.value ->> 'id'
  FROM json_each(:access) AS role, json_each(role.value, '$.groups') AS holder`);

/**
 * Replaces a project's access list; everything it refers to exists.
 * @returns the lists before and after, or undefined if they are the same
 * @throws ApiError `ProjectWithoutOwnerError` if the last owner would be removed, `NoAccessError` if someone who isn't
 * an owner changes a role other than their own
 */
export function replaceAccess(tx: Tx, project: string, access: readonly RoleHolders[]) {
  const before = roleHolders(tx.db, project);
  const mayAssign = ownRoles(tx, project);
  clearUsers(tx).run({ project });
  clearGroups(tx).run({ project });
  assignUsers(tx).run({ project, access: JSON.stringify(access) });
  assignGroups(tx).run({ project, access: JSON.stringify(access) });
  const after = roleHolders(tx.db, project);
  if (isOwned(before) && !isOwned(after)) {
    const message = `The project ${project} must keep an owner: someone must have the role Owner`;
    throw new ApiError("ProjectWithoutOwnerError", message);
  }
  const changed = [...before, ...access].map(({ id }) => id).filter((id) => isChanged(id, before, after));
  const foreign = changed.find((id) => !mayAssign(id));
  if (foreign !== undefined) {
    const message = `You can assign and remove only your own roles, not the role ${foreign}`;
    throw new ApiError("NoAccessError", message);
  }
  return changed.length > 0 ? { before, after } : undefined;
}

/** Tells which roles the caller may assign and remove in a project: Admins and owners all, others their own. */
function ownRoles({ db, actor }: Tx, project: string) {
  const own = rolesInProject(db, actor.userId ?? 0, project).map(({ id }) => id);
  const isFree = actor.isAdmin || own.includes(ROLES.owner);
  return (role: number) => isFree || own.includes(role);
}

const isOwned = (access: readonly RoleHolders[]) => access.some(({ id }) => id === ROLES.owner);

function isChanged(role: number, before: readonly RoleHolders[], after: readonly RoleHolders[]) {
  const [old, now] = [before, after].map((access) => access.find(({ id }) => id === role));
  return JSON.stringify(old) !== JSON.stringify(now);
}

export const insertUserRole = command<{ project: string; user: number; role: number }>(`
  INSERT INTO project_user_roles (project, user_id, role_id) VALUES (:project, :user, :role)`);

/** Assigns a role to a user in a project; all three exist, and the user doesn't have the role yet. */
export function addUserRole(tx: Tx, project: string, user: number, role: number) {
  insertUserRole(tx).run({ project, user, role });
  const data = { roleId: role, userId: user, roleName: roleById(tx.db, role)!.name };
  tx.record({ type: "project-user-added", project, data });
}

const insertGroupRole = command<{ project: string; group: number; role: number }>(`
  INSERT INTO project_group_roles (project, group_id, role_id) VALUES (:project, :group, :role)`);

const all = query<object, { project: string; role: number; user: number | null; group: number | null }>(`
  SELECT project, role_id AS role, user_id AS user, NULL AS "group" FROM project_user_roles
  UNION ALL SELECT project, role_id, NULL, group_id FROM project_group_roles
  ORDER BY project, role, user, "group"`);

export const projectRole = kind({
  name: "projectRole",
  tables: ["project_user_roles", "project_group_roles"],
  schema: v.strictObject({ project: Name, role: Id, user: optional(Id), group: optional(Id) }),
  refers: { project: "project", role: "role", user: "user", group: "group" },
  insert({ tx }, { project, role, user, group }) {
    if ((user === null) === (group === null)) throw new LineError("user: give either a user or a group");
    if (user !== null) insertUserRole(tx).run({ project, user, role });
    if (group !== null) insertGroupRole(tx).run({ project, group, role });
  },
  rows: (db) => all(db).iterate({}),
});
