import { type Database, query } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import type { Actor } from "./actor.ts";
import { DEFAULT_PROJECT, PERMISSIONS, type Permission } from "./permissions.ts";
import { requireVisible } from "./visibility.ts";

/** The permission required, and where, with the parameters of the path filled in. */
export interface Claim {
  /** Accepts applications' tokens. */
  isForSdks?: boolean;
  /** Any one of these suffices; if empty, any user will do. */
  permissions: readonly Permission[];
  /** The project, which must also be visible; its permissions come with a role in it. */
  project?: string | undefined;
  environment?: string | undefined;
  /** What the request names and the actor may not see, such as `flag a`: the answer is as if there were none. */
  unknown?: string;
}

interface Place {
  userId: number | null;
  project: string | null;
}

// Root roles, the user's own and those of groups, and roles in the project; custom ones with their permissions.
const rolesIn = query<
  Place,
  { role: number; isRoot: 0 | 1; name: string | null; environment: string | null }
>(`
  WITH held (role, is_root) AS (
    SELECT root_role, 1 FROM users WHERE id = :userId
    UNION
    SELECT groups.root_role, 1 FROM group_users JOIN groups ON groups.id = group_users.group_id
    WHERE group_users.user_id = :userId AND groups.root_role IS NOT NULL
    UNION
    SELECT role_id, 0 FROM project_members WHERE user_id = :userId AND project = :project
  )
  SELECT role, is_root AS isRoot, name, environment FROM held LEFT JOIN role_permissions ON role_id = role`);

/**
 * Requires a token of the right kind for the admin API, and one of the permissions if there are any.
 * @throws ApiError `NoAccessError` naming what is missing.
 */
export function requirePermission(db: Database, actor: Actor, claim: Claim) {
  if (!claim.isForSdks) requireKind(actor);
  if (claim.project !== undefined) requireVisible(db, actor, claim.project);
  if (claim.permissions.length === 0 || holds(db, actor, claim)) return;
  throw new ApiError("NoAccessError", missing(claim));
}

/** @throws ApiError `NotFoundError` for what the actor may not see, in the words for what doesn't exist */
export function requireSeen({ unknown }: Claim) {
  if (unknown !== undefined) throw new ApiError("NotFoundError", `There is no ${unknown}`);
}

function requireKind({ type }: Actor) {
  if (type !== "client" && type !== "frontend") return;
  throw new ApiError(
    "NoAccessError",
    `A ${type} token gives no access here: use a personal token or a service token`,
  );
}

/** Whether the actor has one of the permissions there. */
export function holds(db: Database, actor: Actor, { permissions, project, environment }: Claim): boolean {
  if (actor.isAdmin) return true;
  const roles = rolesIn(db).all({ userId: actor.userId, project: project ?? null });
  return roles.some(({ role, isRoot, ...stored }) =>
    permissions.some(
      (name) =>
        isIn(name, isRoot === 1, project) &&
        ((PERMISSIONS[name].roles as readonly number[]).includes(role) ||
          (stored.name === name && (stored.environment ?? environment) === environment)),
    ),
  );
}

/** A root role's project permissions apply in the default project; instance permissions come from root roles only. */
function isIn(name: Permission, isRoot: boolean, project: string | undefined) {
  if (PERMISSIONS[name].scope === "root") return isRoot;
  return !isRoot || project === DEFAULT_PROJECT;
}

function missing({ permissions, environment }: Claim) {
  const names =
    permissions.length === 1 ? `permission ${permissions[0]}` : `permissions ${permissions.join(", ")}`;
  const isBound =
    environment !== undefined && permissions.some((name) => PERMISSIONS[name].scope === "environment");
  const where = isBound ? ` in the environment ${environment}` : "";
  return `You need ${permissions.length === 1 ? "the" : "one of the"} ${names}${where} to do this`;
}

/** The user behind the credential. @throws ApiError `NoAccessError` if there is none */
export function requirePerson({ userId }: Actor): number {
  if (userId !== null) return userId;
  throw new ApiError("NoAccessError", "A service token has no user: use a personal token or sign in");
}
