import { type Database, perDatabase } from "../db/database.ts";
import { decrypt, encrypt } from "../db/secrets.ts";
import { bookkeeping, command, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { DAY_MS, timestamp } from "../lib/time.ts";
import { hashSecret, randomSecret } from "./token.ts";

/** The original's cookie name, which its clients look for. */
export const SESSION_COOKIE = "unleash-session";

/** How long sessions last, in milliseconds. */
interface SessionLimits {
  /** However much they are used. */
  lifetime: number;
  /** Since they were last used; undefined for no such limit. */
  idle: number | undefined;
}

/** Two days (original), unless the operator says otherwise. */
const limitsOf = perDatabase((): SessionLimits => ({ lifetime: 2 * DAY_MS, idle: undefined }));

/** Limits sessions from now on; those that have begun, once they are used. */
export const limitSessions = (db: Database, limits: SessionLimits) =>
  void Object.assign(limitsOf(db), limits);

/** What is kept of a sign-in through another system. */
interface Origin {
  /** Whom the header of a proxy named: the session is valid only together with the same header. */
  proxyUser: string | null;
  /** Where a sign-out leads, so that the other system's session ends too; stored encrypted, since it may have an ID token. */
  signOutUrl: string | null;
}

interface NewSession extends Origin {
  hash: string;
  userId: number;
  createdAt: string;
  expiresAt: string;
}

// Responses cached for a session stay valid when another session begins, or when an expired one is removed.
const insertSession = bookkeeping<NewSession>(`
  INSERT INTO sessions (hash, user_id, proxy_user, sign_out_url, created_at, expires_at)
  VALUES (:hash, :userId, :proxyUser, :signOutUrl, :createdAt, :expiresAt)`);

const setExpiry = bookkeeping<{ hash: string; lifetime: number; latest: string }>(`
  UPDATE sessions SET expires_at = min(:latest, ifnull(strftime('%Y-%m-%dT%H:%M:%fZ', created_at, :lifetime || ' seconds'), :latest))
  WHERE hash = :hash`);

const removeExpired = bookkeeping<{ now: string }>(`DELETE FROM sessions WHERE expires_at <= :now`);

const removeSession = command<{ hash: string }>(`
  DELETE FROM sessions WHERE hash = :hash RETURNING sign_out_url AS signOutUrl`);

const removeOthers = command<{ userId: number; kept: string | null }>(`
  DELETE FROM sessions WHERE user_id = :userId AND hash IS NOT :kept`);

export interface Session {
  /** Only the user's browser has it. */
  secret: string;
  /** The latest end. */
  expiresAt: Date;
}

const HERE: Origin = { proxyUser: null, signOutUrl: null };

/** Begins a session for a user and removes expired ones. */
export function beginSession(tx: Writing, userId: number, origin = HERE): Session {
  const createdAt = timestamp();
  const { lifetime, idle = lifetime } = limitsOf(tx.db);
  const after = (ms: number) => timestamp(Date.now() + ms);
  const secret = randomSecret();
  removeExpired(tx).run({ now: createdAt });
  const expiresAt = after(Math.min(lifetime, idle));
  const hash = hashSecret(secret);
  const signOutUrl = sealed(tx.db, hash, origin.signOutUrl);
  insertSession(tx).run({ ...origin, hash, userId, signOutUrl, createdAt, expiresAt });
  return { secret, expiresAt: new Date(after(lifetime)) };
}

/** Puts off the end of a session that has been used, as far as the limits allow. @param usedAt RFC 3339 */
export function prolongSession(tx: Writing, hash: string, usedAt: string) {
  const { lifetime, idle = lifetime } = limitsOf(tx.db);
  setExpiry(tx).run({ hash, lifetime: lifetime / 1000, latest: timestamp(Date.parse(usedAt) + idle) });
}

/** Ends all of a user's sessions but one, and revokes the link that could begin another. @param kept the hash of its secret */
export function endSessionsOf(tx: Writing, userId: number, kept: string | null = null) {
  removeOthers(tx).run({ userId, kept });
  removeLink(tx).run({ userId });
}

/** Ends the session with this secret, if there is one. @returns where its sign-out leads, if it is elsewhere */
export const endSession = (tx: Writing, secret: string) => endSessionWith(tx, hashSecret(secret));

/** The same by the hash of its secret. */
export function endSessionWith(tx: Writing, hash: string): string | undefined {
  const ended = removeSession(tx).get({ hash }) as Pick<Origin, "signOutUrl"> | undefined;
  return unsealed(tx.db, hash, ended?.signOutUrl ?? null) ?? undefined;
}

const placeOf = (hash: string) => `session ${hash}`;

const sealed = (db: Database, hash: string, url: string | null) => url && encrypt(db, url, placeOf(hash));

/** Null without its key: the session ends all the same. */
function unsealed(db: Database, hash: string, stored: string | null) {
  try {
    return stored && decrypt(db, stored, placeOf(hash));
  } catch {
    return null;
  }
}

const leadingAway = query<object, { hash: string; signOutUrl: string }>(`
  SELECT hash, sign_out_url AS signOutUrl FROM sessions WHERE sign_out_url IS NOT NULL`);

const rewrite = bookkeeping<{ hash: string; signOutUrl: string | null }>(`
  UPDATE sessions SET sign_out_url = :signOutUrl WHERE hash = :hash`);

/** Re-encrypts with the current key where sign-outs lead. @returns how many */
export function reencryptSessions(tx: Writing): number {
  const sessions = leadingAway(tx.db).all({});
  for (const { hash, signOutUrl } of sessions)
    rewrite(tx).run({ hash, signOutUrl: sealed(tx.db, hash, unsealed(tx.db, hash, signOutUrl)) });
  return sessions.length;
}

/**
 * The header that sets the cookie: hidden from scripts, not sent with requests that other sites start, and sent only
 * over TLS if there is TLS.
 */
export const sessionCookie = ({ secret, expiresAt }: Session, isSecure: boolean) =>
  `${SESSION_COOKIE}=${secret}; Path=/; Expires=${expiresAt.toUTCString()}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;

/** The header that removes the cookie. */
export const expiredCookie = `${SESSION_COOKIE}=; Path=/; Expires=${new Date(0).toUTCString()}`;

/** How long a link is valid, in milliseconds. */
const LINK_LIFETIME_MS = 30 * 60 * 1000;

const setLink = bookkeeping<{ userId: number; hash: string; expiresAt: string }>(`
  INSERT INTO sign_in_links (user_id, hash, expires_at) VALUES (:userId, :hash, :expiresAt)
  ON CONFLICT (user_id) DO UPDATE SET hash = :hash, expires_at = :expiresAt`);

// Found and deleted in one step, so that of two simultaneous callers only one signs in.
const takeLink = bookkeeping<{ hash: string }>(`
  DELETE FROM sign_in_links WHERE hash = :hash RETURNING user_id AS userId, expires_at AS expiresAt`);

const removeLink = command<{ userId: number }>(`DELETE FROM sign_in_links WHERE user_id = :userId`);

/**
 * Creates a link with which a user can sign in without a password; an earlier one becomes invalid.
 * @returns its path, with a secret that is not stored
 */
export function createSignInLink(tx: Writing, userId: number): string {
  const secret = randomSecret();
  const expiresAt = timestamp(Date.now() + LINK_LIFETIME_MS);
  setLink(tx).run({ userId, hash: hashSecret(secret), expiresAt });
  return `/auth/link/${secret}`;
}

/** Uses up the link with this secret; undefined if it is unknown or used. */
export function useSignInLink(
  tx: Writing,
  secret: string,
): { userId: number; isExpired: boolean } | undefined {
  const link = takeLink(tx).get({ hash: hashSecret(secret) }) as LinkRow | undefined;
  return link && { userId: link.userId, isExpired: link.expiresAt <= timestamp() };
}

interface LinkRow {
  userId: number;
  expiresAt: string;
}
