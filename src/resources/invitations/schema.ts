import * as v from "valibot";
import { ShortText, Time, Timestamp } from "../../validation.ts";
import { Role } from "../roles/schema.ts";
import { NewUser, User } from "../users/schema.ts";

/**
 * A link by which anyone who is given one makes a user of his own. Its secret is in the answer that makes it; elsewhere
 * something stands in for it, by which the invitation can be named.
 */
export const Invitation = v.strictObject({
  secret: v.string(),
  name: v.string(),
  url: v.string(),
  expiresAt: Timestamp,
  enabled: v.boolean(),
  createdAt: Timestamp,
  createdBy: v.nullable(v.string()),
  users: v.array(v.pick(User, ["id", "name", "username"])),
  role: v.omit(Role, ["description"]),
});
export type Invitation = v.InferOutput<typeof Invitation>;

export const NewInvitation = v.object({ name: ShortText, expiresAt: Time });

/** What is to be changed of an invitation; what is left out stays. */
export const InvitationUpdate = v.pipe(
  v.object({ expiresAt: v.optional(Time), enabled: v.optional(v.boolean()) }),
  v.check(
    ({ expiresAt, enabled }) => expiresAt !== undefined || enabled !== undefined,
    "must have expiresAt or enabled",
  ),
);
export type InvitationUpdate = v.InferOutput<typeof InvitationUpdate>;

const { username, email } = NewUser.pipe[0].entries;

/** What whoever is invited tells of himself; which role he gets is not his to say. */
export const InvitedUser = v.object({
  username,
  email: v.unwrap(email),
  name: ShortText,
  password: v.string(),
});
