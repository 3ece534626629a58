import { command } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import type { Tag } from "../../events/schema.ts";
import type { Tx } from "../../events/write.ts";
import { tagExists } from "./store.ts";

export const insertTag = command<Tag>(`INSERT INTO tags (type, value) VALUES (:type, :value)`);

const remove = command<Tag>(`DELETE FROM tags WHERE type = :type AND value = :value`);

/** Creates a tag of an existing type; an SQLite constraint error if it already exists. */
export function createTag(tx: Tx, tag: Tag): Tag {
  insertTag(tx).run(tag);
  tx.record({ type: "tag-created", data: tag });
  return tag;
}

/** Creates the tag unless it exists. */
export function ensureTag(tx: Tx, tag: Tag) {
  if (!tagExists(tx.db, tag)) createTag(tx, tag);
}

/** The same without an event, for imports. */
export function ensureTagRow(tx: Writing, tag: Tag) {
  if (!tagExists(tx.db, tag)) insertTag(tx).run(tag);
}

/** Deletes a tag and removes it from its flags; records an event even if it doesn't exist (original). */
export function deleteTag(tx: Tx, tag: Tag) {
  remove(tx).run(tag);
  tx.record({ type: "tag-deleted", data: tag });
}
