import * as v from "valibot";
import { Timestamp, wholeNumber } from "../lib/validation.ts";
import { Role } from "../people/roles.ts";

const Id = v.pipe(v.number(), v.safeInteger());

/** The roles of a user or group in a project; `roleId` is the first. */
const HolderRoles = { roleId: v.number(), roles: v.array(v.number()) };

/** Who has access to a project, and the roles that can be assigned there. */
export const ProjectAccess = v.strictObject({
  users: v.array(
    v.strictObject({
      id: v.number(),
      isAPI: v.boolean(),
      name: v.string(),
      email: v.nullable(v.string()),
      imageUrl: v.string(),
      ...HolderRoles,
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
      ...HolderRoles,
    }),
  ),
  roles: v.array(Role),
});
export type ProjectAccess = v.InferOutput<typeof ProjectAccess>;

/** The users and groups with a role in a project. */
export const RoleHolders = v.object({
  id: Id,
  users: v.optional(v.array(Id), []),
  groups: v.optional(v.array(Id), []),
});
export type RoleHolders = v.InferOutput<typeof RoleHolders>;

/** How many have a role in each project. */
export const RoleUsage = v.strictObject({
  projects: v.array(
    v.strictObject({
      project: v.string(),
      role: v.number(),
      userCount: v.number(),
      serviceAccountCount: v.number(),
      groupCount: v.number(),
    }),
  ),
});
export type RoleUsage = v.InferOutput<typeof RoleUsage>;

/** The whole access list of a project; anyone not named loses access. */
export const NewAccess = v.object({ roles: v.array(RoleHolders) });

/** Roles, and the users and groups that get all of them in addition to their current ones. */
export const AddedAccess = v.object({
  roles: v.array(Id),
  users: v.optional(v.array(Id), []),
  groups: v.optional(v.array(Id), []),
});
export type AddedAccess = v.InferOutput<typeof AddedAccess>;

const Named = v.array(v.object({ id: Id }));

/** The users and groups that get another role. */
export const AddedToRole = v.object({ users: v.optional(Named, []), groups: v.optional(Named, []) });

/** The complete list of roles of a user or group. */
export const GivenRoles = v.object({ roles: v.array(Id) });

/** The id of a user, a group or a role in a path. */
export const HolderId = wholeNumber(0);
