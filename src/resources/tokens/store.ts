import type { TokenType } from "../../auth/token.ts";
import { type Database, query } from "../../db/statement.ts";

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

type Row = Omit<Token, "projects"> & { projects: string };

const COLUMNS = `tokens.id, type, tokens.name, user_id AS userId,
  coalesce(users.username, users.email, users.name) AS user, projects, environment,
  tokens.created_at AS createdAt, expires_at AS expiresAt`;

const all = query<object, Row>(`
  SELECT ${COLUMNS} FROM tokens LEFT JOIN users ON users.id = user_id ORDER BY tokens.id`);

const byId = query<{ id: number }, Row>(`
  SELECT ${COLUMNS} FROM tokens LEFT JOIN users ON users.id = user_id WHERE tokens.id = :id`);

const anyToken = query<object>(`SELECT 1 FROM tokens LIMIT 1`);

export const hasTokens = (db: Database) => anyToken(db).get({}) !== undefined;

export const tokens = (db: Database): Token[] => all(db).all({}).map(toToken);

/** Undefined for none. */
export function tokenById(db: Database, id: number): Token | undefined {
  const row = byId(db).get({ id });
  return row && toToken(row);
}

const toToken = (row: Row): Token => ({ ...row, projects: JSON.parse(row.projects) });
