import { command, type Database, query } from "../../db/statement.ts";
import type { Tx } from "../events/write.ts";

/** The project that every new file has (CONTRACT, a new file). */
export const DEFAULT_PROJECT = "default";

export const insertUserRole = command<{ project: string; user: number; role: number }>(`
  INSERT INTO project_user_roles (project, user_id, role_id) VALUES (:project, :user, :role)`);

const exists = query<{ project: string }>(`SELECT 1 FROM projects WHERE id = :project`);

const roleName = query<{ role: number }, string>(`SELECT name FROM roles WHERE id = :role`);

export const isProject = (db: Database, project: string) => exists(db).get({ project }) !== undefined;

/** Gives a user a role in a project; the project, the user and the role are there, and the role is not given yet. */
export function addUserRole(tx: Tx, project: string, user: number, role: number) {
  insertUserRole(tx).run({ project, user, role });
  const data = { roleId: role, userId: user, roleName: roleName(tx.db).pluck().get({ role })! };
  tx.record({ type: "project-user-added", project, data });
}
