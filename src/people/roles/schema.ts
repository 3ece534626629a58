import * as v from "valibot";
import { NonEmptyText, ShortText } from "../../lib/validation.ts";

/** A role as in the API, where a custom root role has the type `root-custom` (original). */
export const Role = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  name: v.string(),
  type: v.picklist(["root", "project", "custom", "root-custom"]),
  description: v.string(),
});
export type Role = v.InferOutput<typeof Role>;

/** A role someone has, and the project it applies to. */
export const RoleInProject = v.strictObject({ ...Role.entries, project: v.nullable(v.string()) });
export type RoleInProject = v.InferOutput<typeof RoleInProject>;

/** A permission that exists, or that a role has in an environment. */
export const PermissionDefinition = v.strictObject({
  id: v.number(),
  name: v.string(),
  displayName: v.string(),
  type: v.string(),
  environment: v.optional(v.string()),
});
export type PermissionDefinition = v.InferOutput<typeof PermissionDefinition>;

export const AllPermissions = v.strictObject({
  root: v.array(PermissionDefinition),
  project: v.array(PermissionDefinition),
  environments: v.array(v.strictObject({ name: v.string(), permissions: v.array(PermissionDefinition) })),
});
export type AllPermissions = v.InferOutput<typeof AllPermissions>;

/** A role and its permissions. */
export const RoleDetails = v.strictObject({ ...Role.entries, permissions: v.array(PermissionDefinition) });
export type RoleDetails = v.InferOutput<typeof RoleDetails>;

export const RoleList = v.strictObject({ version: v.literal(1), roles: v.array(Role) });

/** The role that was just created or changed: a single one, not a list (original). */
export const ChangedRole = v.strictObject({ version: v.literal(1), roles: Role });

/** A role's id in a path. */
export const RoleId = v.pipe(v.string(), v.regex(/^[0-9]+$/, "must be a whole number"), v.transform(Number));

/** A permission of a role, by name or id; without an environment, it applies to all. */
const RequestedPermission = v.object({
  id: v.nullish(v.number()),
  name: v.nullish(v.string()),
  environment: v.pipe(
    v.nullish(v.string(), null),
    v.transform((name) => name || null),
  ),
});
export type RequestedPermission = v.InferOutput<typeof RequestedPermission>;

export interface RolePermission {
  name: string;
  environment: string | null;
}

/** The body that creates or changes a custom role; `root-custom` is instance-wide, `custom` for projects. */
export const NewRole = v.object({
  name: v.pipe(NonEmptyText, v.trim(), v.nonEmpty("must not be empty")),
  description: v.nullish(ShortText, null),
  type: v.optional(v.picklist(["root-custom", "custom"])),
  permissions: v.optional(v.array(RequestedPermission), []),
});
