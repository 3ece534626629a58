import { command } from "../../db/statement.ts";
import type { Tag } from "../../events/schema.ts";
import { tagsOf } from "../../events/tags.ts";
import type { Tx } from "../../events/write.ts";
import { ensureTag } from "../tags/changes.ts";
import type { TagChanges } from "./schema.ts";

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
export function addTag(tx: Tx, feature: Feature, tag: Tag): Tag {
  ensureTag(tx, tag);
  ensureFeatureTag(tx, feature, tag);
  recordTagged(tx, feature, tag);
  return tag;
}

/** Tags a flag whose creation is recorded next, with the tags in that event. */
export function tagNewFeature(tx: Tx, feature: Feature, tags: readonly Tag[]) {
  for (const tag of tags) {
    ensureTag(tx, tag);
    ensureFeatureTag(tx, feature, tag);
  }
}

/**
 * Removes a tag from a flag. The event has the tags before the change, and is recorded even if the flag doesn't have
 * the tag (original).
 */
export function removeTag(tx: Tx, feature: Feature, tag: Tag) {
  const tags = tagsOf(tx.db, feature.name);
  remove(tx).run({ feature: feature.name, ...tag });
  recordUntagged(tx, feature, tag, tags);
}

/** Adds tags to a flag and removes others from it. */
export function updateTags(tx: Tx, feature: Feature, { addedTags, removedTags }: TagChanges): Tag[] {
  for (const tag of addedTags) addTag(tx, feature, tag);
  for (const tag of removedTags) removeTag(tx, feature, tag);
  return tagsOf(tx.db, feature.name);
}

/** The same for several flags; events are recorded after all the changes (original). */
export function updateTagsOfAll(
  tx: Tx,
  features: readonly Feature[],
  { addedTags, removedTags }: TagChanges,
) {
  for (const tag of addedTags) ensureTag(tx, tag);
  for (const feature of features) {
    for (const tag of addedTags) ensureFeatureTag(tx, feature, tag);
    for (const tag of removedTags) remove(tx).run({ feature: feature.name, ...tag });
  }
  for (const feature of features) for (const tag of addedTags) recordTagged(tx, feature, tag);
  for (const feature of features) for (const tag of removedTags) recordUntagged(tx, feature, tag);
}

function ensureFeatureTag(tx: Tx, { name: feature }: Feature, { type, value }: Tag) {
  const has = tagsOf(tx.db, feature).some((tag) => tag.type === type && tag.value === value);
  if (!has) insertFeatureTag(tx).run({ feature, type, value });
}

const recordTagged = (tx: Tx, { name: featureName, project }: Feature, tag: Tag) =>
  tx.record({ type: "feature-tagged", project, featureName, data: tag });

/** @param tags the tags in the event; defaults to the flag's current ones */
const recordUntagged = (tx: Tx, { name: featureName, project }: Feature, tag: Tag, tags?: Tag[]) =>
  tx.record({ type: "feature-untagged", project, featureName, preData: tag, ...(tags && { tags }) });
