import { command } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import type { AddedAccess, RoleHolders } from "./access-schema.ts";
import { type Holder, roleHolders, rolesOf } from "./access-store.ts";
import { insertUserRole } from "./changes.ts";

export const insertGroupRole = command<{ project: string; group: number; role: number }>(`
  INSERT INTO project_group_roles (project, group_id, role_id) VALUES (:project, :group, :role)`);

const removeUserRoles = command<{ project: string }>(`
  DELETE FROM project_user_roles WHERE project = :project`);

const removeGroupRoles = command<{ project: string }>(`
  DELETE FROM project_group_roles WHERE project = :project`);

/** Replaces a project's access list; everything it refers to exists. */
export function setAccess(tx: Tx, project: string, access: readonly RoleHolders[]) {
  const preData = { roles: roleHolders(tx.db, project) };
  if (!replace(tx, project, access)) return;
  const data = { roles: roleHolders(tx.db, project) };
  tx.record({ type: "project-access-updated", project, data, preData });
}

/** Assigns all of the roles in addition to existing ones. @param access the resulting access list */
export function addAccess(tx: Tx, project: string, added: AddedAccess, access: readonly RoleHolders[]) {
  const { roles, users: userIds, groups: groupIds } = added;
  if (!replace(tx, project, access)) return;
  const data = { roles: roles.map((roleId) => ({ roleId, userIds, groupIds })) };
  tx.record({ type: "project-access-added", project, data });
}

/** Assigns exactly these roles to one holder. @param access the resulting access list */
export function setRolesOf(
  tx: Tx,
  project: string,
  { holder, roles }: { holder: Holder; roles: readonly number[] },
  access: readonly RoleHolders[],
) {
  const before = rolesOf(tx.db, project, holder);
  if (!replace(tx, project, access)) return;
  const eventData = (ids: readonly number[]) => ({ roles: ids, [`${holder.kind}Id`]: holder.id });
  const preData = eventData(before);
  // Groups that lose their roles get the event type of users, too (original).
  if (roles.length === 0) tx.record({ type: "project-access-user-roles-deleted", project, preData });
  else
    tx.record({
      type: `project-access-${holder.kind}-roles-updated`,
      project,
      data: eventData(roles),
      preData,
    });
}

/** @returns whether anything has changed */
function replace(tx: Tx, project: string, access: readonly RoleHolders[]): boolean {
  const before = roleHolders(tx.db, project);
  removeUserRoles(tx).run({ project });
  removeGroupRoles(tx).run({ project });
  for (const { id: role, users, groups } of merged(access)) {
    for (const user of users) insertUserRole(tx).run({ project, user, role });
    for (const group of groups) insertGroupRole(tx).run({ project, group, role });
  }
  return JSON.stringify(roleHolders(tx.db, project)) !== JSON.stringify(before);
}

/** Without duplicate roles, and without duplicates in each. */
function merged(access: readonly RoleHolders[]): RoleHolders[] {
  const byRole = Map.groupBy(access, ({ id }) => id);
  return [...byRole].map(([id, all]) => ({
    id,
    users: [...new Set(all.flatMap(({ users }) => users))],
    groups: [...new Set(all.flatMap(({ groups }) => groups))],
  }));
}
