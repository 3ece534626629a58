import * as v from "valibot";
import { beginSession, sessionCookie } from "../../auth/session.ts";
import { operation, WithHeaders } from "../../http/operation.ts";
import { markSeen, refreshPasswordHash } from "../users/changes.ts";
import { requireSignIn, requireStillPassword } from "../users/require.ts";
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
  .prepare(({ db, address, body }) => requireSignIn(db, { ...body, address }))
  .change(({ tx, isSecure, prepared: { user: signedIn, freshHash, ...proof } }) => {
    const { rootRole: _, ...user } = signedIn;
    requireStillPassword(tx.db, user.id, proof);
    markSeen(tx, user.id);
    if (freshHash !== null) refreshPasswordHash(tx, user.id, freshHash);
    const cookie = sessionCookie(beginSession(tx, user.id), isSecure);
    return new WithHeaders({ ...user, seenAt: tx.now }, { "set-cookie": cookie });
  });
