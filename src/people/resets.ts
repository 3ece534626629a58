import { ANYBODY } from "../access/actor.ts";
import { hashSecret, randomSecret } from "../access/token.ts";
import { type Database, perDatabase } from "../db/database.ts";
import { command, query } from "../db/statement.ts";
import { type Tx, writeSoon } from "../events/write.ts";
import { ApiError } from "../lib/api-error.ts";
import { OwnPath } from "../lib/raw-json.ts";
import { timestamp } from "../lib/time.ts";
import { userByEmail } from "./users-store.ts";

/*
 * A user sets a password through a link with a secret, which works once; each has at most one from an administrator, and
 * one that anybody who knows their address has requested.
 */

/** How long a link is valid, in milliseconds: a day (original). */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

const set = command<{
  userId: number;
  isRequested: 0 | 1;
  hash: string;
  createdBy: string;
  expiresAt: string;
}>(`
  INSERT INTO reset_tokens (user_id, is_requested, hash, created_by, expires_at)
  VALUES (:userId, :isRequested, :hash, :createdBy, :expiresAt)
  ON CONFLICT (user_id, is_requested) DO UPDATE
  SET hash = :hash, created_by = :createdBy, expires_at = :expiresAt`);

const remove = command<{ userId: number }>(`DELETE FROM reset_tokens WHERE user_id = :userId`);

const removeEnded = command<{ now: string }>(`DELETE FROM reset_tokens WHERE expires_at <= :now`);

const openReset = query<{ hash: string; now: string }, { userId: number; createdBy: string }>(`
  SELECT user_id AS userId, created_by AS createdBy FROM reset_tokens WHERE hash = :hash AND expires_at > :now`);

/** Creates the secret with which a user can set a password; an earlier one of that origin becomes invalid. */
export function createReset(tx: Tx, userId: number, isRequested: 0 | 1 = 0): string {
  const secret = randomSecret();
  const expiresAt = timestamp(Date.parse(tx.now) + LIFETIME_MS);
  removeEnded(tx).run({ now: tx.now });
  set(tx).run({ userId, isRequested, hash: hashSecret(secret), createdBy: tx.actor.createdBy, expiresAt });
  return secret;
}

/** Invalidates a user's secrets. */
export const revokeReset = (tx: Tx, userId: number) => void remove(tx).run({ userId });

/** The user, and who created the link. @throws ApiError `InvalidTokenError` for a secret that is unknown, used or expired */
export function requireReset(db: Database, secret: string) {
  const reset = openReset(db).get({ hash: hashSecret(secret), now: timestamp() });
  if (reset) return reset;
  throw new ApiError("InvalidTokenError", "This link is unknown, has been used, or is older than a day");
}

/** Where a new user sets the first password. @param secret the secret, or its masked form */
export const newUserPage = (secret: string) => new OwnPath(`/new-user?token=${secret}`);
export const resetPage = (secret: string) => new OwnPath(`/reset-password?token=${secret}`);

/** A link for setting a password, requested by its user. */
export interface RequestedLink {
  createdAt: string;
  email: string;
  /** A path on this server. */
  path: string;
}

/** Delivers links, for example by e-mail: this server sends none itself. */
interface LinkReceiver {
  take(link: RequestedLink): void;
  /** Called with the reason why there is no link. */
  fail(error: unknown): void;
}

interface LinkDelivery {
  receiver: LinkReceiver;
  /** Links that are still being delivered. */
  pending: Set<Promise<void>>;
}

const deliveries = perDatabase((): { current?: LinkDelivery | undefined } => ({}));

/**
 * Lets users request a link by their e-mail address.
 * @returns a function that ends this; resolves once all links are delivered
 */
export function deliverLinksTo(db: Database, receiver: LinkReceiver): () => Promise<void> {
  const pending = new Set<Promise<void>>();
  deliveries(db).current = { receiver, pending };
  return async () => {
    deliveries(db).current = undefined;
    await Promise.all(pending);
  };
}

/** @throws ApiError `NotFoundError` if nothing delivers links */
export function requireLinkDelivery(db: Database): LinkDelivery {
  const { current } = deliveries(db);
  if (current) return current;
  throw new ApiError("NotFoundError", "This server sends no e-mail: ask an administrator for a link");
}

/** Creates a link for the user with an e-mail address, if any; the receiver gets it once it is committed. */
export function deliverLink(db: Database, email: string, { receiver, pending }: LinkDelivery) {
  const written = writeSoon(db, ANYBODY, (tx) => {
    const user = userByEmail(tx.db, email);
    if (!user) return;
    const { path } = resetPage(createReset(tx, user.id, 1));
    tx.afterCommit.push(() => receiver.take({ createdAt: tx.now, email, path }));
  });
  const settled = written.catch((error) => receiver.fail(error)).then(() => void pending.delete(settled));
  pending.add(settled);
}
