import * as v from "valibot";
import { hashPassword } from "../access/password-hash.ts";
import { ROLES } from "../access/permissions.ts";
import type { Database } from "../db/database.ts";
import { fromStored, query, type Stored, valueQuery } from "../db/statement.ts";
import { DELETE, GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { MASK } from "../lib/text.ts";
import { timestamp } from "../lib/time.ts";
import { Timestamp } from "../lib/validation.ts";
import { requireStrongPassword, WEAK_PASSWORD } from "./passwords.ts";
import { createReset, newUserPage, revokeReset } from "./resets.ts";
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
}).run(({ db }) => ({
  users: persons(db).all({ now: timestamp() }).map(toListed),
  rootRoles: rootRoles(db),
}));

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
  example: { username: "robin", name: "Robin", rootRole: 2 },
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
  example: { name: "Robin", rootRole: 2 },
  exampleParams: { id: "3" },
}).change(({ tx, params: { id }, body: { name, email, rootRole } }) => {
  const before = store.requireUser(tx.db, id);
  store.requireFreeNames(tx.db, { username: null, email: email || null }, id);
  const role = rootRole == null ? undefined : requireRootRole(tx.db, rootRole);
  if (role !== undefined && role !== ROLES.admin) store.requireAnotherAdmin(tx.db, id);
  store.updateUser(tx, id, { name, email, rootRole: role });
  const { rootRole: _, ...user } = store.requireUser(tx.db, id);
  const isSame = before.email === undefined || before.email.toLowerCase() === user.email?.toLowerCase();
  if (!isSame) revokeReset(tx, id); // it may be in a mailbox of somebody else
  return { ...user, ...(rootRole != null && { rootRole }) };
});

export const deleteUser = DELETE({
  ...ofUser,
  id: "deleteUser",
  summary: "Delete a user, with all sessions, personal tokens and roles",
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["user-deleted"],
  exampleParams: { id: "3" },
}).change(({ tx, actor, params: { id } }) => {
  store.requireUser(tx.db, id);
  store.requireRemovable(tx.db, actor, id);
  store.removeUser(tx, id);
});

export const deleteScimUsers = DELETE({
  ...ofUsers,
  id: "deleteScimUsers",
  summary: "Delete all users that have a SCIM id, all or none",
  path: `${ofUsers.path}/scim-users`,
  errors: ["InvalidOperationError"],
  records: ["user-deleted", "scim-users-deleted"],
}).change(({ tx, actor }) => {
  const ids = withScimId(tx.db).all({});
  for (const id of ids) {
    store.requireRemovable(tx.db, actor, id);
    store.removeUser(tx, id);
  }
  if (ids.length > 0) tx.record({ type: "scim-users-deleted" });
});

const withScimId = valueQuery<object, number>(`SELECT id FROM users WHERE scim_id IS NOT NULL ORDER BY id`);

/** A user as other users find them. */
export const FoundUser = v.pick(User, [
  "id",
  "isAPI",
  "name",
  "email",
  "username",
  "imageUrl",
  "seenAt",
  "accountType",
  "scimId",
]);

/** What a user or service account can reach: projects through its own roles and through its groups. */
export const UserAccess = v.strictObject({
  userId: v.number(),
  createdAt: Timestamp,
  userName: v.nullable(v.string()),
  userEmail: v.nullable(v.string()),
  lastSeen: v.nullable(Timestamp),
  accessibleProjects: v.array(v.string()),
  groups: v.array(v.string()),
  rootRole: v.string(),
  groupProjects: v.array(v.string()),
});
type UserAccess = v.InferOutput<typeof UserAccess>;

export const AccessOverview = v.strictObject({ overview: v.array(UserAccess) });

/** The number of Admins, by how they can sign in. */
export const AdminCount = v.strictObject({
  password: v.number(),
  noPassword: v.number(),
  service: v.number(),
});

export const InactiveUser = v.strictObject({
  id: v.number(),
  name: v.nullable(v.string()),
  username: v.nullable(v.string()),
  email: v.nullable(v.string()),
  seenAt: v.nullable(Timestamp),
  createdAt: Timestamp,
  patSeenAt: v.nullable(Timestamp),
});

/** Several users. */
export const UserIds = v.object({ ids: v.array(v.pipe(v.number(), v.safeInteger())) });

export const searchUsers = GET({
  ...ofUsers,
  id: "searchUsers",
  summary: "Search users by part of the name, or the beginning of the username or e-mail address",
  path: `${ofUsers.path}/search`,
  permission: null,
  query: v.object({ q: v.optional(v.string(), "") }),
  response: v.array(FoundUser),
  // A single character finds nobody (original).
}).run(({ db, query: { q } }) => (q.length < 2 ? [] : usersLike(db, q)));

