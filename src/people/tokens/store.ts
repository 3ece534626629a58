import { hashSecret, type TokenType } from "../../access/token.ts";
import { type Database, query } from "../../db/statement.ts";
import type { PersonalToken } from "./schema.ts";

/** A token as it is listed: without its secret or the hash of it. */
export interface Token {
  id: number;
  type: TokenType;
  name: string;
  userId: number | null;
  /** The user's username, e-mail address or name. */
  user: string | null;
  projects: string[];
  environment: string | null;
  createdAt: string;
  expiresAt: string | null;
  seenAt: string | null;
}

type Row = Omit<Token, "projects"> & { projects: string };

const COLUMNS = `tokens.id, type, tokens.name, user_id AS userId,
  coalesce(users.username, users.email, users.name) AS user, projects, environment,
  tokens.created_at AS createdAt, expires_at AS expiresAt, tokens.seen_at AS seenAt`;

const FROM = `FROM tokens LEFT JOIN users ON users.id = user_id`;

const all = query<object, Row>(`SELECT ${COLUMNS} ${FROM} ORDER BY tokens.id`);

const byId = query<{ id: number }, Row>(`SELECT ${COLUMNS} ${FROM} WHERE tokens.id = :id`);

const byHash = query<{ hash: string }, Row>(`SELECT ${COLUMNS} ${FROM} WHERE hash = :hash`);

const ofUser = query<{ userId: number }, PersonalToken>(`
  SELECT id, name AS description, user_id AS userId, created_at AS createdAt, expires_at AS expiresAt,
    seen_at AS seenAt
  FROM tokens WHERE user_id = :userId ORDER BY id`);

const anyToken = query<object>(`SELECT 1 FROM tokens LIMIT 1`);

export const hasTokens = (db: Database) => anyToken(db).get({}) !== undefined;

export const tokens = (db: Database): Token[] => all(db).all({}).map(toToken);

/** Undefined if there is none. */
export function tokenById(db: Database, id: number): Token | undefined {
  const row = byId(db).get({ id });
  return row && toToken(row);
}

/** Undefined if there is none. */
export function tokenBySecret(db: Database, secret: string): Token | undefined {
  const row = byHash(db).get({ hash: hashSecret(secret) });
  return row && toToken(row);
}

/** A user's personal tokens, by id. */
export const personalTokens = (db: Database, userId: number): PersonalToken[] => ofUser(db).all({ userId });

const toToken = (row: Row): Token => ({ ...row, projects: JSON.parse(row.projects) });
