import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { command } from "../db/statement.ts";
import { tagsOf } from "../events/record.ts";
import { Tag } from "../events/schema.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { MAX_TAG_CHANGES, MAX_TAGS } from "../lib/limits.ts";
import { FeatureNames } from "./features-schema.ts";
import { requireFeature, requireFeatureNamed } from "./features-store.ts";
import { requireTagTypeOf } from "./tag-types.ts";
import { ensureTag, NewTag, TagList } from "./tags.ts";

const Several = v.pipe(v.array(NewTag), v.maxLength(MAX_TAGS, `must have ${MAX_TAGS} tags or fewer`));

export const TagChanges = v.object({ addedTags: Several, removedTags: Several });
type TagChanges = v.InferOutput<typeof TagChanges>;

/** The same changes for several flags of a project. */
export const BulkTagChanges = v.object({ ...FeatureNames.entries, tags: TagChanges });

const ofFeature = {
  tag: "Features",
  path: "/api/admin/features/:featureName/tags",
  errors: ["NotFoundError"],
} as const;

const changesFeature = {
  ...ofFeature,
  permission: { permission: "UPDATE_FEATURE", feature: "featureName" },
  errors: ["NotFoundError", "ExceedsLimitError"],
} as const;

export const listFeatureTags = GET({
  ...ofFeature,
  id: "listTags",
  summary: "The tags of a flag",
  permission: { feature: "featureName" },
  response: TagList,
}).run(({ db, params: { featureName } }) => {
  requireFeatureNamed(db, featureName);
  return { version: 1, tags: tagsOf(db, featureName) };
});

export const addTag = POST({
  ...changesFeature,
  id: "addTag",
  summary: "Tag a flag, creating the tag if it is new",
  body: NewTag,
  status: 201,
  records: ["feature-tagged", "tag-created"],
  response: Tag,
  example: { type: "simple", value: "urgent" },
}).change(({ tx, params: { featureName }, body }) => {
  const feature = requireFeatureNamed(tx.db, featureName);
  requireTagTypeOf(tx.db, body, "body");
  tagFeature(tx, feature, body);
  return new WithHeaders(body, { location: `${encodeURIComponent(featureName)}/tags` });
});

export const updateTags = PUT({
  ...changesFeature,
  id: "updateTags",
  summary: "Add tags to a flag and remove others from it",
  body: TagChanges,
  records: ["feature-tagged", "feature-untagged", "tag-created"],
  response: TagList,
  example: { addedTags: [{ type: "simple", value: "urgent" }], removedTags: [] },
}).change(({ tx, params: { featureName }, body }) => {
  const feature = requireFeatureNamed(tx.db, featureName);
  requireTagTypes(tx.db, body, "body");
  for (const tag of body.addedTags) tagFeature(tx, feature, tag);
  for (const tag of body.removedTags) untagFeature(tx, feature, tag);
  return { version: 1, tags: tagsOf(tx.db, featureName) };
});

export const removeTag = DELETE({
  ...changesFeature,
  id: "removeTag",
  summary: "Remove a tag from a flag",
  path: `${ofFeature.path}/:type/:value`,
  records: ["feature-untagged"],
}).change(({ tx, params: { featureName, ...tag } }) =>
  untagFeature(tx, requireFeatureNamed(tx.db, featureName), tag),
);

export const updateTagsOfAll = PUT({
  id: "addTagToFeatures",
  summary: "Add tags to flags of a project and remove others from them",
  tag: "Features",
  path: "/api/admin/projects/:projectId/tags",
  permission: { permission: "UPDATE_FEATURE", project: "projectId" },
  body: BulkTagChanges,
  errors: ["NotFoundError", "ExceedsLimitError"],
  records: ["feature-tagged", "feature-untagged", "tag-created"],
  example: {
    features: ["first-flag", "base-flag"],
    tags: { addedTags: [{ type: "simple", value: "urgent" }], removedTags: [] },
  },
}).change(({ tx, params: { projectId }, body: { features: names, tags } }) => {
  const features = [...new Set(names)].map((name) => requireFeature(tx.db, projectId, name));
  requireTagTypes(tx.db, tags, "body.tags");
  const { addedTags, removedTags } = tags;
  if (features.length * (addedTags.length + removedTags.length) > MAX_TAG_CHANGES)
    throw exceeds(
      `At most ${MAX_TAG_CHANGES} tags are added or removed at once: name fewer flags, or fewer tags`,
    );
  for (const tag of addedTags) ensureTag(tx, tag);
  for (const feature of features) {
    for (const tag of addedTags) ensureFeatureTag(tx, feature, tag);
    for (const tag of removedTags) remove(tx).run({ feature: feature.name, ...tag });
  }
  // Events are recorded after all the changes (original).
  for (const feature of features) for (const tag of addedTags) recordTagged(tx, feature, tag);
  for (const feature of features) for (const tag of removedTags) recordUntagged(tx, feature, tag);
});

function requireTagTypes(db: Database, { addedTags }: TagChanges, where: string) {
  for (const [index, tag] of addedTags.entries()) requireTagTypeOf(db, tag, `${where}.addedTags.${index}`);
}

/** A flag and its project. */
interface Feature {
  name: string;
  project: string;
}

type Row = Tag & { feature: string };

export const insertFeatureTag = command<Row>(`
  INSERT INTO feature_tags (feature, type, value) VALUES (:feature, :type, :value)`);

const remove = command<Row>(`
  DELETE FROM feature_tags WHERE feature = :feature AND type = :type AND value = :value`);

/** Tags a flag, creating the tag if it is new; records an event even if the flag already has it (original). */
export function tagFeature(tx: Tx, feature: Feature, tag: Tag) {
  tagNewFeature(tx, feature, [tag]);
  recordTagged(tx, feature, tag);
}

/** Tags a flag whose creation is recorded next, with the tags in that event. */
export function tagNewFeature(tx: Tx, feature: Feature, tags: readonly Tag[]) {
  for (const tag of tags) {
    ensureTag(tx, tag);
    ensureFeatureTag(tx, feature, tag);
  }
}

/** The event has the tags before the change, and is recorded even if the flag doesn't have the tag (original). */
function untagFeature(tx: Tx, feature: Feature, tag: Tag) {
  const tags = tagsOf(tx.db, feature.name);
  remove(tx).run({ feature: feature.name, ...tag });
  recordUntagged(tx, feature, tag, tags);
}

/** @throws ApiError `ExceedsLimitError` */
function ensureFeatureTag(tx: Tx, { name: feature }: Feature, { type, value }: Tag) {
  const tags = tagsOf(tx.db, feature);
  if (tags.some((tag) => tag.type === type && tag.value === value)) return;
  if (tags.length >= MAX_TAGS)
    throw exceeds(`The flag ${feature} has ${MAX_TAGS} tags, the most allowed: remove one first`);
  insertFeatureTag(tx).run({ feature, type, value });
}

const exceeds = (message: string) => new ApiError("ExceedsLimitError", message);

const recordTagged = (tx: Tx, { name: featureName, project }: Feature, tag: Tag) =>
  tx.record({ type: "feature-tagged", project, featureName, data: tag });

/** @param tags the tags in the event; defaults to the flag's current ones */
const recordUntagged = (tx: Tx, { name: featureName, project }: Feature, tag: Tag, tags?: Tag[]) =>
  tx.record({ type: "feature-untagged", project, featureName, preData: tag, ...(tags && { tags }) });
