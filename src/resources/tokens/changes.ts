import { hashSecret, newSecret, type TokenType } from "../../auth/token.ts";
import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { type Token, tokenById } from "./store.ts";

export interface NewToken {
  type: TokenType;
  name: string;
  /** For a personal token; null for the others. */
  userId: number | null;
  projects: readonly string[];
  environment: string | null;
  expiresAt: string | null;
  /** An operator's own secret; without one it is made here. */
  secret?: string | undefined;
}

interface TokenRow extends Omit<NewToken, "projects" | "secret"> {
  hash: string;
  /** As JSON. */
  projects: string;
  createdAt: string;
  seenAt: string | null;
}

export const insertToken = command<TokenRow>(`
  INSERT INTO tokens (type, name, hash, user_id, projects, environment, created_at, expires_at, seen_at)
  VALUES (:type, :name, :hash, :userId, :projects, :environment, :createdAt, :expiresAt, :seenAt)`);

const remove = command<{ id: number }>(`DELETE FROM tokens WHERE id = :id`);

/** Makes a token; its secret is not stored and can't be shown again. */
export function createToken(tx: Tx, { secret: given, ...token }: NewToken): Token & { secret: string } {
  const secret = given ?? newSecret(token.type, token.projects, token.environment ?? "*");
  const row = { ...token, projects: JSON.stringify(token.projects), createdAt: tx.now, seenAt: null };
  const { lastInsertRowid } = insertToken(tx).run({ ...row, hash: hashSecret(secret) });
  const created = tokenById(tx.db, Number(lastInsertRowid))!;
  tx.record({ type: isPersonal(created) ? "pat-created" : "api-token-created", data: toData(created) });
  return { ...created, secret };
}

/** Revokes a token; false if there is none with that id. */
export function revokeToken(tx: Tx, id: number): boolean {
  const token = tokenById(tx.db, id);
  if (!token) return false;
  remove(tx).run({ id });
  tx.record({ type: isPersonal(token) ? "pat-deleted" : "api-token-deleted", preData: toData(token) });
  return true;
}

const isPersonal = ({ type }: Token) => type === "user";

/** What events tell of a token, in the original's words for its two kinds. */
const toData = ({ id, type, name, userId, projects, environment, createdAt, expiresAt }: Token) =>
  type === "user"
    ? { id, description: name, userId, createdAt, expiresAt }
    : { id, tokenName: name, type, projects, environment, createdAt, expiresAt };
