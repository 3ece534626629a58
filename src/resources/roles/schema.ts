import * as v from "valibot";
import { NonEmptyText, ShortText } from "../../validation.ts";

/** A role as the API shows it; a custom one for the whole instance is `root-custom` here (original). */
export const Role = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  name: v.string(),
  type: v.picklist(["root", "project", "custom", "root-custom"]),
  description: v.string(),
});
export type Role = v.InferOutput<typeof Role>;

/** A role that somebody has, and where. */
export const RoleInProject = v.strictObject({ ...Role.entries, project: v.nullable(v.string()) });
export type RoleInProject = v.InferOutput<typeof RoleInProject>;

/** A permission that there is, or that a role has in one environment. */
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

/** A role and what it may. */
export const RoleDetails = v.strictObject({ ...Role.entries, permissions: v.array(PermissionDefinition) });
export type RoleDetails = v.InferOutput<typeof RoleDetails>;

export const RoleList = v.strictObject({ version: v.literal(1), roles: v.array(Role) });

/** The role that was just made or changed, one and no list (original). */
export const ChangedRole = v.strictObject({ version: v.literal(1), roles: Role });

/** The number of a role in a path. */
export const RoleId = v.pipe(v.string(), v.regex(/^[0-9]+$/, "must be a whole number"), v.transform(Number));

/** A permission of a role, by its name or its number; without an environment it holds in all. */
const GivenPermission = v.object({
  id: v.nullish(v.number()),
  name: v.nullish(v.string()),
  environment: v.pipe(
    v.nullish(v.string(), null),
    v.transform((name) => name || null),
  ),
});
export type GivenPermission = v.InferOutput<typeof GivenPermission>;

export interface RolePermission {
  name: string;
  environment: string | null;
}

/** What a custom role is made of; `root-custom` is for the whole instance, `custom` for projects. */
export const NewRole = v.object({
  name: v.pipe(NonEmptyText, v.trim(), v.nonEmpty("must not be empty")),
  description: v.nullish(ShortText, null),
  type: v.optional(v.picklist(["root-custom", "custom"])),
  permissions: v.optional(v.array(GivenPermission), []),
});
