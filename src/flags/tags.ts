import * as v from "valibot";
import { kind, Name } from "../dataset/kind.ts";
import { command, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { Tag } from "../events/schema.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, WithHeaders } from "../http/operation.ts";
import { found } from "../lib/api-error.ts";
import { PathName, Text } from "../lib/validation.ts";
import { requireTagTypeOf } from "./tag-types.ts";

/** The type or value of a tag, with the original's limits. */
export const TagPart = v.pipe(
  PathName,
  v.minLength(2, "must have 2 characters or more"),
  v.maxLength(50, "must have 50 characters or fewer"),
);

/** The body that creates a tag. */
export const NewTag = v.object({ type: TagPart, value: TagPart });

/** The same, trimmed; a tag that is added to a flag keeps its white space (original). */
export const TrimmedTag = v.object({
  type: v.pipe(Text, v.trim(), TagPart),
  value: v.pipe(Text, v.trim(), TagPart),
});

export const TagList = v.strictObject({ version: v.literal(1), tags: v.array(Tag) });
export const OneTag = v.strictObject({ version: v.literal(1), tag: Tag });

const ALL = { tag: "Tags", path: "/api/admin/tags" } as const;
const ONE = { tag: "Tags", path: "/api/admin/tags/:type/:value" } as const;

export const listTags = GET({
  ...ALL,
  id: "getTags",
  summary: "All tags, used or not",
  permission: null,
  response: TagList,
}).run(({ db }) => ({ version: 1, tags: inOrder(db).all({}) }));

export const createTag = POST({
  ...ALL,
  id: "createTag",
  summary: "Create a tag",
  permission: null,
  body: TrimmedTag,
  status: 201,
  errors: ["NameExistsError"],
  records: ["tag-created"],
  response: OneTag,
  example: { type: "simple", value: "late" },
}).change(({ tx, body: tag }) => {
  requireTagTypeOf(tx.db, tag, "body");
  insert(tx).run(tag);
  tx.record({ type: "tag-created", data: tag });
  const location = ["tags", tag.type, tag.value].map(encodeURIComponent).join("/");
  return new WithHeaders({ version: 1 as const, tag }, { location });
});

export const listTagsOfType = GET({
  id: "getTagsByType",
  summary: "The tags of a type",
  tag: "Tags",
  path: "/api/admin/tags/:type",
  permission: null,
  response: TagList,
}).run(({ db, params }) => ({ version: 1, tags: ofType(db).all(params) }));

export const readTag = GET({
  ...ONE,
  id: "getTag",
  summary: "A tag",
  permission: null,
  errors: ["NotFoundError"],
  response: OneTag,
}).run(({ db, params: { type, value } }) => ({
  version: 1,
  tag: found(byTypeAndValue(db).get({ type, value }), `tag ${type}:${value}`),
}));

export const deleteTag = DELETE({
  ...ONE,
  id: "deleteTag",
  summary: "Delete a tag and remove it from its flags",
  permission: "ADMIN", // it changes flags of every project
  records: ["tag-deleted"],
}).change(({ tx, params: tag }) => {
  remove(tx).run(tag);
  tx.record({ type: "tag-deleted", data: tag }); // even if there is none (original)
});

const inOrder = query<object, Tag>(`SELECT type, value FROM tags ORDER BY type, value`);

const ofType = query<{ type: string }, Tag>(`SELECT type, value FROM tags WHERE type = :type ORDER BY value`);

const byTypeAndValue = query<Tag, Tag>(`SELECT type, value FROM tags WHERE type = :type AND value = :value`);

const insert = command<Tag>(`INSERT INTO tags (type, value) VALUES (:type, :value)`);

const remove = command<Tag>(`DELETE FROM tags WHERE type = :type AND value = :value`);

/** Creates the tag unless it exists. */
export function ensureTag(tx: Tx, tag: Tag) {
  if (ensureTagRow(tx, tag)) tx.record({ type: "tag-created", data: tag });
}

/** The same without an event, for imports. @returns whether it is new */
export function ensureTagRow(tx: Writing, tag: Tag): boolean {
  if (byTypeAndValue(tx.db).get(tag)) return false;
  insert(tx).run(tag);
  return true;
}

// Tags of flags are part of the flags' own lines.
const unused = query<object, Tag>(`
  SELECT type, value FROM tags
  WHERE NOT EXISTS (SELECT 1 FROM feature_tags WHERE feature_tags.type = tags.type AND feature_tags.value = tags.value)
  ORDER BY type, value`);

export const tag = kind({
  name: "tag",
  schema: v.strictObject({ type: Name, value: TagPart }),
  refers: { type: "tagType" },
  insert: ({ tx }, line) => insert(tx).run(line),
  rows: (db) => unused(db).iterate({}),
});
