import { hashSecret, newSecret, type TokenType } from "../../access/token.ts";
import { firstPrivate } from "../../access/visibility.ts";
import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { WithHeaders } from "../../http/operation.ts";
import { publicPart } from "./api-token.ts";
import { encryptSecret } from "./changes-secrets.ts";
import type { CreatedApiToken, NewApiToken, PersonalToken } from "./schema.ts";
import { keepsSecrets } from "./secrets-store.ts";
import { type Token, tokenById, tokens } from "./store.ts";

export interface NewToken {
  type: TokenType;
  name: string;
  /** The owner of a personal token; null for API tokens. */
  userId: number | null;
  projects: readonly string[];
  environment: string | null;
  expiresAt: string | null;
  /** A secret chosen by the operator; generated if missing. */
  secret?: string | undefined;
}

interface TokenRow extends Omit<NewToken, "projects" | "secret"> {
  /** Null for the next one. */
  id: number | null;
  hash: string;
  /** As JSON. */
  projects: string;
  createdAt: string;
  seenAt: string | null;
  /** Encrypted. */
  secret: string | null;
}

export const insertToken = command<TokenRow>(`
  INSERT INTO tokens (id, type, name, hash, user_id, projects, environment, created_at, expires_at, seen_at, secret)
  VALUES (:id, :type, :name, :hash, :userId, :projects, :environment, :createdAt, :expiresAt, :seenAt, :secret)`);

const remove = command<{ id: number }>(`DELETE FROM tokens WHERE id = :id`);

const setExpiry = command<{ id: number; expiresAt: string }>(`
  UPDATE tokens SET expires_at = :expiresAt WHERE id = :id`);

const setProjects = command<{ id: number; projects: string }>(`
  UPDATE tokens SET projects = :projects WHERE id = :id`);

/** Creates a token; its secret can't be shown again, unless the operator wants that. */
export function createToken(tx: Tx, { secret: chosen, ...token }: NewToken): Token & { secret: string } {
  const secret = chosen ?? newSecret(token.type, token.projects, token.environment ?? "*");
  const row = {
    id: null,
    ...token,
    projects: JSON.stringify(token.projects),
    createdAt: tx.now,
    seenAt: null,
  };
  const hash = hashSecret(secret);
  const kept = token.type !== "user" && keepsSecrets(tx.db) ? encryptSecret(tx, hash, secret) : null;
  const { lastInsertRowid } = insertToken(tx).run({ ...row, hash, secret: kept });
  const created = tokenById(tx.db, Number(lastInsertRowid))!;
  if (isPersonal(created)) tx.record({ type: "pat-created", data: createdPersonal(created) });
  else tx.record({ type: "api-token-created", ...placeOf(tx, created), data: createdPart(created) });
  return { ...created, secret };
}

/** Creates a personal token. @returns its wire form */
export function createPersonalToken(
  tx: Tx,
  userId: number,
  { description, expiresAt }: { description: string; expiresAt: string },
): PersonalToken {
  const scope = { projects: ["*"], environment: null };
  const token = createToken(tx, { type: "user", name: description, userId, expiresAt, ...scope });
  const { id, secret, createdAt } = token;
  return { id, secret, description, userId, createdAt, expiresAt, seenAt: null };
}

/** Creates an API token. @returns its wire form */
export function createApiToken(tx: Tx, token: NewApiToken): WithHeaders<CreatedApiToken> {
  const { secret, ...created } = createToken(tx, { ...token, userId: null });
  return new WithHeaders({ secret, ...createdPart(created) }, { location: "api-tokens" });
}

/** Changes when an API token expires. */
export function updateToken(tx: Tx, token: Token, expiresAt: string) {
  setExpiry(tx).run({ id: token.id, expiresAt });
  recordUpdate(tx, token);
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
    else setProjectsOf(tx, token, others);
  }
}

function setProjectsOf(tx: Tx, token: Token, projects: readonly string[]) {
  setProjects(tx).run({ id: token.id, projects: JSON.stringify(projects) });
  recordUpdate(tx, token);
}

function recordUpdate(tx: Tx, before: Token) {
  const [data, preData] = [wholePart(tokenById(tx.db, before.id)!), wholePart(before)];
  tx.record({ type: "api-token-updated", ...placeOf(tx, before), data, preData });
}

const isPersonal = ({ type }: Token) => type === "user";

/** A token's project and environment in events. If one of several projects is hidden, the event belongs to that one. */
function placeOf(tx: Tx, { projects, environment }: Token) {
  return { project: firstPrivate(tx.db, projects) ?? projects.join(","), environment: environment ?? "*" };
}

/** The secret of a personal token in events (original). */
const SECRET = "***";

const createdPersonal = ({ name, expiresAt }: Token) => ({ description: name, expiresAt, secret: SECRET });

const deletedPersonal = ({ id, name, expiresAt, userId, createdAt, seenAt }: Token) => ({
  ...{ id, description: name, expiresAt, userId, createdAt, seenAt },
  secret: SECRET,
});

/** A token that was just created; without `expiresAt` if it never expires (original). */
function createdPart(token: Token) {
  const { expiresAt, ...part } = publicPart(token);
  return { ...part, ...(expiresAt !== null && { expiresAt }) };
}

const wholePart = (token: Token) => ({ ...publicPart(token), seenAt: token.seenAt });
