import * as v from "valibot";
import { Feedback } from "../feedback/schema.ts";
import { Role, RoleInProject } from "../roles/schema.ts";
import { User } from "../users/schema.ts";

/** A service token in place of a user; its secret is never shown. */
const ServiceUser = v.strictObject({
  isAPI: v.literal(true),
  username: v.string(),
  permissions: v.array(v.literal("ADMIN")),
  environment: v.string(),
  type: v.literal("admin"),
  projects: v.array(v.string()),
  internalAdminTokenUserId: v.number(),
});

/** The caller, with permissions and feedback. */
export const Me = v.strictObject({
  user: v.union([v.omit(User, ["rootRole"]), ServiceUser]),
  permissions: v.array(
    v.strictObject({
      permission: v.string(),
      project: v.optional(v.string()),
      environment: v.optional(v.string()),
    }),
  ),
  feedback: v.array(Feedback),
  splash: v.record(v.string(), v.boolean()),
});

/** The caller's projects and root role. */
export const Profile = v.strictObject({
  projects: v.array(v.string()),
  rootRole: Role,
  features: v.array(v.never()), // always empty (original)
});

export const OwnRoles = v.strictObject({ version: v.literal(1), roles: v.array(RoleInProject) });
export type OwnRoles = v.InferOutput<typeof OwnRoles>;

/** A new password, repeated in case of a typo, and the current one. */
export const PasswordChange = v.pipe(
  v.object({ password: v.string(), confirmPassword: v.string(), oldPassword: v.string() }),
  v.forward(
    v.check(({ password, confirmPassword }) => password === confirmPassword, "must be the same as password"),
    ["confirmPassword"],
  ),
);
