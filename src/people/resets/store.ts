import { hashSecret } from "../../access/token.ts";
import { type Database, query } from "../../db/statement.ts";
import { timestamp } from "../../lib/timestamp.ts";

/** A link for setting a user's password. */
export interface Reset {
  userId: number;
  /** The user who created it. */
  createdBy: string;
}

const byHash = query<{ hash: string; now: string }, Reset>(`
  SELECT user_id AS userId, created_by AS createdBy FROM reset_tokens WHERE hash = :hash AND expires_at > :now`);

/** Undefined if the secret is unknown, used or expired. */
export const resetBySecret = (db: Database, secret: string): Reset | undefined =>
  byHash(db).get({ hash: hashSecret(secret), now: timestamp() });
