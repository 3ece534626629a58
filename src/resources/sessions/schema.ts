import * as v from "valibot";
import { Timestamp } from "../../validation.ts";
import { User } from "../users/schema.ts";

/** The user who has just signed in; unlike elsewhere, without the role (original). */
export const SignedIn = v.omit(User, ["rootRole"]);

/** One of a user's sessions; `isCurrent` marks the one that sent the request. */
export const Session = v.strictObject({
  id: v.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  isCurrent: v.boolean(),
});
