import { ANYBODY } from "../../access/actor.ts";
import { perDatabase } from "../../db/per-database.ts";
import type { Database } from "../../db/statement.ts";
import { writeSoon } from "../../events/write.ts";
import { ApiError } from "../../lib/api-error.ts";
import { findUserByEmail } from "../users/require.ts";
import { createReset } from "./changes.ts";

/** A link for setting a password. */
export interface ResetLink {
  /** RFC 3339. */
  createdAt: string;
  email: string;
  /** A path on this server. */
  path: string;
}

/** Delivers links, for example by e-mail: this server sends none itself. */
export interface LinkReceiver {
  take(link: ResetLink): void;
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
    const user = findUserByEmail(tx.db, email);
    if (!user) return;
    const path = `/reset-password?token=${createReset(tx, user.id)}`;
    tx.afterCommit.push(() => receiver.take({ createdAt: tx.now, email, path }));
  });
  const settled = written.catch((error) => receiver.fail(error)).then(() => void pending.delete(settled));
  pending.add(settled);
}
