import { type Database, query } from "../db/statement.ts";
import type { Actor } from "./actor.ts";
import { DEFAULT_PROJECT, PERMISSIONS, type Permission, permissionsOfBuiltIn } from "./permissions.ts";

/** A permission and where it applies; everywhere if no project is given. */
export interface Held {
  permission: Permission;
  project?: string | undefined;
  environment?: string | undefined;
}

interface Grant {
  role: number;
  /** Null for a root role. */
  project: string | null;
  /** For a custom role; null for a built-in one. */
  name: Permission | null;
  environment: string | null;
}

const grantsOf = query<{ userId: number }, Grant>(`
  WITH held (role, project) AS (
    SELECT root_role, NULL FROM users WHERE id = :userId
    UNION
    SELECT groups.root_role, NULL FROM group_users JOIN groups ON groups.id = group_users.group_id
    WHERE group_users.user_id = :userId AND groups.root_role IS NOT NULL
    UNION
    SELECT role_id, project FROM project_members WHERE user_id = :userId
  )
  SELECT role, project, name, environment FROM held LEFT JOIN role_permissions ON role_id = role`);

const environmentsOf = query<{ project: string }, string>(`
  SELECT environment FROM project_environments JOIN environments ON environments.name = environment
  WHERE project = :project ORDER BY sort_order, environment`);

/** All the actor's permissions, deduplicated, in the form that clients expect; Admins hold just `ADMIN`. */
export function heldPermissions(
  db: Database,
  { isAdmin, userId }: Pick<Actor, "isAdmin" | "userId">,
): Held[] {
  if (isAdmin) return [{ permission: "ADMIN" }];
  if (userId === null) return [];
  const held = grantsOf(db)
    .all({ userId })
    .flatMap((grant) => namesIn(grant).flatMap((name) => placesOf(db, name, grant)));
  return [...new Map(held.map((one) => [JSON.stringify(one), one])).values()];
}

/** Whether the held permissions cover one in a project and an environment. */
export const covers = (held: readonly Held[], wanted: Held): boolean =>
  held.some(
    ({ permission, project, environment }) =>
      permission === "ADMIN" ||
      (permission === wanted.permission &&
        (project === undefined || project === wanted.project) &&
        (environment === undefined || environment === wanted.environment)),
  );

const namesIn = ({ role, name }: Grant): Permission[] =>
  name === null ? permissionsOfBuiltIn(role) : name in PERMISSIONS ? [name] : [];

/** A root role's project permissions apply in the default project. */
function placesOf(db: Database, permission: Permission, grant: Grant): Held[] {
  const { scope } = PERMISSIONS[permission];
  if (scope !== "environment" && grant.environment !== null) return []; // it doesn't cover a project as a whole
  if (scope === "root") return grant.project === null ? [{ permission }] : [];
  const project = grant.project ?? DEFAULT_PROJECT;
  if (scope === "project") return [{ project, permission }];
  const environments =
    grant.environment === null ? environmentsOf(db).pluck().all({ project }) : [grant.environment];
  return environments.map((environment) => ({ project, environment, permission }));
}
