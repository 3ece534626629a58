import { bookkeeping, command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { User } from "./schema.ts";
import { set } from "./store.ts";

interface UserRow {
  /** Null for the next. */
  id: number | null;
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
  passwordHash: string | null;
}

export const insertUser = command<UserRow>(`
  INSERT INTO users (id, name, username, email, image_url, account_type, root_role, created_at, seen_at,
    login_attempts, email_sent, invite_link, scim_id, password_hash)
  VALUES (:id, :name, :username, :email, :imageUrl, :accountType, :rootRole, :createdAt, :seenAt,
    :loginAttempts, :emailSent, :inviteLink, :scimId, :passwordHash)`);

export type NewUser = Pick<UserRow, "name" | "username" | "email" | "rootRole"> & {
  passwordHash?: string | null;
};

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

/** Notes when a user was last here. */
export const markSeen = (tx: Tx, id: number) => void setSeen(tx).run({ id, now: tx.now });

/** Makes a user and returns its id; SQLite's constraint error if the username or the e-mail is taken. */
export function createUser(tx: Tx, user: NewUser): number {
  const { lastInsertRowid } = insertUser(tx).run({ ...UNSET, ...user, createdAt: tx.now });
  const id = Number(lastInsertRowid);
  const { name, username, email, rootRole } = user;
  tx.record({ type: "user-created", data: { id, ...set({ name, username, email }), rootRole } });
  return id;
}
