import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { NewTagType, TagType, TagTypeChange } from "./schema.ts";

export const insertTagType = command<TagType>(`
  INSERT INTO tag_types (name, description, icon) VALUES (:name, :description, :icon)`);

const setDescription = command<{ name: string; description: string | null }>(`
  UPDATE tag_types SET description = :description WHERE name = :name`);

const setIcon = command<{ name: string; icon: string | null }>(`
  UPDATE tag_types SET icon = :icon WHERE name = :name`);

const remove = command<{ name: string }>(`DELETE FROM tag_types WHERE name = :name`);

/** Creates a tag type; an SQLite constraint error if the name is taken. */
export function createTagType(tx: Tx, tagType: NewTagType): NewTagType {
  const { name, description = null, icon = null } = tagType;
  insertTagType(tx).run({ name, description, icon });
  tx.record({ type: "tag-type-created", data: tagType });
  return tagType;
}

/** Changes the given properties; records an event even if there is no such tag type (original). */
export function updateTagType(tx: Tx, name: string, change: TagTypeChange) {
  const { description, icon } = change;
  if (description !== undefined) setDescription(tx).run({ name, description });
  if (icon !== undefined) setIcon(tx).run({ name, icon });
  tx.record({ type: "tag-type-updated", data: { name, ...change } });
}

/** Deletes a tag type with its tags, which are removed from their flags. */
export function deleteTagType(tx: Tx, tagType: TagType) {
  remove(tx).run({ name: tagType.name });
  tx.record({ type: "tag-type-deleted", preData: tagType });
}
