import crypto from "node:crypto";
import { bookkeeping, command } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { timestamp } from "../lib/timestamp.ts";
import { hashSecret } from "./token.ts";

/** How long a link is valid, in milliseconds. */
const LIFETIME_MS = 30 * 60 * 1000;

const store = bookkeeping<{ userId: number; hash: string; expiresAt: string }>(`
  INSERT INTO sign_in_links (user_id, hash, expires_at) VALUES (:userId, :hash, :expiresAt)
  ON CONFLICT (user_id) DO UPDATE SET hash = :hash, expires_at = :expiresAt`);

// Found and deleted in one step, so that of two simultaneous callers only one signs in.
const take = bookkeeping<{ hash: string }>(`
  DELETE FROM sign_in_links WHERE hash = :hash RETURNING user_id AS userId, expires_at AS expiresAt`);

const remove = command<{ userId: number }>(`DELETE FROM sign_in_links WHERE user_id = :userId`);

/**
 * Creates a link with which a user can sign in without a password; an earlier one becomes invalid.
 * @returns its path, with a secret that is not stored
 */
export function createSignInLink(tx: Writing, userId: number): string {
  const secret = crypto.randomBytes(32).toString("hex");
  const expiresAt = timestamp(Date.now() + LIFETIME_MS);
  store(tx).run({ userId, hash: hashSecret(secret), expiresAt });
  return `/auth/link/${secret}`;
}

/** Uses up the link with this secret; undefined if it is unknown or used. */
export function useSignInLink(
  tx: Writing,
  secret: string,
): { userId: number; isExpired: boolean } | undefined {
  const link = take(tx).get({ hash: hashSecret(secret) }) as Link | undefined;
  return link && { userId: link.userId, isExpired: link.expiresAt <= timestamp() };
}

/** Revokes a user's link, if there is one. */
export const revokeSignInLink = (tx: Writing, userId: number) => void remove(tx).run({ userId });

interface Link {
  userId: number;
  expiresAt: string;
}
