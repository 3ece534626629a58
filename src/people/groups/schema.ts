import * as v from "valibot";
import { NonEmptyText, ShortText, Timestamp } from "../../lib/validation.ts";
import { BasicUser, User } from "../users/schema.ts";

const Member = v.strictObject({
  joinedAt: v.optional(Timestamp),
  createdBy: v.nullable(v.string()),
  user: User,
});

/** A group with its members; `mappingsSSO` is stored, but has no effect here. */
export const Group = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  name: v.string(),
  description: v.nullable(v.string()),
  mappingsSSO: v.array(v.string()),
  rootRole: v.nullable(v.number()),
  createdBy: v.nullable(v.string()),
  createdAt: Timestamp,
  scimId: v.null(),
  users: v.array(Member),
  projects: v.array(v.string()),
  userCount: v.number(),
});
export type Group = v.InferOutput<typeof Group>;

/** A group without its members. */
export const BasicGroup = v.omit(Group, ["users", "projects"]);
export type BasicGroup = v.InferOutput<typeof BasicGroup>;

export const UsersAndGroups = v.strictObject({ users: v.array(BasicUser), groups: v.array(BasicGroup) });

/** A group's id in a path. */
export const GroupId = v.pipe(v.string(), v.regex(/^[0-9]+$/, "must be a whole number"), v.transform(Number));

/** The body that creates or changes a group. */
export const NewGroup = v.object({
  name: v.pipe(NonEmptyText, v.trim(), v.nonEmpty("must not be empty")),
  description: v.nullish(ShortText, null),
  mappingsSSO: v.optional(v.array(ShortText), []),
  rootRole: v.nullish(v.pipe(v.number(), v.safeInteger()), null),
  users: v.optional(v.array(v.object({ user: v.object({ id: v.pipe(v.number(), v.safeInteger()) }) }))),
});
export type NewGroup = v.InferOutput<typeof NewGroup>;
