import crypto from "node:crypto";
import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import { timestamp } from "../lib/time.ts";

/**
 * `user` is a personal token and acts as its user; `admin` is a service token with every permission and no
 * user; `client` and `frontend` are for SDKs and give no access to `/api/admin`.
 */
export const TOKEN_TYPES = ["user", "admin", "client", "frontend"] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

/** `backend` is a newer name of `client`; it is stored and listed under the older one, which all clients know (original). */
export const toTokenType = <T extends string>(type: T) =>
  (type === "backend" ? "client" : type) as "backend" extends T ? Exclude<T, "backend"> | "client" : T;

/** A secret is any run of visible ASCII characters, since that is what a header can carry. */
export const SECRET_SHAPE = /^[\x21-\x7e]{1,500}$/;

/** Whether a token with this expiry (RFC 3339; null for never) has expired. */
export const isExpired = (expiresAt: string | null) => expiresAt !== null && expiresAt <= timestamp();

/** The secret in an `Authorization` header, with or without the word `Bearer`; empty or undefined if there is none. */
export const secretIn = (header: string | null | undefined) => header?.replace(/^bearer\s+/i, "").trim();

/** What is stored of a secret, and how it is looked up: its SHA-256 as 64 hex digits. */
export const hashSecret = (secret: string) => crypto.hash("sha256", secret, "hex");

/** A secret in the form of its kind, 28 random bytes as hex after the prefix. */
export function newSecret(
  type: TokenType,
  projects: readonly string[] = ["*"],
  environment = "*",
  random = crypto.randomBytes(28).toString("hex"),
) {
  if (type === "user") return `user:${random}`;
  const scope = type === "admin" ? "*" : projects.length === 1 ? projects[0] : "[]";
  return `${scope}:${type === "admin" ? "*" : environment}.${random}`;
}

/** Generates a secret for a link or a session, 32 random bytes as hex. */
export const randomSecret = () => crypto.randomBytes(32).toString("hex");

/*
 * A page can open a stream only by URL, and URLs end up in logs and histories. So it uses a key instead of its token:
 * one that gives access to nothing else, and is valid for as long as the token.
 */

/** The stream key of a token. */
export function streamKey(db: Database, tokenId: number): string {
  const hash = hashOf(db).get({ id: tokenId })!;
  return `${tokenId}.${crypto.createHmac("sha256", hash).update("stream").digest("hex")}`;
}

/** The hash of the token the key belongs to; undefined if there is none. */
export function tokenHashOf(db: Database, key: string): string | undefined {
  const [, id] = /^([1-9]\d{0,14})\.[\da-f]{64}$/.exec(key) ?? [];
  const hash = id && hashOf(db).get({ id: Number(id) });
  if (!hash) return undefined;
  return crypto.timingSafeEqual(Buffer.from(streamKey(db, Number(id))), Buffer.from(key)) ? hash : undefined;
}

const hashOf = valueQuery<{ id: number }, string>(`SELECT hash FROM tokens WHERE id = :id`);
