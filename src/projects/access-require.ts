import type { Actor } from "../access/actor.ts";
import { ROLES } from "../access/permissions.ts";
import { isKnown } from "../db/known.ts";
import type { Database } from "../db/statement.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { roleById, rolesInProject } from "../people/roles/require.ts";
import type { AddedAccess, RoleHolders } from "./access-schema.ts";
import { roleHolders } from "./access-store.ts";

/** Checks that the users, groups and roles exist. @throws ApiError `ValidationError` */
export function requireHolders(db: Database, access: readonly RoleHolders[]) {
  const violation = firstViolation(db, access);
  if (violation) throw invalid(violation);
}

/** @throws ApiError `NotFoundError` unless this is the id of a role that can be assigned in a project */
export function requireRoleForProjects(db: Database, id: number) {
  if (!isAssignable(db, id)) throw new ApiError("NotFoundError", `There is no role ${id} for projects`);
}

/** The same for roles that are all assigned to the same users and groups. */
export function requireAddedAccess(db: Database, { roles, users, groups }: AddedAccess) {
  const role = roles.findIndex((id) => !isAssignable(db, id));
  if (role >= 0) throw missing(`body.roles.${role}`, `role ${roles[role]} for projects`);
  const user = users.findIndex((id) => !isKnown(db, "user", id));
  if (user >= 0) throw missing(`body.users.${user}`, `user ${users[user]}`);
  const group = groups.findIndex((id) => !isKnown(db, "group", id));
  if (group >= 0) throw missing(`body.groups.${group}`, `group ${groups[group]}`);
}

const missing = (path: string, subject: string) => invalid({ path, message: `there is no ${subject}` });

/**
 * Checks that an actor may replace the assignment of a project's roles.
 * @throws ApiError `NoAccessError` if someone who isn't an owner changes a role other than their own,
 * `ProjectWithoutOwnerError` if the last owner would be removed
 */
export function requireAccess(db: Database, actor: Actor, project: string, access: readonly RoleHolders[]) {
  const before = roleHolders(db, project);
  if (isOwned(before) && !isOwned(access))
    throw new ApiError(
      "ProjectWithoutOwnerError",
      `The project ${project} must keep an owner: someone must have the role Owner`,
    );
  if (actor.isAdmin) return;
  const own = new Set(rolesInProject(db, actor.userId ?? 0, project).map(({ id }) => id));
  if (own.has(ROLES.owner)) return;
  const foreign = [...before, ...access].find(({ id }) => !own.has(id) && isChanged(id, before, access));
  if (foreign)
    throw new ApiError(
      "NoAccessError",
      `You can assign and remove only your own roles, not the role ${foreign.id}`,
    );
}

/** Whether this is the id of a role that can be assigned in a project. */
function isAssignable(db: Database, id: number) {
  const type = roleById(db, id)?.type;
  return type === "project" || type === "custom";
}

/** The first missing user or group, or role that can't be assigned in a project. */
function firstViolation(db: Database, access: readonly RoleHolders[]) {
  for (const [index, { id, users, groups }] of access.entries()) {
    const path = `body.roles.${index}`;
    if (!isAssignable(db, id)) return { path: `${path}.id`, message: `there is no role ${id} for projects` };
    const user = users.findIndex((one) => !isKnown(db, "user", one));
    if (user >= 0) return { path: `${path}.users.${user}`, message: `there is no user ${users[user]}` };
    const group = groups.findIndex((one) => !isKnown(db, "group", one));
    if (group >= 0) return { path: `${path}.groups.${group}`, message: `there is no group ${groups[group]}` };
  }
  return undefined;
}

const isOwned = (access: readonly RoleHolders[]) =>
  access.some(({ id, users, groups }) => id === ROLES.owner && users.length + groups.length > 0);

/** Whether the assignment of a role changes. */
const isChanged = (id: number, before: readonly RoleHolders[], access: readonly RoleHolders[]) =>
  holdersOf(id, before) !== holdersOf(id, access);

const holdersOf = (id: number, access: readonly RoleHolders[]) => {
  const own = access.filter((one) => one.id === id);
  const names = own.flatMap(({ users, groups }) => [
    ...users.map((user) => `user ${user}`),
    ...groups.map((group) => `group ${group}`),
  ]);
  return [...new Set(names)].sort().join();
};
