import * as v from "valibot";
import { NoBody, operation, WithHeaders } from "../../http/operation.ts";
import * as changes from "./changes.ts";
import { requireFreeName, requireTagType } from "./require.ts";
import { GivenTagType, NewTagType, OneTagType, TagTypeChange, TagTypeList, ValidTagType } from "./schema.ts";
import { tagTypes } from "./store.ts";

const TAG = "Tags";
const Params = v.object({ name: v.string() });

export const listTagTypes = operation({
  id: "getTagTypes",
  summary: "The tag types",
  tag: TAG,
  method: "GET",
  path: "/api/admin/tag-types",
  permission: null,
  response: TagTypeList,
}).run(({ db }) => ({ version: 1, tagTypes: tagTypes(db) }));

export const createTagType = operation({
  id: "createTagType",
  summary: "Create a tag type",
  tag: TAG,
  method: "POST",
  path: "/api/admin/tag-types",
  permission: "CREATE_TAG_TYPE",
  body: NewTagType,
  status: 201,
  errors: ["NameExistsError"],
  records: ["tag-type-created"],
  response: GivenTagType,
}).change(
  ({ tx, body }) => new WithHeaders(changes.createTagType(tx, body), { location: `tag-types/${body.name}` }),
);

export const validateTagType = operation({
  id: "validateTagType",
  summary: "Check whether a tag type could be created",
  tag: TAG,
  method: "POST",
  path: "/api/admin/tag-types/validate",
  permission: null,
  body: NewTagType,
  errors: ["NameExistsError"],
  response: ValidTagType,
}).run(({ db, body }) => {
  requireFreeName(db, body.name);
  return { valid: true, tagType: body };
});

export const readTagType = operation({
  id: "getTagType",
  summary: "A tag type",
  tag: TAG,
  method: "GET",
  path: "/api/admin/tag-types/:name",
  permission: null,
  params: Params,
  errors: ["NotFoundError"],
  response: OneTagType,
}).run(({ db, params: { name } }) => ({ version: 1, tagType: requireTagType(db, name) }));

export const updateTagType = operation({
  id: "updateTagType",
  summary: "Change a tag type's description or icon",
  tag: TAG,
  method: "PUT",
  path: "/api/admin/tag-types/:name",
  permission: "UPDATE_TAG_TYPE",
  params: Params,
  body: TagTypeChange,
  records: ["tag-type-updated"],
  response: NoBody,
}).change(({ tx, params: { name }, body }) => changes.updateTagType(tx, name, body));

export const deleteTagType = operation({
  id: "deleteTagType",
  summary: "Delete a tag type with its tags",
  tag: TAG,
  method: "DELETE",
  path: "/api/admin/tag-types/:name",
  permission: "DELETE_TAG_TYPE",
  params: Params,
  errors: ["NotFoundError"],
  records: ["tag-type-deleted"],
  response: NoBody,
}).change(({ tx, params: { name } }) => changes.deleteTagType(tx, requireTagType(tx.db, name)));
