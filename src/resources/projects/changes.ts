import { command, query } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";

interface ProjectRow {
  id: string;
  name: string;
  description: string | null;
  mode: "open" | "protected" | "private";
  defaultStickiness: string;
  createdAt: string;
  archivedAt: string | null;
}

export const insertProject = command<ProjectRow>(`
  INSERT INTO projects (id, name, description, mode, default_stickiness, created_at, archived_at)
  VALUES (:id, :name, :description, :mode, :defaultStickiness, :createdAt, :archivedAt)`);

export const insertProjectEnvironment = command<{ project: string; environment: string }>(`
  INSERT INTO project_environments (project, environment) VALUES (:project, :environment)`);

export const insertUserRole = command<{ project: string; user: number; role: number }>(`
  INSERT INTO project_user_roles (project, user_id, role_id) VALUES (:project, :user, :role)`);

const roleName = query<{ role: number }, string>(`SELECT name FROM roles WHERE id = :role`);

/** Gives a user a role in a project; the project, the user and the role are there, and the role is not given yet. */
export function addUserRole(tx: Tx, project: string, user: number, role: number) {
  insertUserRole(tx).run({ project, user, role });
  const data = { roleId: role, userId: user, roleName: roleName(tx.db).pluck().get({ role })! };
  tx.record({ type: "project-user-added", project, data });
}
