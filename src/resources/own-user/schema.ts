import * as v from "valibot";
import { Feedback } from "../feedback/schema.ts";
import { Role, RoleInProject } from "../roles/schema.ts";
import { User } from "../users/schema.ts";

/** A service token where a user is expected; its secret is never shown. */
const ServiceUser = v.strictObject({
  isAPI: v.literal(true),
  username: v.string(),
  permissions: v.array(v.literal("ADMIN")),
  environment: v.string(),
  type: v.literal("admin"),
  projects: v.array(v.string()),
  internalAdminTokenUserId: v.number(),
});

/** Who asks, and all that they may. */
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

/** The projects in which the caller has a part, and the root role. */
export const Profile = v.strictObject({
  projects: v.array(v.string()),
  rootRole: Role,
  features: v.array(v.never()), // always empty (original)
});

export const OwnRoles = v.strictObject({ version: v.literal(1), roles: v.array(RoleInProject) });
export type OwnRoles = v.InferOutput<typeof OwnRoles>;

/** A new password, twice lest it is mistyped, and the present one. */
export const PasswordChange = v.pipe(
  v.object({ password: v.string(), confirmPassword: v.string(), oldPassword: v.string() }),
  v.forward(
    v.check(({ password, confirmPassword }) => password === confirmPassword, "must be the same as password"),
    ["confirmPassword"],
  ),
);
