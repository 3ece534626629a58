import * as v from "valibot";
import { Timestamp } from "../../lib/validation.ts";
import { User } from "../users/schema.ts";

/** The user who has just signed in; unlike elsewhere, without the role (original). */
export const SignedIn = v.omit(User, ["rootRole"]);

/** An attempt to sign in: by password (`simple`) or by a link. The username is empty if it was nobody's. */
export const SignIn = v.strictObject({
  id: v.number(),
  username: v.string(),
  auth_type: v.picklist(["simple", "link"]),
  created_at: Timestamp,
  successful: v.boolean(),
  ip: v.nullable(v.string()),
  failure_reason: v.nullable(v.string()),
});
export type SignIn = v.InferOutput<typeof SignIn>;

export const SignInHistory = v.strictObject({ events: v.array(SignIn) });

/** One of a user's sessions; `isCurrent` marks the one that sent the request. */
export const Session = v.strictObject({
  id: v.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  isCurrent: v.boolean(),
});
