import { DEFAULT_PROJECT } from "../../access/permissions.ts";
import { type Database, query } from "../../db/statement.ts";
import { rolesInProject, rootRole } from "../roles/require.ts";
import type { OwnRoles } from "./schema.ts";

// A root role counts as membership of the default project (original).
const projects = query<{ userId: number; hidden: string }, string>(`
  SELECT id FROM projects
  WHERE archived_at IS NULL AND id NOT IN (SELECT value FROM json_each(:hidden))
    AND (id = '${DEFAULT_PROJECT}' OR id IN (SELECT project FROM project_members WHERE user_id = :userId))
  ORDER BY id`);

/** The live projects in which a user has a role, by id. */
export const projectsOf = (db: Database, userId: number, hidden: readonly string[]): string[] =>
  projects(db)
    .pluck()
    .all({ userId, hidden: JSON.stringify(hidden) });

/** The root role and the roles in one project. */
export const rolesOf = (
  db: Database,
  user: { id: number; rootRole: number },
  project: string,
): OwnRoles["roles"] => [
  { ...rootRole(db, user.rootRole), project: DEFAULT_PROJECT },
  ...rolesInProject(db, user.id, project).map((role) => ({ ...role, project })),
];
