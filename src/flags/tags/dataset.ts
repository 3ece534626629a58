import * as v from "valibot";
import { kind, Name, requireKnown } from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import type { Tag } from "../../events/schema.ts";
import { insertTag } from "./changes.ts";
import { TagPart } from "./schema.ts";

// Tags of flags are part of the flags' own lines.
const unused = query<object, Tag>(`
  SELECT type, value FROM tags
  WHERE NOT EXISTS (SELECT 1 FROM feature_tags WHERE feature_tags.type = tags.type AND feature_tags.value = tags.value)
  ORDER BY type, value`);

export const tag = kind({
  name: "tag",
  schema: v.strictObject({ type: Name, value: TagPart }),
  insert({ tx, db }, line) {
    requireKnown(db, "tagType", line.type, "type");
    insertTag(tx).run(line);
  },
  rows: (db) => unused(db).iterate({}),
});
