import * as v from "valibot";
import { hashPassword } from "../../access/password.ts";

import { ROLES } from "../../access/permissions.ts";
import { snapshot } from "../../db/snapshot.ts";
import { NoBody, operation, WithHeaders } from "../../http/operation.ts";
import { ApiError } from "../../lib/api-error.ts";
import { MASK } from "../../lib/mask.ts";
import { createReset, invitation } from "../resets/changes.ts";
import { requireRootRole, rootRoles } from "../roles/require.ts";
import * as changes from "./changes.ts";
import {
  requireAnotherAdmin,
  requireFreeNames,
  requireRemovable,
  requireStrongPassword,
  requireUser,
  WEAK_PASSWORD,
} from "./require.ts";
import { CreatedUser, NewUser, UpdatedUser, User, UserId, UserList, UserUpdate } from "./schema.ts";
import { listedUsers, userById } from "./store.ts";

const USER = "/api/admin/user-admin/:id";

export const listUsers = operation({
  id: "getUsers",
  summary: "The users, and the available root roles",
  tag: "Users",
  method: "GET",
  path: "/api/admin/user-admin",
  permission: "ADMIN",
  response: UserList,
}).run(({ db }) =>
  snapshot(db, () => ({
    users: listedUsers(db).map(({ isInvited, ...user }) => ({
      ...user,
      inviteLink: isInvited ? invitation(MASK) : "",
    })),
    rootRoles: rootRoles(db),
  })),
);

export const readUser = operation({
  id: "getUser",
  summary: "A user by id",
  tag: "Users",
  method: "GET",
  path: USER,
  permission: { permission: "ADMIN", unlessOwn: "id" },
  params: v.object({ id: UserId }),
  errors: ["NotFoundError"],
  volatile: ["seenAt", "loginAttempts"],
  response: User,
}).run(({ db, params: { id } }) => {
  const user = userById(db, id);
  if (!user) throw new ApiError("NotFoundError", `There is no user with this id`);
  return user;
});

export const createUser = operation({
  id: "createUser",
  summary: "Create a user; the link for setting a password is shown only once",
  tag: "Users",
  method: "POST",
  path: "/api/admin/user-admin",
  permission: "ADMIN",
  body: NewUser,
  status: 201,
  errors: WEAK_PASSWORD,
  records: ["user-created"],
  response: CreatedUser,
})
  .prepare(async ({ body: { password } }) => {
    if (password === undefined) return null;
    requireStrongPassword(password);
    return hashPassword(password);
  })
  .change(({ tx, body, prepared: passwordHash }) => {
    const { password: _, sendEmail: __, ...names } = body;
    const rootRole = requireRootRole(tx.db, body.rootRole);
    requireFreeNames(tx.db, names);
    const id = changes.createUser(tx, { ...names, rootRole, passwordHash });
    const inviteLink = invitation(createReset(tx, id));
    // The role as in the request, by id or name (original).
    const created = { ...userById(tx.db, id)!, rootRole: body.rootRole, inviteLink, emailSent: false };
    return new WithHeaders(created, { location: String(id) });
  });

export const updateUser = operation({
  id: "updateUser",
  summary: "Change a user's name, e-mail address or root role",
  tag: "Users",
  method: "PUT",
  path: USER,
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  body: UserUpdate,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["user-updated"],
  response: UpdatedUser,
}).change(({ tx, params: { id }, body: { name, email, rootRole } }) => {
  requireUser(tx.db, id);
  requireFreeNames(tx.db, { username: null, email: email || null }, id);
  const role = rootRole == null ? undefined : requireRootRole(tx.db, rootRole);
  if (role !== undefined && role !== ROLES.admin) requireAnotherAdmin(tx.db, id);
  changes.updateUser(tx, id, { name, email, rootRole: role });
  const { rootRole: _, ...user } = requireUser(tx.db, id);
  return { ...user, ...(rootRole != null && { rootRole }) };
});

export const deleteUser = operation({
  id: "deleteUser",
  summary: "Delete a user, with all sessions, personal tokens and roles",
  tag: "Users",
  method: "DELETE",
  path: USER,
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["user-deleted"],
  response: NoBody,
}).change(({ tx, actor, params: { id } }) => {
  requireUser(tx.db, id);
  requireRemovable(tx.db, actor, id);
  changes.removeUser(tx, id);
});
