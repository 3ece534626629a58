import * as v from "valibot";
import { snapshot } from "../../db/snapshot.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { basicGroups } from "../groups/require.ts";
import { UsersAndGroups } from "../groups/schema.ts";
import * as changes from "./changes.ts";
import { accessOfAll, adminCount, basicUsers, inactiveUsers, usersLike } from "./lists-store.ts";
import { requireRemovable, requireUser } from "./require.ts";
import { AccessOverview, AdminCount, FoundUser, InactiveUser, UserIds } from "./schema.ts";

export const searchUsers = operation({
  id: "searchUsers",
  summary: "Search users by part of the name, or the beginning of the username or e-mail address",
  tag: "Users",
  method: "GET",
  path: "/api/admin/user-admin/search",
  permission: null,
  query: v.object({ q: v.optional(v.string(), "") }),
  response: v.array(FoundUser),
  // A single character finds nobody (original).
}).run(({ db, query: { q } }) => (q.length < 2 ? [] : usersLike(db, q)));

export const listUsersAndGroups = operation({
  id: "getBaseUsersAndGroups",
  summary: "All users and groups, for selection lists",
  tag: "Users",
  method: "GET",
  path: "/api/admin/user-admin/access",
  permission: null,
  response: UsersAndGroups,
}).run(({ db }) => snapshot(db, () => ({ users: basicUsers(db), groups: basicGroups(db) })));

export const readAccessOverview = operation({
  id: "getAccessOverview",
  summary: "What all users and service accounts can reach, also as CSV",
  tag: "Users",
  method: "GET",
  path: "/api/admin/access/overview",
  permission: "ADMIN",
  response: AccessOverview,
  rows: ({ overview }: { overview: readonly object[] }) => overview,
}).run(({ db }) => ({ overview: accessOfAll(db) }));

export const countAdmins = operation({
  id: "getAdminCount",
  summary: "The number of Admins, by how they can sign in",
  tag: "Users",
  method: "GET",
  path: "/api/admin/user-admin/admin-count",
  permission: "ADMIN",
  response: AdminCount,
}).run(({ db }) => adminCount(db));

/** A user not seen for this long is inactive (original). In milliseconds. */
const INACTIVE_MS = 180 * 24 * 60 * 60 * 1000;

export const listInactiveUsers = operation({
  id: "getInactiveUsers",
  summary: "Users not seen for 180 days, nor any of their tokens",
  tag: "Users",
  method: "GET",
  path: "/api/admin/user-admin/inactive",
  permission: "ADMIN",
  response: v.strictObject({ version: v.literal(1), inactiveUsers: v.array(InactiveUser) }),
}).run(({ db }) => ({
  version: 1 as const,
  inactiveUsers: inactiveUsers(db, new Date(Date.now() - INACTIVE_MS).toISOString()),
}));

export const deleteInactiveUsers = operation({
  id: "deleteInactiveUsers",
  summary: "Delete several users, all or none; the caller is ignored",
  tag: "Users",
  method: "POST",
  path: "/api/admin/user-admin/inactive/delete",
  permission: "ADMIN",
  body: UserIds,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["user-deleted"],
  response: NoBody,
}).change(({ tx, actor, body: { ids } }) => {
  for (const id of new Set(ids)) {
    if (id === actor.userId) continue;
    requireUser(tx.db, id);
    requireRemovable(tx.db, actor, id);
    changes.removeUser(tx, id);
  }
});
