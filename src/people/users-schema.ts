import * as v from "valibot";
import type { WithAvatar } from "../access/person.ts";
import { NonEmptyText, ShortText, Timestamp } from "../lib/validation.ts";
import { Role } from "./roles.ts";

export const ACCOUNT_TYPES = ["User", "Service Account"] as const;

/** A user as in the API; unset properties are null or absent. */
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
export type User = WithAvatar<v.InferOutput<typeof User>>;

/** Digits are an id, never a name. */
const RequestedRole = v.union(
  [v.number(), v.pipe(v.string(), v.regex(/\D/))],
  "must be the id or the name of a root role",
);

/** A user who was just created, with the role as in the request (original). */
export const CreatedUser = v.strictObject({ ...User.entries, rootRole: RequestedRole });

/** A user who was just changed, with the role as in the request, if any (original). */
export const UpdatedUser = v.strictObject({ ...User.entries, rootRole: v.optional(RequestedRole) });

/** All users, with a masked invitation link if one is open; and the root roles. */
export const UserList = v.strictObject({
  users: v.array(v.strictObject({ ...User.entries, inviteLink: v.string() })),
  rootRoles: v.array(Role),
});

/** A user or a service account, for selection lists. */
export const BasicUser = v.pick(User, ["id", "name", "email", "username", "accountType"]);
export const UserId = v.pipe(
  v.string(),
  v.regex(/^-?[0-9]+$/, "must be a whole number"),
  v.transform(Number),
);

/** The maximum length of a name, in characters (original). */
const MAX_LENGTH = 255;
const maxLength = v.maxLength<string, number, string>(
  MAX_LENGTH,
  `must have ${MAX_LENGTH} characters or fewer`,
);

/** A user's display name. */
export const FullName = v.pipe(ShortText, maxLength);

/** A username without characters that hide or reorder the rest. */
export const Username = v.pipe(
  NonEmptyText,
  maxLength,
  v.trim(),
  v.nonEmpty("must not be empty"),
  v.check(
    (name) => !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name),
    "must not contain control characters",
  ),
  v.check(
    (name) => /[^\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/u.test(name),
    "must contain visible characters",
  ),
);

/** An e-mail address, in lower case. */
export const Email = v.pipe(ShortText, maxLength, v.email("must be an e-mail address"), v.toLowerCase());

/** The body that creates a user: with a username, an e-mail address or both. */
export const NewUser = v.pipe(
  v.object({
    username: v.nullish(Username, null),
    email: v.nullish(Email, null),
    name: v.nullish(FullName, null),
    rootRole: RequestedRole,
    password: v.optional(v.string()),
    sendEmail: v.optional(v.boolean()),
  }),
  v.forward(
    v.check(
      ({ username, email }) => (username ?? email) !== null,
      "is missing: enter a username or an e-mail address",
    ),
    ["username"],
  ),
);

const orEmpty = v.check<string, string>(
  (text) => text === "" || v.is(Email, text),
  "must be an e-mail address",
);

/** A change to a user; properties that are missing, null or empty stay as they are, as forms send what is unset. */
export const UserUpdate = v.object({
  name: v.nullish(FullName),
  email: v.nullish(v.pipe(ShortText, maxLength, orEmpty, v.toLowerCase())),
  rootRole: v.nullish(RequestedRole),
});
