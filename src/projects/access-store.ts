import type { Pictured } from "../access/avatar.ts";
import { type PersonRow, toPerson } from "../access/person.ts";
import { type Database, query } from "../db/statement.ts";
import { ROLE_COLUMNS } from "../people/roles/require.ts";
import type { Role } from "../people/roles/schema.ts";
import type { ProjectAccess, RoleHolders, RoleUsage } from "./access-schema.ts";

type AccessUser = Pictured<ProjectAccess["users"][number]>;
type AccessGroup = Omit<ProjectAccess["groups"][number], "users"> & {
  users: Array<{ user: Pictured<{ id: number; name: string; imageUrl: string }> }>;
};

const usersOf = query<{ project: string }, PersonRow & { id: number; roles: string }>(`
  SELECT users.id, name, username, email, image_url AS imageUrl, json_group_array(role_id ORDER BY role_id) AS roles
  FROM project_user_roles JOIN users ON users.id = user_id
  WHERE project = :project GROUP BY users.id ORDER BY users.id`);

const groupsOf = query<{ project: string }, Omit<AccessGroup, "users" | "roles"> & { roles: string }>(`
  SELECT groups.id, name, description, root_role AS rootRole, created_by AS createdBy, created_at AS createdAt,
    json_group_array(role_id ORDER BY role_id) AS roles
  FROM project_group_roles JOIN groups ON groups.id = group_id
  WHERE project = :project GROUP BY groups.id ORDER BY groups.id`);

const membersOf = query<{ group: number }, PersonRow>(`
  SELECT users.id, name, username, email, image_url AS imageUrl
  FROM group_users JOIN users ON users.id = user_id WHERE group_id = :group ORDER BY users.id`);

const projectRoles = query<object, Role>(`
  SELECT ${ROLE_COLUMNS} FROM roles WHERE type IN ('project', 'custom') ORDER BY id`);

const holders = query<{ project: string }, { id: number; users: string; groups: string }>(`
  SELECT id,
    (SELECT json_group_array(user_id ORDER BY user_id) FROM project_user_roles
      WHERE project = :project AND role_id = roles.id) AS users,
    (SELECT json_group_array(group_id ORDER BY group_id) FROM project_group_roles
      WHERE project = :project AND role_id = roles.id) AS groups
  FROM roles ORDER BY id`);

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

/** The users with direct roles in a project, the groups, and the roles that can be assigned there; by id. */
export const projectAccess = (db: Database, project: string) => ({
  users: usersOf(db).all({ project }).map(toUser),
  groups: groupsOf(db)
    .all({ project })
    .map((row) => ({ ...withRoles(row), users: membersOf(db).all({ group: row.id }).map(toMember) })),
  roles: projectRoles(db).all({}),
});

/** Users and groups per role, by id; without roles that are not assigned. */
export const roleHolders = (db: Database, project: string): RoleHolders[] =>
  holders(db)
    .all({ project })
    .map(({ id, users, groups }) => ({ id, users: JSON.parse(users), groups: JSON.parse(groups) }))
    .filter(({ users, groups }) => users.length + groups.length > 0);

/** A user or a group with roles in a project. */
export interface Holder {
  kind: "user" | "group";
  id: number;
}

/** A holder's direct roles in a project, by id. */
export const rolesOf = (db: Database, project: string, { kind, id }: Holder): number[] =>
  roleHolders(db, project)
    .filter((role) => role[`${kind}s`].includes(id))
    .map((role) => role.id);

/** The project's whole access list after a holder gets exactly these roles. */
export const withRolesOf = (
  db: Database,
  project: string,
  { kind, id }: Holder,
  roles: readonly number[],
): RoleHolders[] => [
  ...roleHolders(db, project).map((role) => ({
    ...role,
    [`${kind}s`]: role[`${kind}s`].filter((one) => one !== id),
  })),
  ...roles.map((role) => ({ id: role, users: [], groups: [], [`${kind}s`]: [id] })),
];

const withRoles = <T extends { roles: string }>(row: T) => {
  const roles: number[] = JSON.parse(row.roles);
  return { ...row, roleId: roles[0]!, roles };
};

const toUser = (row: PersonRow & { id: number; roles: string }): AccessUser => ({
  ...toPerson(row),
  isAPI: false,
  email: row.email,
  roleId: withRoles(row).roleId,
  roles: withRoles(row).roles,
});

const toMember = (row: PersonRow): AccessGroup["users"][number] => ({ user: toPerson(row) });
