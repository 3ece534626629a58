import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { ROLES } from "../access/permissions.ts";
import { imageUrlOf } from "../access/person.ts";
import { Id, kind, Name, OptionalText, OptionalTime, optional, withoutNulls } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { bookkeeping, command, query, type Stored, toStored } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { ApiError, found, invalid } from "../lib/api-error.ts";
import { MASK, printable } from "../lib/text.ts";
import { isLookalike } from "./lookalikes.ts";
import { ACCOUNT_TYPES, type User } from "./users-schema.ts";

export type UserRow = Omit<NewRow, "id" | "passwordHash" | "madeBy"> & { id: number };

export const USER_COLUMNS = `users.id, users.name, username, email, image_url AS imageUrl,
  account_type AS accountType, root_role AS rootRole, created_at AS createdAt, seen_at AS seenAt,
  login_attempts AS loginAttempts, email_sent AS emailSent, invite_link AS inviteLink, scim_id AS scimId`;

const byId = query<{ id: number }, UserRow>(`SELECT ${USER_COLUMNS} FROM users WHERE id = :id`);

const byAnyName = query<{ name: string }, UserRow>(`
  SELECT ${USER_COLUMNS} FROM users WHERE CAST(id AS TEXT) = :name OR username = :name OR email = :name`);

// Only an import can create users whose names differ only in letter case: each is found by their exact name.
const toSignIn = query<{ name: string }, UserRow & { passwordHash: string | null }>(`
  SELECT ${USER_COLUMNS}, password_hash AS passwordHash FROM users
  WHERE (username = :name OR email = :name COLLATE NOCASE) AND account_type = 'User'
  ORDER BY username = :name DESC, email = :name DESC, id LIMIT 1`);

const byEmail = query<{ email: string }, { id: number }>(`
  SELECT id FROM users WHERE email = :email COLLATE NOCASE AND account_type = 'User'
  ORDER BY email = :email DESC, id LIMIT 1`);

const all = query<object, UserRow & { role: string }>(`
  SELECT ${USER_COLUMNS}, roles.name AS role FROM users JOIN roles ON roles.id = users.root_role ORDER BY users.id`);

const otherAdmin = query<{ id: number }>(`
  SELECT 1 FROM users WHERE root_role = ${ROLES.admin} AND account_type = 'User' AND id <> :id LIMIT 1`);

const anyUser = query<object>(`SELECT 1 FROM users LIMIT 1`);

/** The id is null for the next free one. */
type NewRow = Omit<Stored<v.InferOutput<typeof UserLine>>, "id" | "createdAt"> & {
  id: number | null;
  createdAt: string;
};

const insert = command<NewRow>(`
  INSERT INTO users (id, name, username, email, image_url, account_type, root_role, created_at, seen_at,
    login_attempts, email_sent, invite_link, scim_id, password_hash, made_by)
  VALUES (:id, :name, :username, :email, :imageUrl, :accountType, :rootRole, :createdAt, :seenAt,
    :loginAttempts, :emailSent, :inviteLink, :scimId, :passwordHash, :madeBy)`);

const setSeen = bookkeeping<{ id: number; now: string }>(`UPDATE users SET seen_at = :now WHERE id = :id`);

const update = command<{ id: number; name: string | null; email: string | null; rootRole: number }>(`
  UPDATE users SET name = :name, email = :email, root_role = :rootRole WHERE id = :id`);

const remove = command<{ id: number }>(`DELETE FROM users WHERE id = :id`);

/** A user or a service account; undefined if there is none. */
export function userById(db: Database, id: number): User | undefined {
  const row = byId(db).get({ id });
  return row && toUser(row);
}

/** A user or a service account. @throws ApiError `NotFoundError` */
export const requireAnyUser = (db: Database, id: number): User => found(userById(db, id), NOBODY);

const NOBODY = "user with this id";

/** A user by id; service accounts don't count. @throws ApiError `NotFoundError` */
export function requireUser(db: Database, id: number): User {
  const user = userById(db, id);
  return found(user?.accountType === "User" ? user : undefined, NOBODY);
}

/**
 * The user an operator refers to by id, username or e-mail address.
 * @throws Error if it may be one of several: people choose their usernames, also one that is the id of somebody else
 */
export function userByAnyName(db: Database, name: string): User | undefined {
  const [row, ...others] = byAnyName(db).all({ name });
  if (others.length > 0)
    throw new Error(`${printable(name)} is the id or a name of several users: use another of theirs`);
  return row && toUser(row);
}

/** The user who can sign in with this username or e-mail address, and the hash to check the password against. */
export function userToSignIn(
  db: Database,
  name: string,
): { user: User; passwordHash: string | null } | undefined {
  const row = toSignIn(db).get({ name });
  return row && { user: toUser(row), passwordHash: row.passwordHash };
}

/** The user with this e-mail address, in any letter case; undefined if there is none. */
export const userByEmail = (db: Database, email: string) => byEmail(db).get({ email });

/** All users by id, with the names of their root roles. */
export const users = (db: Database): Array<User & { role: string }> =>
  all(db)
    .all({})
    .map((row) => ({ ...toUser(row), role: row.role }));

export const hasUsers = (db: Database) => anyUser(db).get({}) !== undefined;

/** Checks that there would still be an Admin without this user. @throws ApiError `InvalidOperationError` */
export function requireAnotherAdmin(db: Database, id: number) {
  if (byId(db).get({ id })?.rootRole !== ROLES.admin || otherAdmin(db).get({ id })) return;
  throw new ApiError("InvalidOperationError", "This is the only Admin: make someone else an Admin first");
}

