import crypto from "node:crypto";
import * as v from "valibot";
import { isExpired, newSecret } from "../access/token.ts";
import { type Database, perDatabase } from "../db/database.ts";
import type { Tx } from "../events/write.ts";
import { POST } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { NonEmptyText } from "../lib/validation.ts";
import { requireTokenScope } from "../people/api-tokens.ts";
import { createToken, tokenBySecret, tokens } from "../people/tokens-store.ts";
import { ValidTokens } from "./edge-routes.ts";

/*
 * An Edge that shares a secret with the server gets its tokens from it. Each request is signed: HMAC-SHA256 of method,
 * path, time, nonce and the SHA-256 of its body, all as text and one per line (original).
 */

/** The Edge's name for itself in the signature (original). */
const CLIENT = "enterprise-edge";

/** How old a signed request may be, and so how long its nonce is remembered, in milliseconds (original). */
const LIFETIME_MS = 5 * 60 * 1000;

const MIN_SECRET_BYTES = 16;

interface Edges {
  /** The shared secret; without one, no request is accepted. */
  secret?: Buffer;
  /** The nonces of accepted requests, oldest first, and when each may be forgotten. */
  nonces: Map<string, number>;
}

const edgesOf = perDatabase((): Edges => ({ nonces: new Map() }));

/** Issues tokens to Edges that know this secret, given in base64url. @returns whether it is long enough */
export function useEdgeSecret(db: Database, text: string): boolean {
  const secret = Buffer.from(text, "base64url");
  if (secret.length < MIN_SECRET_BYTES) return false;
  edgesOf(db).secret = secret;
  return true;
}

const MAX_SCOPES = 100;

const Scope = v.object({
  environment: NonEmptyText,
  projects: v.pipe(v.array(NonEmptyText), v.minLength(1, "must name a project")),
});
type Scope = v.InferOutput<typeof Scope>;

/** Where an Edge needs a token each; `*` is for all projects. */
export const EdgeScopes = v.object({
  tokens: v.pipe(v.array(Scope), v.maxLength(MAX_SCOPES, `must have ${MAX_SCOPES} elements or fewer`)),
});
type EdgeScopes = v.InferOutput<typeof EdgeScopes>;

export const issueEdgeTokens = POST({
  id: "edgeCreateOrReturnTokens",
  summary: "The tokens of an Edge, which are created at its first request; signed with `EDGE_CLIENT_SECRET`",
  tag: "Edge",
  path: "/edge/issue-token",
  permission: { isForSdks: true },
  body: EdgeScopes,
  isStrict: true,
  errors: ["AuthenticationRequired"],
  records: ["api-token-created"],
  response: ValidTokens,
  example: { tokens: [{ environment: "development", projects: ["shop"] }] },
}).change(({ tx, body, headers }) => {
  const secret = requireSignature(tx.db, headers, body);
  const issued = body.tokens.map((scope, index) => ({
    token: tokenFor(tx, secret, scope, `body.tokens.${index}`),
    type: "backend" as const,
    ...scope,
  }));
  return { tokens: issued };
});

/** @returns the shared secret. @throws ApiError `AuthenticationRequired` */
function requireSignature(db: Database, headers: Headers, body: EdgeScopes): Buffer {
  const { secret, nonces } = edgesOf(db);
  const [, client, given = ""] = /^HMAC ([^:]+):(.+)$/.exec(headers.get("authorization") ?? "") ?? [];
  const [time, nonce, digest] = SIGNED.map((name) => headers.get(name) ?? "") as [string, string, string];
  if (!secret || client !== CLIENT)
    throw refused("This needs the signature of an Edge that the server knows");
  const signed = ["POST", "/edge/issue-token", time, nonce, digest].join("\n");
  const expected = crypto.createHmac("sha256", secret).update(signed).digest("base64url");
  if (!isEqual(expected, given) || !digestsOf(body).includes(digest)) throw refused("The signature is wrong");
  requireFirst(nonces, nonce, Date.parse(time));
  return secret;
}

/** Refuses a request that is too old, or has the nonce of an earlier one. @param time NaN if it is none */
function requireFirst(nonces: Edges["nonces"], nonce: string, time: number, now = Date.now()) {
  if (!(Math.abs(now - time) <= LIFETIME_MS)) throw refused("The request is too old");
  for (const [old, until] of nonces) if (until < now) nonces.delete(old);
  if (nonces.has(nonce)) throw refused("The request was sent before");
  nonces.set(nonce, time + LIFETIME_MS);
}

const SIGNED = ["x-timestamp", "x-nonce", "content-sha256"] as const;

const refused = (message: string) => new ApiError("AuthenticationRequired", message);

function isEqual(one: string, other: string) {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === others.length && crypto.timingSafeEqual(bytes, others);
}

/** The digests of the body as an Edge sends it, compact, with its keys in either order. */
const digestsOf = ({ tokens }: EdgeScopes) =>
  [tokens, tokens.map(({ environment, projects }) => ({ projects, environment }))].map((scopes) =>
    crypto.hash("sha256", JSON.stringify({ tokens: scopes }), "hex"),
  );

/**
 * The secret of the token for a scope. Only hashes of tokens are stored, so secrets are derived from the shared one and
 * the time of the token's creation: a token that was revoked never comes back.
 */
function tokenFor(tx: Tx, shared: Buffer, scope: Scope, where: string): string {
  const projects = scope.projects.includes("*") ? ["*"] : [...new Set(scope.projects)].sort();
  const { environment } = scope;
  const secretAt = (createdAt: string) => {
    const seed = crypto
      .createHmac("sha256", shared)
      .update(JSON.stringify([environment, projects, createdAt]));
    return newSecret("client", projects, environment, seed.digest("hex").slice(0, 56));
  };
  const issued = tokens(tx.db)
    .filter((token) => token.environment === environment && String(token.projects) === String(projects))
    .filter(({ expiresAt }) => !isExpired(expiresAt))
    .map(({ createdAt }) => secretAt(createdAt))
    .find((secret) => tokenBySecret(tx.db, secret));
  if (issued !== undefined) return issued;
  requireTokenScope(tx.db, { type: "client", projects, environment }, where);
  const name = `enterprise_edge_${environment}_${projects.length > MAX_NAMED ? "[]" : projects.join("_")}`;
  const token = { type: "client", name, projects, environment, userId: null, expiresAt: null } as const;
  return createToken(tx, { ...token, secret: secretAt(tx.now) }).secret;
}

/** How many projects a token's name tells (original). */
const MAX_NAMED = 3;
