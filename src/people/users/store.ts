import { imageUrlOf, type Pictured } from "../../access/avatar.ts";
import { ROLES } from "../../access/permissions.ts";
import { type Database, query } from "../../db/statement.ts";
import { timestamp } from "../../lib/timestamp.ts";
import type { User } from "./schema.ts";

export interface UserRow {
  id: number;
  name: string | null;
  username: string | null;
  email: string | null;
  imageUrl: string | null;
  accountType: User["accountType"];
  rootRole: number;
  createdAt: string;
  seenAt: string | null;
  loginAttempts: number;
  emailSent: 0 | 1 | null;
  inviteLink: string | null;
  scimId: string | null;
}

export const COLUMNS = `users.id, users.name, username, email, image_url AS imageUrl, account_type AS accountType,
  root_role AS rootRole, created_at AS createdAt, seen_at AS seenAt, login_attempts AS loginAttempts,
  email_sent AS emailSent, invite_link AS inviteLink, scim_id AS scimId`;

const byId = query<{ id: number }, UserRow>(`SELECT ${COLUMNS} FROM users WHERE id = :id`);

// For a name that is all digits, a match by id comes first, since it is more specific.
const byAnyName = query<{ name: string }, UserRow>(`
  SELECT ${COLUMNS} FROM users
  WHERE CAST(id AS TEXT) = :name OR username = :name OR email = :name
  ORDER BY CAST(id AS TEXT) = :name DESC, id LIMIT 1`);

// Only an import can create users whose names differ only in letter case: each is found by their exact name.
const toSignIn = query<{ name: string }, UserRow & { passwordHash: string | null }>(`
  SELECT ${COLUMNS}, password_hash AS passwordHash FROM users
  WHERE (username = :name OR email = :name COLLATE NOCASE) AND account_type = 'User'
  ORDER BY username = :name DESC, email = :name DESC, id LIMIT 1`);

const all = query<object, UserRow & { role: string }>(`
  SELECT ${COLUMNS}, roles.name AS role FROM users JOIN roles ON roles.id = users.root_role ORDER BY users.id`);

const persons = query<{ now: string }, UserRow & { isInvited: 0 | 1 }>(`
  SELECT ${COLUMNS},
    EXISTS (SELECT 1 FROM reset_tokens WHERE user_id = users.id AND expires_at > :now) AS isInvited
  FROM users WHERE account_type = 'User' ORDER BY id`);

const byEmail = query<{ email: string }, { id: number }>(`
  SELECT id FROM users WHERE email = :email COLLATE NOCASE AND account_type = 'User'
  ORDER BY email = :email DESC, id LIMIT 1`);

const otherAdmin = query<{ id: number }>(`
  SELECT 1 FROM users WHERE root_role = ${ROLES.admin} AND account_type = 'User' AND id <> :id LIMIT 1`);

const hashOf = query<{ id: number }, string | null>(`SELECT password_hash FROM users WHERE id = :id`);

const anyUser = query<object>(`SELECT 1 FROM users LIMIT 1`);

export const userById = (db: Database, id: number): Pictured<User> | undefined => {
  const row = byId(db).get({ id });
  return row && toUser(row);
};

/** The user an operator refers to by id, username or e-mail address. */
export const userByAnyName = (db: Database, name: string): Pictured<User> | undefined => {
  const row = byAnyName(db).get({ name });
  return row && toUser(row);
};

/** The user who can sign in with this username or e-mail address, and the hash to check the password against. */
export function userToSignIn(
  db: Database,
  name: string,
): { user: Pictured<User>; passwordHash: string | null } | undefined {
  const row = toSignIn(db).get({ name });
  return row && { user: toUser(row), passwordHash: row.passwordHash };
}

/** All users by id, with the names of their root roles. */
export const users = (db: Database): Array<Pictured<User> & { role: string }> =>
  all(db)
    .all({})
    .map((row) => ({ ...toUser(row), role: row.role }));

/** All users by id, with whether they have an open link for setting a password. */
export const listedUsers = (db: Database): Array<Pictured<User> & { isInvited: boolean }> =>
  persons(db)
    .all({ now: timestamp() })
    .map((row) => ({ ...toUser(row), isInvited: row.isInvited === 1 }));

/** The user with this e-mail address, in any letter case. */
export const userByEmail = (db: Database, email: string) => byEmail(db).get({ email });

/** Whether anyone else is an Admin. */
export const hasOtherAdmin = (db: Database, id: number) => otherAdmin(db).get({ id }) !== undefined;

export const passwordHashOf = (db: Database, id: number) => hashOf(db).pluck().get({ id });

export const hasUsers = (db: Database) => anyUser(db).get({}) !== undefined;

export const toUser = (row: UserRow): Pictured<User> => ({
  id: row.id,
  isAPI: false,
  name: row.name,
  ...set({ email: row.email }),
  username: row.username,
  imageUrl: imageUrlOf(row),
  ...set({ inviteLink: row.inviteLink }),
  loginAttempts: row.loginAttempts,
  ...(row.emailSent !== null && { emailSent: row.emailSent === 1 }),
  rootRole: row.rootRole,
  seenAt: row.seenAt,
  createdAt: row.createdAt,
  accountType: row.accountType,
  ...set({ scimId: row.scimId }),
});

/** Only the properties that have a value. */
export const set = <T extends Record<string, string | null>>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as {
    [K in keyof T]?: string;
  };
