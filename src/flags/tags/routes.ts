import * as v from "valibot";
import { NoBody, operation, WithHeaders } from "../../http/operation.ts";
import { requireTagTypeOf } from "../tag-types.ts";
import * as changes from "./changes.ts";
import { requireTag } from "./require.ts";
import { OneTag, TagList, TrimmedTag } from "./schema.ts";
import { allTags, tagsOfType } from "./store.ts";

const TAG = "Tags";
const Params = v.object({ type: v.string(), value: v.string() });

export const listTags = operation({
  id: "getTags",
  summary: "All tags, used or not",
  tag: TAG,
  method: "GET",
  path: "/api/admin/tags",
  permission: null,
  response: TagList,
}).run(({ db }) => ({ version: 1, tags: allTags(db) }));

export const createTag = operation({
  id: "createTag",
  summary: "Create a tag",
  tag: TAG,
  method: "POST",
  path: "/api/admin/tags",
  permission: null,
  body: TrimmedTag,
  status: 201,
  errors: ["NameExistsError"],
  records: ["tag-created"],
  response: OneTag,
}).change(({ tx, body }) => {
  requireTagTypeOf(tx.db, body, "body");
  const location = ["tags", body.type, body.value].map(encodeURIComponent).join("/");
  return new WithHeaders({ version: 1 as const, tag: changes.createTag(tx, body) }, { location });
});

export const listTagsOfType = operation({
  id: "getTagsByType",
  summary: "The tags of a type",
  tag: TAG,
  method: "GET",
  path: "/api/admin/tags/:type",
  permission: null,
  params: v.object({ type: v.string() }),
  response: TagList,
}).run(({ db, params: { type } }) => ({ version: 1, tags: tagsOfType(db, type) }));

export const readTag = operation({
  id: "getTag",
  summary: "A tag",
  tag: TAG,
  method: "GET",
  path: "/api/admin/tags/:type/:value",
  permission: null,
  params: Params,
  errors: ["NotFoundError"],
  response: OneTag,
}).run(({ db, params }) => ({ version: 1, tag: requireTag(db, params) }));

export const deleteTag = operation({
  id: "deleteTag",
  summary: "Delete a tag and remove it from its flags",
  tag: TAG,
  method: "DELETE",
  path: "/api/admin/tags/:type/:value",
  permission: "ADMIN", // it changes flags of every project
  params: Params,
  records: ["tag-deleted"],
  response: NoBody,
}).change(({ tx, params }) => changes.deleteTag(tx, params));
