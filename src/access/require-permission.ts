import type { Database } from "../db/database.ts";
import { query, valueQuery } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import type { Actor } from "./actor.ts";
import { DEFAULT_PROJECT, PERMISSIONS, type Permission, permissionsOfBuiltIn } from "./permissions.ts";
import { hiddenProjects, requireVisible, rightsOf } from "./visibility.ts";

/** What an operation requires besides a valid token, as data; strings name parameters of its path. */
export interface Need {
  /** Any one of these; if empty, any user will do. */
  permission?: Permission | readonly Permission[];
  /** Names the project, which must be visible. */
  project?: string;
  /** Names a flag, and so its project; a hidden one is as good as unknown. */
  feature?: string;
  /** The same with a segment, which may have no project. */
  segment?: string;
  environment?: string;
  /** For applications: their tokens are accepted, and the surface has checked their kind. */
  isForSdks?: true;
  /** Names a user, who needs no permission for their own data. */
  unlessOwn?: string;
}

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

const projectOfFeature = valueQuery<{ feature: string }, string>(`
  SELECT project FROM features WHERE name = :feature`);

const projectOfSegment = valueQuery<{ segment: string }, string>(`
  SELECT project FROM segments WHERE id = :segment AND project IS NOT NULL`);

/** The claim of a request, with the parameters of its path filled in. */
export function toClaim(
  db: Database,
  actor: Actor,
  need: Need | Permission | null,
  params: Record<string, string>,
): Claim {
  if (need === null) return { permissions: [] };
  if (typeof need === "string") return { permissions: [need] };
  const { permission = [], environment, unlessOwn, isForSdks = false } = need;
  const isOwn = unlessOwn !== undefined && params[unlessOwn] === String(actor.userId);
  const project = projectOf(db, need, params);
  const isUnknown =
    need.project === undefined && project !== undefined && hiddenProjects(db, actor).includes(project);
  return {
    isForSdks,
    permissions: isOwn ? [] : [permission].flat(),
    project: isUnknown ? undefined : project,
    environment: environment && params[environment],
    ...(isUnknown && {
      unknown: need.feature ? `flag ${params[need.feature]}` : `segment ${Number(params[need.segment!])}`,
    }),
  };
}

function projectOf(db: Database, { project, feature, segment }: Need, params: Record<string, string>) {
  if (project !== undefined) return params[project];
  if (feature !== undefined) return projectOfFeature(db).get({ feature: params[feature]! });
  if (segment !== undefined) return projectOfSegment(db).get({ segment: params[segment]! });
  return undefined;
}

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

interface Grant {
  role: number;
  /** Null for a root role. */
  project: string | null;
  /** For a custom role; null for a built-in one. */
  name: string | null;
  environment: string | null;
}

/** SQL: root roles, the user's own and those of groups, and roles in projects; custom ones with their permissions. */
const grants = (members: string) => `
  WITH held (role, project) AS (
    SELECT root_role, NULL FROM users WHERE id = :userId
    UNION
    SELECT groups.root_role, NULL FROM group_users JOIN groups ON groups.id = group_users.group_id
    WHERE group_users.user_id = :userId AND groups.root_role IS NOT NULL
    UNION
    SELECT role_id, project FROM project_members WHERE ${members}
  )
  SELECT role, project, name, environment FROM held LEFT JOIN role_permissions ON role_id = role`;

const allGrants = query<{ userId: number }, Grant>(grants("user_id = :userId"));

const grantsIn = query<{ userId: number | null; project: string | null }, Grant>(
  grants("user_id = :userId AND project = :project"),
);

/** Whether the actor has one of the permissions there. */
export function holds(db: Database, actor: Actor, { permissions, project, environment }: Claim): boolean {
  if (actor.isAdmin) return true;
  const held = grantsIn(rightsOf(db)).all({ userId: actor.userId, project: project ?? null });
  return held.some((grant) =>
    permissions.some(
      (name) =>
        isIn(name, grant.project === null, project) &&
        ((PERMISSIONS[name].roles as readonly number[]).includes(grant.role) ||
          (grant.name === name && (grant.environment ?? environment) === environment)),
    ),
  );
}

/** A root role's project permissions apply in the default project; instance permissions come from root roles only. */
function isIn(name: Permission, isRoot: boolean, project: string | undefined) {
  if (PERMISSIONS[name].scope === "root") return isRoot;
  return !isRoot || project === DEFAULT_PROJECT;
}

/** A permission and where it applies; everywhere if no project is given. */
export interface Held {
  permission: Permission;
  project?: string | undefined;
  environment?: string | undefined;
}

const environmentsOf = valueQuery<{ project: string }, string>(`
  SELECT environment FROM project_environments JOIN environments ON environments.name = environment
  WHERE project = :project ORDER BY sort_order, environment`);

/** All the actor's permissions, deduplicated, in the form that clients expect; Admins hold just `ADMIN`. */
export function heldPermissions(
  db: Database,
  { isAdmin, userId }: Pick<Actor, "isAdmin" | "userId">,
): Held[] {
  if (isAdmin) return [{ permission: "ADMIN" }];
  if (userId === null) return [];
  const held = allGrants(db)
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
  name === null ? permissionsOfBuiltIn(role) : name in PERMISSIONS ? [name as Permission] : [];

/** A root role's project permissions apply in the default project. */
function placesOf(db: Database, permission: Permission, grant: Grant): Held[] {
  const { scope } = PERMISSIONS[permission];
  if (scope !== "environment" && grant.environment !== null) return []; // it doesn't cover a project as a whole
  if (scope === "root") return grant.project === null ? [{ permission }] : [];
  const project = grant.project ?? DEFAULT_PROJECT;
  if (scope === "project") return [{ project, permission }];
  const environments = grant.environment === null ? environmentsOf(db).all({ project }) : [grant.environment];
  return environments.map((environment) => ({ project, environment, permission }));
}
