import * as v from "valibot";
import { Tag } from "../../events/schema.ts";
import { PathName, Text } from "../../lib/validation.ts";

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
