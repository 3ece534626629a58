import * as v from "valibot";
import { hashSecret, newSecret, TOKEN_TYPES, type TokenType, toTokenType } from "../access/token.ts";
import { firstPrivate } from "../access/visibility.ts";
import { Hash, Id, kind, LineError, Name, OptionalText, OptionalTime, optional } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, query, type Stored, toStored } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { decryptSecret, encryptSecret, keepsSecrets } from "./token-secrets.ts";

/** A token as it is listed: without its secret or the hash of it. */
export interface Token {
  id: number;
  type: TokenType;
  name: string;
  /** The owner of a personal token; null for API tokens. */
  userId: number | null;
  /** The user's username, e-mail address or name. */
  user: string | null;
  projects: string[];
  environment: string | null;
  createdAt: string;
  expiresAt: string | null;
  seenAt: string | null;
}

type Row = Stored<Token>;

const TOKENS = `
  SELECT tokens.id, type, tokens.name, user_id AS userId,
    coalesce(users.username, users.email, users.name) AS user, projects, environment,
    tokens.created_at AS createdAt, expires_at AS expiresAt, tokens.seen_at AS seenAt
  FROM tokens LEFT JOIN users ON users.id = user_id`;

const all = query<object, Row>(`${TOKENS} ORDER BY tokens.id`);

const byId = query<{ id: number }, Row>(`${TOKENS} WHERE tokens.id = :id`);

const byHash = query<{ hash: string }, Row>(`${TOKENS} WHERE hash = :hash`);

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

const toToken = (row: Row): Token => ({ ...row, projects: JSON.parse(row.projects) });

export interface NewToken extends Pick<Token, "type" | "name" | "userId" | "environment" | "expiresAt"> {
  projects: readonly string[];
  /** A secret chosen by the operator; generated if missing. */
  secret?: string | undefined;
}

/** Without duplicates; `*` covers all others. */
export const allOrSome = (projects: readonly string[]) =>
  projects.includes("*") ? ["*"] : [...new Set(projects)];

interface NewRow extends Omit<Row, "id" | "user"> {
  /** Null for the next one. */
  id: number | null;
  hash: string;
  /** Encrypted. */
  secret: string | null;
}

const insert = command<NewRow>(`
  INSERT INTO tokens (id, type, name, hash, user_id, projects, environment, created_at, expires_at, seen_at, secret)
  VALUES (:id, :type, :name, :hash, :userId, :projects, :environment, :createdAt, :expiresAt, :seenAt, :secret)`);

const update = command<{ id: number; projects: string; expiresAt: string | null }>(`
  UPDATE tokens SET projects = :projects, expires_at = :expiresAt WHERE id = :id`);

const remove = command<{ id: number }>(`DELETE FROM tokens WHERE id = :id`);

/** Creates a token; its secret can't be shown again, unless the operator wants that. */
export function createToken(tx: Tx, { secret: chosen, ...token }: NewToken): Token & { secret: string } {
  const secret = chosen ?? newSecret(token.type, token.projects, token.environment ?? "*");
  const hash = hashSecret(secret);
  const kept = token.type !== "user" && keepsSecrets(tx.db) ? encryptSecret(tx, hash, secret) : null;
  const projects = JSON.stringify(token.projects);
  const row = { ...token, id: null, hash, projects, createdAt: tx.now, seenAt: null, secret: kept };
  const created = tokenById(tx.db, Number(insert(tx).run(row).lastInsertRowid))!;
  if (isPersonal(created))
    tx.record({
      type: "pat-created",
      data: { description: token.name, expiresAt: created.expiresAt, secret: SECRET },
    });
  else tx.record({ type: "api-token-created", ...placeOf(tx, created), data: createdPart(created) });
  return { ...created, secret };
}

/** Changes an API token. */
export function updateToken(tx: Tx, token: Token, change: Partial<Pick<Token, "projects" | "expiresAt">>) {
  const { id, projects, expiresAt } = { ...token, ...change };
  update(tx).run({ id, projects: JSON.stringify(projects), expiresAt });
  const [data, preData] = [wholePart(tokenById(tx.db, id)!), wholePart(token)];
  tx.record({ type: "api-token-updated", ...placeOf(tx, token), data, preData });
}

