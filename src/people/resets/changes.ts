import crypto from "node:crypto";
import { hashSecret } from "../../access/token.ts";
import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { OwnPath } from "../../lib/raw-json.ts";
import { timestamp } from "../../lib/timestamp.ts";

/** How long a link is valid, in milliseconds: a day (original). */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

const setReset = command<{ userId: number; hash: string; createdBy: string; expiresAt: string }>(`
  INSERT INTO reset_tokens (user_id, hash, created_by, expires_at) VALUES (:userId, :hash, :createdBy, :expiresAt)
  ON CONFLICT (user_id) DO UPDATE SET hash = :hash, created_by = :createdBy, expires_at = :expiresAt`);

const remove = command<{ userId: number }>(`DELETE FROM reset_tokens WHERE user_id = :userId`);

const removeEnded = command<{ now: string }>(`DELETE FROM reset_tokens WHERE expires_at <= :now`);

/** Creates the secret with which a user can set a password; an earlier one becomes invalid. */
export function createReset(tx: Tx, userId: number): string {
  const secret = crypto.randomBytes(32).toString("hex");
  const expiresAt = timestamp(Date.parse(tx.now) + LIFETIME_MS);
  removeEnded(tx).run({ now: tx.now });
  setReset(tx).run({ userId, hash: hashSecret(secret), createdBy: tx.actor.createdBy, expiresAt });
  return secret;
}

/** Invalidates a user's secret. */
export const revokeReset = (tx: Tx, userId: number) => remove(tx).run({ userId });

/** Where a new user sets the first password. @param secret the secret, or its masked form */
export const invitation = (secret: string) => new OwnPath(`/new-user?token=${secret}`);

/** Where a user sets a new password. */
export const resetPage = (secret: string) => new OwnPath(`/reset-password?token=${secret}`);
