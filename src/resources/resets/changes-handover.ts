import { ANYBODY } from "../../auth/actor.ts";
import type { Database } from "../../db/statement.ts";
import { writeSoon } from "../../events/write.ts";
import { ApiError } from "../../http/error.ts";
import { findUserByEmail } from "../users/require.ts";
import { createReset } from "./changes.ts";

/** A link by which a user sets a password. */
export interface ResetLink {
  /** RFC 3339. */
  createdAt: string;
  email: string;
  /** On this server. */
  path: string;
}

/** Whoever sends links on, such as by mail: this server sends none. */
export interface LinkReceiver {
  take(link: ResetLink): void;
  /** Told why there is no link. */
  fail(error: unknown): void;
}

interface Handing {
  receiver: LinkReceiver;
  /** What is still on its way. */
  pending: Set<Promise<void>>;
}

const handing = new WeakMap<Database, Handing>();

/** From now on users can ask for a link by their e-mail address. @returns what ends that, when all are handed over */
export function handLinksTo(db: Database, receiver: LinkReceiver): () => Promise<void> {
  const pending = new Set<Promise<void>>();
  handing.set(db, { receiver, pending });
  return async () => {
    handing.delete(db);
    await Promise.all(pending);
  };
}

/** @throws ApiError `NotFoundError` where nobody sends links on */
export function requireHanding(db: Database): Handing {
  const found = handing.get(db);
  if (found) return found;
  throw new ApiError("NotFoundError", "No e-mail is sent from here: ask an administrator for a link");
}

/** Makes a link for the user with an e-mail address, if there is one; the receiver gets it once it is on disk. */
export function handOverLink(db: Database, email: string, { receiver, pending }: Handing) {
  const made = writeSoon(db, ANYBODY, undefined, (tx) => {
    const user = findUserByEmail(tx.db, email);
    if (!user) return;
    const path = `/reset-password?token=${createReset(tx, user.id)}`;
    tx.afterCommit.push(() => receiver.take({ createdAt: tx.now, email, path }));
  });
  const settled = made.catch((error) => receiver.fail(error)).then(() => void pending.delete(settled));
  pending.add(settled);
}
