import * as v from "valibot";
import { kind, OptionalText, withoutNulls } from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import { PathName } from "../../lib/validation.ts";
import { insertTagType } from "./changes.ts";
import type { TagType } from "./schema.ts";

const all = query<object, TagType>(`SELECT name, description, icon FROM tag_types ORDER BY name`);

export const tagType = kind({
  name: "tagType",
  schema: v.strictObject({ name: PathName, description: OptionalText, icon: OptionalText }),
  insert: ({ tx }, line) => void insertTagType(tx).run(line),
  *rows(db) {
    for (const row of all(db).iterate({})) yield withoutNulls(row);
  },
});