// SQLite's own functions handle letter case only in ASCII, so names are compared in JavaScript.
const everyone = query<object, store.UserRow>(`
  SELECT ${store.USER_COLUMNS} FROM users WHERE account_type = 'User' ORDER BY id`);

function usersLike(db: Database, text: string) {
  const searched = text.toLowerCase();
  const isFound = ({ name, username, email }: store.UserRow) =>
    name?.toLowerCase().includes(searched) ||
    [username, email].some((login) => login?.toLowerCase().startsWith(searched));
  return everyone(db).all({}).filter(isFound).map(toFound);
}

function toFound(row: store.UserRow) {
  const { id, isAPI, name, email, username, imageUrl, seenAt, accountType, scimId } = store.toUser(row);
  return { id, isAPI, name, email, username, imageUrl, seenAt, accountType, scimId };
}

export const readAccessOverview = GET({
  id: "getAccessOverview",
  summary: "What all users and service accounts can reach, also as CSV",
  tag: "Users",
  path: "/api/admin/access/overview",
  permission: "ADMIN",
  response: AccessOverview,
  rows: ({ overview }: { overview: readonly object[] }) => overview,
}).run(({ db }) => ({ overview: accessRows(db).all({}).map(fromStored(UserAccess)) }));

const accessRows = query<object, Stored<UserAccess>>(`
  SELECT users.id AS userId, users.created_at AS createdAt, users.name AS userName, email AS userEmail,
    seen_at AS lastSeen, roles.name AS rootRole,
    (SELECT json_group_array(DISTINCT project ORDER BY project) FROM project_user_roles WHERE user_id = users.id)
      AS accessibleProjects,
    (SELECT json_group_array(groups.name ORDER BY groups.name)
      FROM group_users JOIN groups ON groups.id = group_id WHERE user_id = users.id) AS groups,
    (SELECT json_group_array(DISTINCT project ORDER BY project)
      FROM group_users JOIN project_group_roles USING (group_id) WHERE user_id = users.id) AS groupProjects
  FROM users JOIN roles ON roles.id = root_role ORDER BY users.id`);

export const countAdmins = GET({
  ...ofUsers,
  id: "getAdminCount",
  summary: "The number of Admins, by how they can sign in",
  path: `${ofUsers.path}/admin-count`,
  response: AdminCount,
}).run(({ db }) => admins(db).get({})!);

const admins = query<object, v.InferOutput<typeof AdminCount>>(`
  SELECT count(*) FILTER (WHERE account_type = 'User' AND password_hash IS NOT NULL) AS password,
    count(*) FILTER (WHERE account_type = 'User' AND password_hash IS NULL) AS noPassword,
    count(*) FILTER (WHERE account_type <> 'User') AS service
  FROM users WHERE root_role = ${ROLES.admin}`);

/** A user not seen for this long is inactive (original). In milliseconds. */
const INACTIVE_MS = 180 * 24 * 60 * 60 * 1000;

export const listInactiveUsers = GET({
  ...ofUsers,
  id: "getInactiveUsers",
  summary: "Users not seen for 180 days, nor any of their tokens",
  path: `${ofUsers.path}/inactive`,
  response: v.strictObject({ version: v.literal(1), inactiveUsers: v.array(InactiveUser) }),
}).run(({ db }) => {
  const before = new Date(Date.now() - INACTIVE_MS).toISOString();
  return { version: 1, inactiveUsers: unseen(db).all({ before }) };
});

const unseen = query<{ before: string }, v.InferOutput<typeof InactiveUser>>(`
  SELECT * FROM (
    SELECT id, name, username, email, seen_at AS seenAt, created_at AS createdAt,
      (SELECT max(seen_at) FROM tokens WHERE user_id = users.id) AS patSeenAt
    FROM users WHERE account_type = 'User' AND coalesce(seen_at, created_at) < :before)
  WHERE ifnull(patSeenAt, '') < :before ORDER BY id`);

export const deleteInactiveUsers = POST({
  ...ofUsers,
  id: "deleteInactiveUsers",
  summary: "Delete several users, all or none; the caller is ignored",
  path: `${ofUsers.path}/inactive/delete`,
  body: UserIds,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["user-deleted"],
  example: { ids: [3] },
}).change(({ tx, actor, body: { ids } }) => {
  for (const id of new Set(ids)) {
    if (id === actor.userId) continue;
    store.requireUser(tx.db, id);
    store.requireRemovable(tx.db, actor, id);
    store.removeUser(tx, id);
  }
});
