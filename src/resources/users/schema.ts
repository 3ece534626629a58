import * as v from "valibot";
import { NonEmptyText, ShortText, Timestamp } from "../../validation.ts";

export const ACCOUNT_TYPES = ["User", "Service Account"] as const;

/** A user as the API shows it; what is unset is null or absent, as CONTRACT has it. */
export const User = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  isAPI: v.literal(false),
  name: v.nullable(v.string()),
  email: v.optional(v.string()),
  username: v.nullable(v.string()),
  imageUrl: v.string(),
  inviteLink: v.optional(v.string()),
  loginAttempts: v.pipe(v.number(), v.integer()),
  emailSent: v.optional(v.boolean()),
  rootRole: v.pipe(v.number(), v.integer()),
  seenAt: v.nullable(Timestamp),
  createdAt: Timestamp,
  accountType: v.picklist(ACCOUNT_TYPES),
  scimId: v.optional(v.string()),
});
export type User = v.InferOutput<typeof User>;

/** A user who was just made, with the role as it was asked for (original). */
export const CreatedUser = v.strictObject({ ...User.entries, rootRole: v.union([v.number(), v.string()]) });

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullish(schema, null);

const Email = v.pipe(ShortText, v.email("must be an e-mail address"), v.toLowerCase());

/** What a new user is made of: a username, an e-mail address or both. */
export const NewUser = v.pipe(
  v.object({
    username: orNull(v.pipe(NonEmptyText, v.trim(), v.nonEmpty("must not be empty"))),
    email: orNull(Email),
    name: orNull(ShortText),
    rootRole: v.union([v.number(), v.string()], "must be the id or the name of a root role"),
    password: v.optional(v.string()),
    sendEmail: v.optional(v.boolean()),
  }),
  v.forward(
    v.check(
      ({ username, email }) => (username ?? email) !== null,
      "is missing: give it or an e-mail address",
    ),
    ["username"],
  ),
);
