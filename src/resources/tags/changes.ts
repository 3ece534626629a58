import { command } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import type { Tag } from "../../events/schema.ts";
import type { Tx } from "../../events/write.ts";
import { isTag } from "./store.ts";

export const insertTag = command<Tag>(`INSERT INTO tags (type, value) VALUES (:type, :value)`);

const remove = command<Tag>(`DELETE FROM tags WHERE type = :type AND value = :value`);

/** Makes a tag of a type that is there; SQLite's constraint error where it is there already. */
export function createTag(tx: Tx, tag: Tag): Tag {
  insertTag(tx).run(tag);
  tx.record({ type: "tag-created", data: tag });
  return tag;
}

/** Makes the tag unless it is there. */
export function ensureTag(tx: Tx, tag: Tag) {
  if (!isTag(tx.db, tag)) createTag(tx, tag);
}

/** The same without an event, for an import. */
export function ensureTagRow(tx: Writing, tag: Tag) {
  if (!isTag(tx.db, tag)) insertTag(tx).run(tag);
}

/** Deletes a tag and takes it from its flags; recorded also where it is not there (original). */
export function deleteTag(tx: Tx, tag: Tag) {
  remove(tx).run(tag);
  tx.record({ type: "tag-deleted", data: tag });
}
