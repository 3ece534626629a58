import * as v from "valibot";
import { command, query } from "../../db/statement.ts";
import { kind } from "../../transfer/kind.ts";
import { OptionalText, withoutNulls } from "../../transfer/value.ts";
import { PathName } from "../../validation.ts";

const TagType = v.strictObject({ name: PathName, description: OptionalText, icon: OptionalText });
type TagType = v.InferOutput<typeof TagType>;

const insertRow = command<TagType>(`
  INSERT INTO tag_types (name, description, icon) VALUES (:name, :description, :icon)`);

const all = query<object, TagType>(`SELECT name, description, icon FROM tag_types ORDER BY name`);

export const tagType = kind({
  name: "tagType",
  schema: TagType,
  insert: ({ tx }, line) => void insertRow(tx).run(line),
  *rows(db) {
    for (const row of all(db).iterate({})) yield withoutNulls(row);
  },
});
