import { hashSecret, newSecret, type TokenType } from "../../auth/token.ts";
import { command, type Database, query } from "../../db/statement.ts";
import type { Tx } from "../events/write.ts";

/** A token as it is listed: never its secret, not even the hash. */
export interface Token {
  id: number;
  type: TokenType;
  name: string;
  userId: number | null;
  /** The user's username, e-mail or name. */
  user: string | null;
  projects: string[];
  environment: string | null;
  createdAt: string;
  expiresAt: string | null;
}

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

type Row = Omit<Token, "projects"> & { projects: string };

const COLUMNS = `tokens.id, type, tokens.name, user_id AS userId,
  coalesce(users.username, users.email, users.name) AS user, projects, environment,
  tokens.created_at AS createdAt, expires_at AS expiresAt`;

const all = query<object, Row>(`
  SELECT ${COLUMNS} FROM tokens LEFT JOIN users ON users.id = user_id ORDER BY tokens.id`);

const byId = query<{ id: number }, Row>(`
  SELECT ${COLUMNS} FROM tokens LEFT JOIN users ON users.id = user_id WHERE tokens.id = :id`);

type Insert = Omit<Row, "id" | "user"> & { hash: string };

const insert = command<Insert>(`
  INSERT INTO tokens (type, name, hash, user_id, projects, environment, created_at, expires_at)
  VALUES (:type, :name, :hash, :userId, :projects, :environment, :createdAt, :expiresAt)`);

const remove = command<{ id: number }>(`DELETE FROM tokens WHERE id = :id`);

const anyToken = query<object>(`SELECT 1 FROM tokens LIMIT 1`);

export const hasTokens = (db: Database) => anyToken(db).get({}) !== undefined;

export const tokens = (db: Database): Token[] => all(db).all({}).map(toToken);

/** Makes a token; its secret is not stored and can't be shown again. */
export function createToken(tx: Tx, { secret: given, ...token }: NewToken): { id: number; secret: string } {
  const secret = given ?? newSecret(token.type, token.projects, token.environment ?? "*");
  const projects = JSON.stringify(token.projects);
  const { lastInsertRowid } = insert(tx).run({
    ...token,
    projects,
    hash: hashSecret(secret),
    createdAt: tx.now,
  });
  const created = toToken(byId(tx.db).get({ id: Number(lastInsertRowid) })!);
  tx.record({ type: isPersonal(created) ? "pat-created" : "api-token-created", data: toData(created) });
  return { id: created.id, secret };
}

/** Ends a token for good; false if there is none with that id. */
export function revokeToken(tx: Tx, id: number): boolean {
  const row = byId(tx.db).get({ id });
  if (!row) return false;
  const token = toToken(row);
  remove(tx).run({ id });
  tx.record({ type: isPersonal(token) ? "pat-deleted" : "api-token-deleted", preData: toData(token) });
  return true;
}

const isPersonal = ({ type }: Token) => type === "user";

const toToken = (row: Row): Token => ({ ...row, projects: JSON.parse(row.projects) });

/** What events tell of a token, in the original's words for its two kinds. */
const toData = ({ id, type, name, userId, projects, environment, createdAt, expiresAt }: Token) =>
  type === "user"
    ? { id, description: name, userId, createdAt, expiresAt }
    : { id, tokenName: name, type, projects, environment, createdAt, expiresAt };
