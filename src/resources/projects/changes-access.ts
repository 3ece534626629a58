import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { RoleHolders } from "./access-schema.ts";
import { roleHolders } from "./access-store.ts";
import { insertUserRole } from "./changes.ts";

export const insertGroupRole = command<{ project: string; group: number; role: number }>(`
  INSERT INTO project_group_roles (project, group_id, role_id) VALUES (:project, :group, :role)`);

const removeUserRoles = command<{ project: string }>(`
  DELETE FROM project_user_roles WHERE project = :project`);

const removeGroupRoles = command<{ project: string }>(`
  DELETE FROM project_group_roles WHERE project = :project`);

/** Gives exactly these their roles in a project, and takes all others from it; all of them are there. */
export function setAccess(tx: Tx, project: string, wanted: readonly RoleHolders[]) {
  const before = roleHolders(tx.db, project);
  removeUserRoles(tx).run({ project });
  removeGroupRoles(tx).run({ project });
  for (const { id: role, users, groups } of merged(wanted)) {
    for (const user of users) insertUserRole(tx).run({ project, user, role });
    for (const group of groups) insertGroupRole(tx).run({ project, group, role });
  }
  const after = roleHolders(tx.db, project);
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  tx.record({ type: "project-access-updated", project, data: { roles: after }, preData: { roles: before } });
}

/** Each role once, and in it everyone once. */
function merged(wanted: readonly RoleHolders[]): RoleHolders[] {
  const byRole = Map.groupBy(wanted, ({ id }) => id);
  return [...byRole].map(([id, all]) => ({
    id,
    users: [...new Set(all.flatMap(({ users }) => users))],
    groups: [...new Set(all.flatMap(({ groups }) => groups))],
  }));
}
