import * as v from "valibot";
import { NonEmptyText, ShortText, Timestamp } from "../../lib/validation.ts";
import { Role } from "../roles/schema.ts";

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
export type User = v.InferOutput<typeof User>;

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

/** A user as other users find them. */
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

/** A user or a service account, for selection lists. */
export const BasicUser = v.pick(User, ["id", "name", "email", "username", "accountType"]);
export type BasicUser = v.InferOutput<typeof BasicUser>;

/** The number of Admins, by how they can sign in. */
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

/** A user's id in a path. */
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

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullish(schema, null);

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
    (name) => /[^\p{Default_Ignorable_Code_Point}\p{White_Space}]/u.test(name),
    "must contain visible characters",
  ),
);

/** An e-mail address, in lower case. */
export const Email = v.pipe(ShortText, maxLength, v.email("must be an e-mail address"), v.toLowerCase());

/** The body that creates a user: with a username, an e-mail address or both. */
export const NewUser = v.pipe(
  v.object({
    username: orNull(Username),
    email: orNull(Email),
    name: orNull(FullName),
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
export type UserUpdate = v.InferOutput<typeof UserUpdate>;

/** A permission, and whether the user has it. */
const MatrixEntry = v.strictObject({
  id: v.number(),
  name: v.string(),
  displayName: v.string(),
  type: v.string(),
  hasPermission: v.boolean(),
});

/** A user's permissions in the project and environment requested. */
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

/** The same for a service account. */
export const ServiceAccountPermissions = v.strictObject({
  ...v.omit(UserPermissions, ["user"]).entries,
  serviceAccount: User,
});

/** What a user or service account can reach: projects through its own roles and through its groups. */
export const UserAccess = v.strictObject({
  userId: v.number(),
  createdAt: Timestamp,
  userName: v.nullable(v.string()),
  userEmail: v.nullable(v.string()),
  lastSeen: v.nullable(Timestamp),
  accessibleProjects: v.array(v.string()),
  groups: v.array(v.string()),
  rootRole: v.string(),
  groupProjects: v.array(v.string()),
});
export type UserAccess = v.InferOutput<typeof UserAccess>;

export const AccessOverview = v.strictObject({ overview: v.array(UserAccess) });

/** A link for setting a new password. */
export const ResetLink = v.strictObject({ resetPasswordUrl: v.string() });

/** Several users. */
export const UserIds = v.object({ ids: v.array(v.pipe(v.number(), v.safeInteger())) });
export type UserIds = v.InferOutput<typeof UserIds>;
