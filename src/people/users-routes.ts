import * as v from "valibot";
import { hashPassword } from "../access/password.ts";
import { ROLES } from "../access/permissions.ts";
import { snapshot } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { DELETE, GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { MASK } from "../lib/text.ts";
import { timestamp } from "../lib/time.ts";
import { requireStrongPassword, WEAK_PASSWORD } from "./passwords.ts";
import { createReset, newUserPage } from "./resets.ts";
import { requireRootRole, rootRoles } from "./roles.ts";
import { CreatedUser, NewUser, UpdatedUser, User, UserId, UserList, UserUpdate } from "./users-schema.ts";
import * as store from "./users-store.ts";

const ofUsers = { tag: "Users", path: "/api/admin/user-admin", permission: "ADMIN" } as const;

const ofUser = { ...ofUsers, path: `${ofUsers.path}/:id`, params: v.object({ id: UserId }) } as const;

export const listUsers = GET({
  ...ofUsers,
  id: "getUsers",
  summary: "The users, and the available root roles",
  response: UserList,
}).run(({ db }) =>
  snapshot(db, () => ({
    users: persons(db).all({ now: timestamp() }).map(toListed),
    rootRoles: rootRoles(db),
  })),
);

const persons = query<{ now: string }, ListedRow>(`
  SELECT ${store.USER_COLUMNS},
    EXISTS (SELECT 1 FROM reset_tokens WHERE user_id = users.id AND expires_at > :now) AS isInvited
  FROM users WHERE account_type = 'User' ORDER BY id`);

type ListedRow = store.UserRow & {
  /** Whether they have an open link for setting a password. */
  isInvited: 0 | 1;
};

const toListed = ({ isInvited, ...row }: ListedRow) => ({
  ...store.toUser(row),
  inviteLink: isInvited ? newUserPage(MASK) : "",
});

export const readUser = GET({
  ...ofUser,
  id: "getUser",
  summary: "A user by id",
  permission: { permission: "ADMIN", unlessOwn: "id" },
  errors: ["NotFoundError"],
  volatile: ["seenAt", "loginAttempts"],
  response: User,
}).run(({ db, params: { id } }) => store.requireAnyUser(db, id));

export const createUser = POST({
  ...ofUsers,
  id: "createUser",
  summary: "Create a user; the link for setting a password is shown only once",
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
    store.requireFreeNames(tx.db, names);
    const id = store.createUser(tx, { ...names, rootRole, passwordHash });
    const inviteLink = newUserPage(createReset(tx, id));
    // The role as in the request, by id or name (original).
    const created = {
      ...store.requireUser(tx.db, id),
      rootRole: body.rootRole,
      inviteLink,
      emailSent: false,
    };
    return new WithHeaders(created, { location: String(id) });
  });

export const updateUser = PUT({
  ...ofUser,
  id: "updateUser",
  summary: "Change a user's name, e-mail address or root role",
  body: UserUpdate,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["user-updated"],
  response: UpdatedUser,
}).change(({ tx, params: { id }, body: { name, email, rootRole } }) => {
  store.requireUser(tx.db, id);
  store.requireFreeNames(tx.db, { username: null, email: email || null }, id);
  const role = rootRole == null ? undefined : requireRootRole(tx.db, rootRole);
  if (role !== undefined && role !== ROLES.admin) store.requireAnotherAdmin(tx.db, id);
  store.updateUser(tx, id, { name, email, rootRole: role });
  const { rootRole: _, ...user } = store.requireUser(tx.db, id);
  return { ...user, ...(rootRole != null && { rootRole }) };
});

export const deleteUser = DELETE({
  ...ofUser,
  id: "deleteUser",
  summary: "Delete a user, with all sessions, personal tokens and roles",
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["user-deleted"],
}).change(({ tx, actor, params: { id } }) => {
  store.requireUser(tx.db, id);
  store.requireRemovable(tx.db, actor, id);
  store.removeUser(tx, id);
});
