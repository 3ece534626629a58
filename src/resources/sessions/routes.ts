import * as v from "valibot";
import { beginSession, sessionCookie } from "../../auth/session.ts";
import { operation, WithHeaders } from "../../http/operation.ts";
import { markSeen } from "../users/changes.ts";
import { requireSignIn } from "../users/require.ts";
import { SignedIn } from "./schema.ts";

export const signIn = operation({
  id: "login",
  summary: "Sign in with a password; the session comes as a cookie",
  tag: "Sessions",
  method: "POST",
  path: "/auth/simple/login",
  permission: null,
  duringMaintenance: true,
  body: v.object({ username: v.string(), password: v.string() }),
  errors: ["PasswordMismatch"],
  response: SignedIn,
})
  .prepare(({ db, body }) => requireSignIn(db, body))
  .change(({ tx, isSecure, prepared: { rootRole: _, ...user } }) => {
    markSeen(tx, user.id);
    const cookie = sessionCookie(beginSession(tx, user.id), isSecure);
    return new WithHeaders({ ...user, seenAt: tx.now }, { "set-cookie": cookie });
  });