/** @throws ApiError `InvalidOperationError` for oneself and for the last Admin */
export function requireRemovable(db: Database, { userId }: Actor, id: number) {
  if (id === userId) throw new ApiError("InvalidOperationError", "You can't delete yourself");
  requireAnotherAdmin(db, id);
}

interface Names {
  username: string | null;
  email: string | null;
}

const TAKEN = "another user has it, or one that looks the same";

/** @throws ApiError `ValidationError` if another user has the username or e-mail address (original: 400) */
export function requireFreeNames(db: Database, { username, email }: Names, exceptId?: number) {
  if (isTaken(db, username, exceptId)) throw invalid({ path: "body.username", message: TAKEN });
  if (isTaken(db, email, exceptId)) throw invalid({ path: "body.email", message: TAKEN });
}

/** The same for a service account. @throws ApiError `NameExistsError` (original: 409) */
export function requireFreeUsername(db: Database, username: string) {
  if (isTaken(db, username)) throw new ApiError("NameExistsError", `body.username: ${TAKEN}`);
}

/** Whether another user has this name, or one that looks the same. */
export const isTaken = (db: Database, name: string | null, exceptId?: number) =>
  name !== null && isLookalike(db, name, exceptId);

export type NewUser = Pick<NewRow, "name" | "username" | "email" | "rootRole"> &
  Partial<Pick<NewRow, "accountType" | "passwordHash" | "madeBy">>;

/** Creates a user and returns the id; an SQLite constraint error if the username or e-mail address is taken. */
export function createUser(tx: Tx, user: NewUser): number {
  const row = { ...v.getDefaults(UserLine), ...user, id: null, createdAt: tx.now };
  const id = Number(insert(tx).run(row).lastInsertRowid);
  tx.record({ type: `${nounOf(tx, id)}-created`, data: dataOf(tx, id) });
  return id;
}

interface UserChange {
  name?: string | null | undefined;
  email?: string | null | undefined;
  rootRole?: number | undefined;
}

/** Changes an existing user; properties that are undefined, null or empty stay as they are (original). */
export function updateUser(tx: Tx, id: number, change: UserChange) {
  const { name, email, rootRole } = byId(tx.db).get({ id })!;
  const preData = dataOf(tx, id);
  update(tx).run({
    id,
    name: change.name || name,
    email: change.email || email,
    rootRole: change.rootRole ?? rootRole,
  });
  tx.record({ type: `${nounOf(tx, id)}-updated`, data: dataOf(tx, id), preData });
}

/** Deletes an existing user with all sessions, personal tokens and roles; what they created stays. */
export function removeUser(tx: Tx, id: number) {
  const [type, preData] = [`${nounOf(tx, id)}-deleted` as const, dataOf(tx, id)];
  remove(tx).run({ id });
  tx.record({ type, preData });
}

/** Updates the time a user was last seen. */
export const markSeen = (tx: Tx, id: number) => void setSeen(tx).run({ id, now: tx.now });

export const toUser = (row: UserRow): User => ({
  id: row.id,
  isAPI: false,
  name: row.name,
  ...(row.email !== null && { email: row.email }),
  username: row.username,
  imageUrl: imageUrlOf(row),
  ...(row.inviteLink !== null && { inviteLink: row.inviteLink }),
  loginAttempts: row.loginAttempts,
  ...(row.emailSent !== null && { emailSent: row.emailSent === 1 }),
  rootRole: row.rootRole,
  seenAt: row.seenAt,
  createdAt: row.createdAt,
  accountType: row.accountType,
  ...(row.scimId !== null && { scimId: row.scimId }),
});

/** The noun for a user in event types. */
const nounOf = ({ db }: Tx, id: number) =>
  byId(db).get({ id })!.accountType === "User" ? "user" : "service-account";
function dataOf({ db }: Tx, id: number) {
  const { name, username, email, rootRole } = byId(db).get({ id })!;
  return { id, ...withoutNulls({ name, username, email }), rootRole };
}

const UserLine = v.strictObject({
  id: Id,
  name: OptionalText,
  username: optional(Name),
  email: optional(Name),
  imageUrl: OptionalText,
  accountType: v.optional(v.picklist(ACCOUNT_TYPES), "User"),
  rootRole: v.optional(Id, 3),
  createdAt: OptionalTime,
  seenAt: OptionalTime,
  loginAttempts: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0),
  emailSent: optional(v.boolean()),
  inviteLink: OptionalText,
  scimId: OptionalText,
  passwordHash: OptionalText,
  madeBy: optional(v.picklist(["oidc", "proxy"])),
});

const lines = query<object, UserRow & Pick<NewRow, "passwordHash" | "madeBy">>(`
  SELECT ${USER_COLUMNS}, password_hash AS passwordHash, made_by AS madeBy FROM users ORDER BY id`);

export const user = kind({
  name: "user",
  tables: ["users", "sign_ins"],
  isNumbered: true,
  schema: UserLine,
  refers: { rootRole: "role" },
  insert: ({ tx, now }, line) => insert(tx).run(toStored({ ...line, createdAt: line.createdAt ?? now })),
  rows: (db) => lines(db).iterate({}),
  // Anyone who has the link can take over the account.
  masked: (row) => ({
    ...row,
    ...(row.inviteLink && { inviteLink: MASK }),
    ...(row.passwordHash && { passwordHash: MASK }),
  }),
});
