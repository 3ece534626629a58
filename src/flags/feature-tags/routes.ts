import * as v from "valibot";
import type { Database } from "../../db/statement.ts";
import { Tag } from "../../events/schema.ts";
import { tagsOf } from "../../events/tags.ts";
import { NoBody, operation, WithHeaders } from "../../http/operation.ts";
import { requireFeature, requireFeatureNamed } from "../features/require.ts";
import { requireTagTypeOf } from "../tag-types.ts";
import { NewTag, TagList } from "../tags/schema.ts";
import * as changes from "./changes.ts";
import { BulkTagChanges, TagChanges } from "./schema.ts";

const TAG = "Features";
const TAGS = "/api/admin/features/:featureName/tags";
const Params = v.object({ featureName: v.string() });
const UPDATE = { permission: "UPDATE_FEATURE", feature: "featureName" } as const;

export const listFeatureTags = operation({
  id: "listTags",
  summary: "The tags of a flag",
  tag: TAG,
  method: "GET",
  path: TAGS,
  permission: { feature: "featureName" },
  params: Params,
  errors: ["NotFoundError"],
  response: TagList,
}).run(({ db, params: { featureName } }) => {
  requireFeatureNamed(db, featureName);
  return { version: 1, tags: tagsOf(db, featureName) };
});

export const addTag = operation({
  id: "addTag",
  summary: "Tag a flag, creating the tag if it is new",
  tag: TAG,
  method: "POST",
  path: TAGS,
  permission: UPDATE,
  params: Params,
  body: NewTag,
  status: 201,
  errors: ["NotFoundError"],
  records: ["feature-tagged", "tag-created"],
  response: Tag,
}).change(({ tx, params: { featureName }, body }) => {
  const feature = requireFeatureNamed(tx.db, featureName);
  requireTagTypeOf(tx.db, body, "body");
  const location = `${encodeURIComponent(featureName)}/tags`;
  return new WithHeaders(changes.addTag(tx, feature, body), { location });
});

export const updateTags = operation({
  id: "updateTags",
  summary: "Add tags to a flag and remove others from it",
  tag: TAG,
  method: "PUT",
  path: TAGS,
  permission: UPDATE,
  params: Params,
  body: TagChanges,
  errors: ["NotFoundError"],
  records: ["feature-tagged", "feature-untagged", "tag-created"],
  response: TagList,
}).change(({ tx, params: { featureName }, body }) => {
  const feature = requireFeatureNamed(tx.db, featureName);
  requireTagTypes(tx.db, body, "body");
  return { version: 1, tags: changes.updateTags(tx, feature, body) };
});

export const removeTag = operation({
  id: "removeTag",
  summary: "Remove a tag from a flag",
  tag: TAG,
  method: "DELETE",
  path: `${TAGS}/:type/:value`,
  permission: UPDATE,
  params: v.object({ featureName: v.string(), type: v.string(), value: v.string() }),
  errors: ["NotFoundError"],
  records: ["feature-untagged"],
  response: NoBody,
}).change(({ tx, params: { featureName, ...tag } }) =>
  changes.removeTag(tx, requireFeatureNamed(tx.db, featureName), tag),
);

export const updateTagsOfAll = operation({
  id: "addTagToFeatures",
  summary: "Add tags to flags of a project and remove others from them",
  tag: TAG,
  method: "PUT",
  path: "/api/admin/projects/:projectId/tags",
  permission: { permission: "UPDATE_FEATURE", project: "projectId" },
  params: v.object({ projectId: v.string() }),
  body: BulkTagChanges,
  errors: ["NotFoundError"],
  records: ["feature-tagged", "feature-untagged", "tag-created"],
  response: NoBody,
}).change(({ tx, params: { projectId }, body: { features, tags } }) => {
  const found = [...new Set(features)].map((name) => requireFeature(tx.db, projectId, name));
  requireTagTypes(tx.db, tags, "body.tags");
  changes.updateTagsOfAll(tx, found, tags);
});

const requireTagTypes = (db: Database, { addedTags }: TagChanges, where: string) => {
  for (const [index, tag] of addedTags.entries()) requireTagTypeOf(db, tag, `${where}.addedTags.${index}`);
};
