import { hashSecret } from "../../auth/token.ts";
import { type Database, query } from "../../db/statement.ts";

/** A link by which a user sets a password. */
export interface Reset {
  userId: number;
  /** Who made it. */
  createdBy: string;
}

const byHash = query<{ hash: string; now: string }, Reset>(`
  SELECT user_id AS userId, created_by AS createdBy FROM reset_tokens WHERE hash = :hash AND expires_at > :now`);

/** Undefined for one that is unknown, used or too old. */
export const resetBySecret = (db: Database, secret: string): Reset | undefined =>
  byHash(db).get({ hash: hashSecret(secret), now: new Date().toISOString() });
