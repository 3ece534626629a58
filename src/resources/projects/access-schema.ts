import * as v from "valibot";
import { Timestamp, wholeNumber } from "../../validation.ts";
import { Role } from "../roles/schema.ts";

const Id = v.pipe(v.number(), v.safeInteger());

/** What somebody may in a project; `roleId` is the first of them. */
const Held = { roleId: v.number(), roles: v.array(v.number()) };

/** Who has access to a project, and which roles there are for one. */
export const ProjectAccess = v.strictObject({
  users: v.array(
    v.strictObject({
      id: v.number(),
      isAPI: v.boolean(),
      name: v.string(),
      email: v.nullable(v.string()),
      imageUrl: v.string(),
      ...Held,
    }),
  ),
  groups: v.array(
    v.strictObject({
      id: v.number(),
      name: v.string(),
      description: v.nullable(v.string()),
      rootRole: v.nullable(v.number()),
      createdBy: v.nullable(v.string()),
      createdAt: Timestamp,
      users: v.array(
        v.strictObject({ user: v.strictObject({ id: v.number(), name: v.string(), imageUrl: v.string() }) }),
      ),
      ...Held,
    }),
  ),
  roles: v.array(Role),
});
export type ProjectAccess = v.InferOutput<typeof ProjectAccess>;

/** Who is to have which role in a project. */
export const RoleHolders = v.object({
  id: Id,
  users: v.optional(v.array(Id), []),
  groups: v.optional(v.array(Id), []),
});
export type RoleHolders = v.InferOutput<typeof RoleHolders>;

/** All access to a project; whoever is not named loses it. */
export const NewAccess = v.object({ roles: v.array(RoleHolders) });

/** Roles, and those who are to have all of them beside what they have. */
export const AddedAccess = v.object({
  roles: v.array(Id),
  users: v.optional(v.array(Id), []),
  groups: v.optional(v.array(Id), []),
});
export type AddedAccess = v.InferOutput<typeof AddedAccess>;

const Named = v.array(v.object({ id: Id }));

/** Who is to have one more role. */
export const AddedToRole = v.object({ users: v.optional(Named, []), groups: v.optional(Named, []) });

/** All roles that somebody is to have. */
export const GivenRoles = v.object({ roles: v.array(Id) });

/** The number of a user, a group or a role in a path. */
export const HolderId = wholeNumber(0);
