import * as v from "valibot";
import { ShortText, Time, Timestamp } from "../../lib/validation.ts";
import { Role } from "../roles/schema.ts";
import { FullName, NewUser, User } from "../users/schema.ts";

/**
 * A link with which anyone can create an account. Its secret appears only in the response that creates it; elsewhere a
 * masked form identifies the invitation.
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

/** A change to an invitation; properties that are left out stay as they are. */
export const InvitationUpdate = v.pipe(
  v.object({ expiresAt: v.optional(Time), enabled: v.optional(v.boolean()) }),
  v.check(
    ({ expiresAt, enabled }) => expiresAt !== undefined || enabled !== undefined,
    "must have expiresAt or enabled",
  ),
);
export type InvitationUpdate = v.InferOutput<typeof InvitationUpdate>;

const { username, email } = NewUser.pipe[0].entries;

/** What an invited user fills in; the role is not a choice. */
export const InvitedUser = v.object({
  username,
  email: v.unwrap(email),
  name: FullName,
  password: v.string(),
});
