import * as v from "valibot";
import { Tag } from "../../events/schema.ts";
import { PathName, Text } from "../../validation.ts";

/** The type or value of a tag, with the original's limits. */
export const TagPart = v.pipe(
  PathName,
  v.minLength(2, "must have 2 characters or more"),
  v.maxLength(50, "must have 50 or less"),
);

/** The body that creates a tag. */
export const NewTag = v.object({ type: TagPart, value: TagPart });

/** The same, without white space around it; not where a flag gets one, which keeps it (original). */
export const TrimmedTag = v.object({
  type: v.pipe(Text, v.trim(), TagPart),
  value: v.pipe(Text, v.trim(), TagPart),
});

export const TagList = v.strictObject({ version: v.literal(1), tags: v.array(Tag) });
export const OneTag = v.strictObject({ version: v.literal(1), tag: Tag });
