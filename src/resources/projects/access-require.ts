import type { Actor } from "../../auth/actor.ts";
import { ROLES } from "../../auth/permissions.ts";
import { holds } from "../../auth/require-permission.ts";
import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../http/error.ts";
import { roleById, rolesInProject } from "../roles/require.ts";
import type { RoleHolders } from "./access-schema.ts";
import { roleHolders } from "./access-store.ts";

/** The path of who is not there, or of a role that can't be given in a project. */
function wrongIn(db: Database, wanted: readonly RoleHolders[]) {
  for (const [index, { id, users, groups }] of wanted.entries()) {
    const path = `body.roles.${index}`;
    const role = roleById(db, id);
    if (role?.type !== "project" && role?.type !== "custom")
      return { path: `${path}.id`, message: `there is no role ${id} for projects` };
    const user = users.findIndex((one) => !isKnown(db, "user", one));
    if (user >= 0) return { path: `${path}.users.${user}`, message: `there is no user ${users[user]}` };
    const group = groups.findIndex((one) => !isKnown(db, "group", one));
    if (group >= 0) return { path: `${path}.groups.${group}`, message: `there is no group ${groups[group]}` };
  }
  return undefined;
}

/**
 * That an actor may give a project's roles to these instead of those who have them.
 * @throws ApiError `ValidationError` for what is not there, `NoAccessError` for a role that who is no owner does not
 * have himself, and `ProjectWithoutOwnerError` where the last owner would go
 */
export function requireAccess(db: Database, actor: Actor, project: string, wanted: readonly RoleHolders[]) {
  const before = roleHolders(db, project);
  const wrong = wrongIn(db, wanted);
  if (wrong) throw invalid(wrong);
  if (isOwned(before) && !isOwned(wanted))
    throw new ApiError(
      "ProjectWithoutOwnerError",
      `body.roles: the project ${project} has an owner and needs one, so the role ${ROLES.owner} has to be given`,
    );
  if (holds(db, actor, { permissions: ["UPDATE_PROJECT"], project })) return;
  const own = new Set(rolesInProject(db, actor.userId ?? 0, project).map(({ id }) => id));
  const foreign = [...before, ...wanted].find(({ id }) => !own.has(id) && isChanged(id, before, wanted));
  if (foreign)
    throw new ApiError(
      "NoAccessError",
      `You may give and take only your own roles, not the role ${foreign.id}`,
    );
}

const isOwned = (access: readonly RoleHolders[]) =>
  access.some(({ id, users, groups }) => id === ROLES.owner && users.length + groups.length > 0);

/** Whether others are to have a role than have it. */
const isChanged = (id: number, before: readonly RoleHolders[], wanted: readonly RoleHolders[]) =>
  holdersOf(id, before) !== holdersOf(id, wanted);

const holdersOf = (id: number, access: readonly RoleHolders[]) => {
  const own = access.filter((one) => one.id === id);
  const names = own.flatMap(({ users, groups }) => [
    ...users.map((user) => `user ${user}`),
    ...groups.map((group) => `group ${group}`),
  ]);
  return [...new Set(names)].sort().join();
};
