import * as v from "valibot";
import { Timestamp } from "../../validation.ts";
import { User } from "../users/schema.ts";

/** Who has signed in; the original does not tell the role here. */
export const SignedIn = v.omit(User, ["rootRole"]);

/** Where somebody is signed in; `isCurrent` is the session that asks. */
export const Session = v.strictObject({
  id: v.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  isCurrent: v.boolean(),
});