/** Revokes a token; false if there is none with this id. */
export function revokeToken(tx: Tx, id: number): boolean {
  const token = tokenById(tx.db, id);
  if (!token) return false;
  remove(tx).run({ id });
  // A personal token goes into `data`, unlike other deleted things (original).
  if (isPersonal(token)) tx.record({ type: "pat-deleted", data: deletedPersonal(token) });
  else tx.record({ type: "api-token-deleted", ...placeOf(tx, token), preData: wholePart(token) });
  return true;
}

/**
 * Takes a project that will be deleted from the tokens for it, and revokes those for it alone: a later project with the
 * same id is a different one (original).
 */
export function removeProject(tx: Tx, project: string) {
  for (const token of tokens(tx.db)) {
    const others = token.projects.filter((one) => one !== project);
    if (others.length === token.projects.length) continue;
    if (others.length === 0) revokeToken(tx, token.id);
    else updateToken(tx, token, { projects: others });
  }
}

const isPersonal = ({ type }: Token) => type === "user";

/** A token's project and environment in events. If one of several projects is hidden, the event belongs to that one. */
const placeOf = (tx: Tx, { projects, environment }: Token) => ({
  project: firstPrivate(tx.db, projects) ?? projects.join(","),
  environment: environment ?? "*",
});

/** The secret of a personal token in events (original). */
const SECRET = "***";

const deletedPersonal = ({ id, name, expiresAt, userId, createdAt, seenAt }: Token) => ({
  ...{ id, description: name, expiresAt, userId, createdAt, seenAt },
  secret: SECRET,
});

/** An API token that was just created; without `expiresAt` if it never expires (original). */
export function createdPart(token: Token) {
  const { expiresAt, ...part } = publicPart(token);
  return { ...part, ...(expiresAt !== null && { expiresAt }) };
}

/** An API token in lists and events, without its secret. */
export const wholePart = (token: Token) => ({ ...publicPart(token), seenAt: token.seenAt });

const publicPart = ({ name, type, projects, environment, expiresAt, createdAt }: Token) => ({
  tokenName: name,
  type: type as Exclude<TokenType, "user">,
  project: projects.join(","),
  projects,
  environment: environment ?? "*",
  expiresAt,
  createdAt,
  alias: null,
  username: name,
});

const TokenLine = v.strictObject({
  id: optional(Id),
  type: v.pipe(v.picklist([...TOKEN_TYPES, "backend"]), v.transform(toTokenType)),
  name: Name,
  hash: Hash,
  userId: optional(Id),
  projects: v.optional(v.array(Name), ["*"]),
  environment: OptionalText,
  createdAt: OptionalTime,
  expiresAt: OptionalTime,
  seenAt: OptionalTime,
  secret: OptionalText,
});

const lines = query<object, NewRow>(`
  SELECT id, type, name, hash, user_id AS userId, environment, created_at AS createdAt,
    expires_at AS expiresAt, seen_at AS seenAt, secret, projects
  FROM tokens ORDER BY id`);

export const token = kind({
  name: "token",
  isNumbered: true,
  schema: TokenLine,
  refers: { userId: "user" },
  insert({ tx, now }, line) {
    if ((line.type === "user") !== (line.userId !== null)) {
      throw new LineError("userId: a token of the type user has one, another has none");
    }
    if (line.secret !== null) requireOwnSecret(line, line.secret);
    const secret = line.secret && encryptSecret(tx, line.hash, line.secret);
    insert(tx).run(toStored({ ...line, secret, createdAt: line.createdAt ?? now }));
  },
  rows: (db) => lines(db).iterate({}),
  revealed: (db, { secret, ...row }) => ({
    ...row,
    ...(secret && { secret: decryptSecret(db, { hash: row.hash, secret }) }),
  }),
  masked: ({ secret: _, ...row }) => row,
});

/** A secret is kept only of API tokens, and only if the token has no other. */
function requireOwnSecret({ type, hash }: { type: string; hash: string }, secret: string) {
  if (type === "user") throw new LineError("secret: of a personal token can't be kept");
  if (hashSecret(secret) !== hash) throw new LineError("secret: its SHA-256 is not the hash");
}
