import { endSessionsOf } from "../../auth/session.ts";
import { endSignInLink } from "../../auth/sign-in-link.ts";
import { bookkeeping, command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { endReset } from "../resets/changes.ts";
import { set, type UserRow, userById } from "./store.ts";

type NewRow = Omit<UserRow, "id"> & {
  /** Null for the next. */
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

const UNSET = {
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

/** Notes when a user was last here. */
export const markSeen = (tx: Tx, id: number) => void setSeen(tx).run({ id, now: tx.now });

/** Makes a user and returns its id; SQLite's constraint error if the username or the e-mail is taken. */
export function createUser(tx: Tx, user: NewUser): number {
  const { lastInsertRowid } = insertUser(tx).run({ ...UNSET, ...user, createdAt: tx.now });
  const id = Number(lastInsertRowid);
  tx.record({ type: `${nounOf(tx, id)}-created`, data: dataOf(tx, id) });
  return id;
}

/** Changes a user who is there; what is undefined stays. */
export function updateUser(tx: Tx, id: number, changed: Changed) {
  const { name, email = null, rootRole } = userById(tx.db, id)!;
  const preData = dataOf(tx, id);
  update(tx).run({
    id,
    name: changed.name ?? name,
    email: changed.email ?? email,
    rootRole: changed.rootRole ?? rootRole,
  });
  tx.record({ type: `${nounOf(tx, id)}-updated`, data: dataOf(tx, id), preData });
}

interface Changed {
  name?: string | null | undefined;
  email?: string | null | undefined;
  rootRole?: number | undefined;
}

/** Removes a user who is there, with all sessions, personal tokens and roles; what they made stays. */
export function removeUser(tx: Tx, id: number) {
  const [type, preData] = [`${nounOf(tx, id)}-deleted` as const, dataOf(tx, id)];
  remove(tx).run({ id });
  tx.record({ type, preData });
}

/**
 * Sets a password. The user's sessions end, but for the one it came in by, and so do links to set another or to sign in:
 * whoever had got hold of one is out. No event tells of it (original).
 */
export function setPassword(tx: Tx, id: number, { hash, kept }: { hash: string; kept?: string | null }) {
  setHash(tx).run({ id, hash });
  endSessionsOf(tx, id, kept);
  endReset(tx, id);
  endSignInLink(tx, id);
}

/** Keeps the same password, hashed with more work. */
export const refreshPasswordHash = (tx: Tx, id: number, hash: string) =>
  void refreshHash(tx).run({ id, hash });

/** What events call a user. */
const nounOf = ({ db }: Tx, id: number) =>
  userById(db, id)!.accountType === "User" ? "user" : "service-account";

/** What events tell of a user. */
function dataOf({ db }: Tx, id: number) {
  const { name, username, email = null, rootRole } = userById(db, id)!;
  return { id, ...set({ name, username, email }), rootRole };
}
