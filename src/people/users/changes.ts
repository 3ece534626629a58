import { endSessionsOf } from "../../access/session.ts";
import { revokeSignInLink } from "../../access/sign-in-link.ts";
import { bookkeeping, command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { revokeReset } from "../resets/changes.ts";
import { set, type UserRow, userById } from "./store.ts";

type NewRow = Omit<UserRow, "id"> & {
  /** Null for the next free id. */
  id: number | null;
  passwordHash: string | null;
};

export const insertUser = command<NewRow>(`
  INSERT INTO users (id, name, username, email, image_url, account_type, root_role, created_at, seen_at,
    login_attempts, email_sent, invite_link, scim_id, password_hash)
  VALUES (:id, :name, :username, :email, :imageUrl, :accountType, :rootRole, :createdAt, :seenAt,
    :loginAttempts, :emailSent, :inviteLink, :scimId, :passwordHash)`);

export type NewUser = Pick<NewRow, "name" | "username" | "email" | "rootRole"> &
  Partial<Pick<NewRow, "accountType" | "passwordHash">>;

const DEFAULTS = {
  id: null,
  imageUrl: null,
  accountType: "User",
  seenAt: null,
  loginAttempts: 0,
  emailSent: null,
  inviteLink: null,
  scimId: null,
  passwordHash: null,
} as const;

const setSeen = bookkeeping<{ id: number; now: string }>(`UPDATE users SET seen_at = :now WHERE id = :id`);

const update = command<{ id: number; name: string | null; email: string | null; rootRole: number }>(`
  UPDATE users SET name = :name, email = :email, root_role = :rootRole WHERE id = :id`);

const remove = command<{ id: number }>(`DELETE FROM users WHERE id = :id`);

const setHash = command<{ id: number; hash: string }>(`
  UPDATE users SET password_hash = :hash WHERE id = :id`);

const refreshHash = bookkeeping<{ id: number; hash: string }>(`
  UPDATE users SET password_hash = :hash WHERE id = :id`);

/** Updates the time a user was last seen. */
export const markSeen = (tx: Tx, id: number) => void setSeen(tx).run({ id, now: tx.now });

/** Creates a user and returns the id; an SQLite constraint error if the username or e-mail address is taken. */
export function createUser(tx: Tx, user: NewUser): number {
  const { lastInsertRowid } = insertUser(tx).run({ ...DEFAULTS, ...user, createdAt: tx.now });
  const id = Number(lastInsertRowid);
  tx.record({ type: `${nounOf(tx, id)}-created`, data: dataOf(tx, id) });
  return id;
}

/** Changes an existing user; properties that are undefined, null or empty stay as they are (original). */
export function updateUser(tx: Tx, id: number, change: UserChange) {
  const { name, email = null, rootRole } = userById(tx.db, id)!;
  const preData = dataOf(tx, id);
  update(tx).run({
    id,
    name: change.name || name,
    email: change.email || email,
    rootRole: change.rootRole ?? rootRole,
  });
  tx.record({ type: `${nounOf(tx, id)}-updated`, data: dataOf(tx, id), preData });
}

interface UserChange {
  name?: string | null | undefined;
  email?: string | null | undefined;
  rootRole?: number | undefined;
}

/** Deletes an existing user with all sessions, personal tokens and roles; what they created stays. */
export function removeUser(tx: Tx, id: number) {
  const [type, preData] = [`${nounOf(tx, id)}-deleted` as const, dataOf(tx, id)];
  remove(tx).run({ id });
  tx.record({ type, preData });
}

/**
 * Sets a password. Ends the user's sessions, except the one that changed it, and revokes links for setting another
 * password or signing in, in case someone else has one. No event is recorded (original).
 */
export function setPassword(
  tx: Tx,
  id: number,
  { hash, keptSession }: { hash: string; keptSession?: string | null },
) {
  setHash(tx).run({ id, hash });
  endSessionsOf(tx, id, keptSession);
  revokeReset(tx, id);
  revokeSignInLink(tx, id);
}

/** Replaces the hash with a stronger one of the same password. */
export const refreshPasswordHash = (tx: Tx, id: number, hash: string) =>
  void refreshHash(tx).run({ id, hash });

/** The noun for a user in event types. */
const nounOf = ({ db }: Tx, id: number) =>
  userById(db, id)!.accountType === "User" ? "user" : "service-account";

/** The user in events. */
function dataOf({ db }: Tx, id: number) {
  const { name, username, email = null, rootRole } = userById(db, id)!;
  return { id, ...set({ name, username, email }), rootRole };
}
