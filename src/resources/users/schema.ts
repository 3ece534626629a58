import * as v from "valibot";
import { NonEmptyText, ShortText, Timestamp } from "../../validation.ts";
import { Role } from "../roles/schema.ts";

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

const RoleAsAsked = v.union([v.number(), v.string()], "must be the id or the name of a root role");

/** A user who was just made, with the role as it was asked for (original). */
export const CreatedUser = v.strictObject({ ...User.entries, rootRole: RoleAsAsked });

/** A user who was just changed, with the role as it was asked for, if it was (original). */
export const UpdatedUser = v.strictObject({ ...User.entries, rootRole: v.optional(RoleAsAsked) });

/** The persons, each with a masked link where one is open by which a password can be set; and what they may be. */
export const UserList = v.strictObject({
  users: v.array(v.strictObject({ ...User.entries, inviteLink: v.string() })),
  rootRoles: v.array(Role),
});

/** A user as one is found by others. */
export const FoundUser = v.pick(User, [
  "id",
  "isAPI",
  "name",
  "email",
  "username",
  "imageUrl",
  "seenAt",
  "accountType",
  "scimId",
]);
export type FoundUser = v.InferOutput<typeof FoundUser>;

/** A user or a service account, to choose from. */
export const BasicUser = v.pick(User, ["id", "name", "email", "username", "accountType"]);
export type BasicUser = v.InferOutput<typeof BasicUser>;

/** How many Admins there are, by how they can come in. */
export const AdminCount = v.strictObject({
  password: v.number(),
  noPassword: v.number(),
  service: v.number(),
});
export type AdminCount = v.InferOutput<typeof AdminCount>;

export const InactiveUser = v.strictObject({
  id: v.number(),
  name: v.nullable(v.string()),
  username: v.nullable(v.string()),
  email: v.nullable(v.string()),
  seenAt: v.nullable(Timestamp),
  createdAt: Timestamp,
  patSeenAt: v.nullable(Timestamp),
});
export type InactiveUser = v.InferOutput<typeof InactiveUser>;

/** The number of a user in a path. */
export const UserId = v.pipe(
  v.string(),
  v.regex(/^-?[0-9]+$/, "must be a whole number"),
  v.transform(Number),
);

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullish(schema, null);

/** What a user goes by, with nothing in it that hides or turns around the rest. */
export const Username = v.pipe(
  NonEmptyText,
  v.trim(),
  v.nonEmpty("must not be empty"),
  v.check((name) => !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name), "must not hold control characters"),
  v.check(
    (name) => /[^\p{Default_Ignorable_Code_Point}\p{White_Space}]/u.test(name),
    "must hold what can be seen",
  ),
);

/** An e-mail address, in small letters. */
export const Email = v.pipe(ShortText, v.email("must be an e-mail address"), v.toLowerCase());

/** What a new user is made of: a username, an e-mail address or both. */
export const NewUser = v.pipe(
  v.object({
    username: orNull(Username),
    email: orNull(Email),
    name: orNull(ShortText),
    rootRole: RoleAsAsked,
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

/** What is to be changed of a user; what is left out or null stays. */
export const UserUpdate = v.object({
  name: v.nullish(ShortText),
  email: v.nullish(Email),
  rootRole: v.nullish(RoleAsAsked),
});
export type UserUpdate = v.InferOutput<typeof UserUpdate>;

/** A permission, and whether somebody has it. */
const MatrixEntry = v.strictObject({
  id: v.number(),
  name: v.string(),
  displayName: v.string(),
  type: v.string(),
  hasPermission: v.boolean(),
});

/** What a user may, in the project and the environment that are asked for. */
export const UserPermissions = v.strictObject({
  matrix: v.strictObject({
    root: v.array(MatrixEntry),
    project: v.array(MatrixEntry),
    environment: v.array(MatrixEntry),
  }),
  user: User,
  rootRole: Role,
  projectRoles: v.array(Role),
});

/** Where a user sets another password. */
export const ResetLink = v.strictObject({ resetPasswordUrl: v.string() });
