import * as v from "valibot";
import { beginSession, sessionCookie } from "../../access/session.ts";
import type { Database } from "../../db/statement.ts";
import { operation, WithHeaders } from "../../http/operation.ts";
import { ApiError } from "../../lib/api-error.ts";
import { markSeen, refreshPasswordHash } from "../users/changes.ts";
import { findUserToSignIn, requireSignIn, requireStillPassword } from "../users/require.ts";
import { noteFailedSignIn, noteSignIn } from "./changes.ts";
import { SignedIn } from "./schema.ts";

export const signIn = operation({
  id: "login",
  summary: "Sign in with a password; sets a session cookie",
  tag: "Sessions",
  method: "POST",
  path: "/auth/simple/login",
  permission: null,
  duringMaintenance: true,
  body: v.object({ username: v.string(), password: v.string() }),
  errors: ["PasswordMismatch", "RateLimitError"],
  response: SignedIn,
})
  .prepare(({ db, address, body }) =>
    requireSignIn(db, { ...body, address }).catch(noting(db, body, address)),
  )
  .change(({ tx, address = null, isSecure, prepared: { user: signedIn, freshHash, ...proof } }) => {
    const { rootRole: _, ...user } = signedIn;
    requireStillPassword(tx.db, user.id, proof);
    markSeen(tx, user.id);
    noteSignIn(tx, { user, method: "simple", address, failure: null });
    if (freshHash !== null) refreshPasswordHash(tx, user.id, freshHash);
    const cookie = sessionCookie(beginSession(tx, user.id), isSecure);
    return new WithHeaders({ ...user, seenAt: tx.now }, { "set-cookie": cookie });
  });

/** Adds a wrong password to the history. Too many are not added: they would drive out the others. */
const noting =
  (db: Database, { username }: { username: string }, address: string | null = null) =>
  async (error: unknown): Promise<never> => {
    const isWrong = error instanceof ApiError && error.name === "PasswordMismatch";
    const user = findUserToSignIn(db, username);
    const failure = user ? "Wrong password" : "Unknown user";
    if (isWrong) await noteFailedSignIn(db, { user, method: "simple", address, failure });
    throw error;
  };
