import * as v from "valibot";
import { snapshot } from "../../db/snapshot.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { ApiError } from "../../lib/api-error.ts";
import * as changes from "./changes.ts";
import { requireGroup, requireGroupParts } from "./require.ts";
import { Group, GroupId, NewGroup } from "./schema.ts";
import { groupById, groups } from "./store.ts";

const GROUP = "/api/admin/groups/:id";

export const listGroups = operation({
  id: "getGroups",
  summary: "All groups with their members",
  tag: "Groups",
  method: "GET",
  path: "/api/admin/groups",
  permission: "ADMIN",
  response: v.strictObject({ groups: v.array(Group) }),
}).run(({ db }) => snapshot(db, () => ({ groups: groups(db) })));

export const readGroup = operation({
  id: "getGroup",
  summary: "A group with its members",
  tag: "Groups",
  method: "GET",
  path: GROUP,
  permission: "ADMIN",
  params: v.object({ id: GroupId }),
  errors: ["NotFoundError"],
  volatile: ["seenAt", "loginAttempts"],
  response: Group,
}).run(({ db, params: { id } }) =>
  snapshot(db, () => {
    const group = groupById(db, id);
    if (!group) throw new ApiError("NotFoundError", `There is no group with the id ${id}`);
    return group;
  }),
);

export const createGroup = operation({
  id: "createGroup",
  summary: "Create a group",
  tag: "Groups",
  method: "POST",
  path: "/api/admin/groups",
  permission: "ADMIN",
  body: NewGroup,
  status: 201,
  errors: ["NameExistsError"],
  records: ["group-created"],
  response: Group,
}).change(({ tx, body }) => {
  requireGroupParts(tx.db, body);
  return groupById(tx.db, changes.createGroup(tx, body))!;
});

export const updateGroup = operation({
  id: "updateGroup",
  summary: "Change a group; without users in the body, its members stay",
  tag: "Groups",
  method: "PUT",
  path: GROUP,
  permission: "ADMIN",
  params: v.object({ id: GroupId }),
  body: NewGroup,
  errors: ["NotFoundError", "NameExistsError"],
  records: ["group-updated"],
  response: Group,
}).change(({ tx, params: { id }, body }) => {
  requireGroup(tx.db, id);
  requireGroupParts(tx.db, body);
  changes.updateGroup(tx, id, body);
  return groupById(tx.db, id)!;
});

export const deleteGroup = operation({
  id: "deleteGroup",
  summary: "Delete a group, and the access its users have through it",
  tag: "Groups",
  method: "DELETE",
  path: GROUP,
  permission: "ADMIN",
  params: v.object({ id: GroupId }),
  errors: ["NotFoundError"],
  records: ["group-deleted"],
  response: NoBody,
}).change(({ tx, params: { id } }) => {
  requireGroup(tx.db, id);
  changes.removeGroup(tx, id);
});
