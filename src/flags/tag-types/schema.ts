import * as v from "valibot";
import { ShortText, UrlName } from "../../lib/validation.ts";

/** What a group of tags is for; `description` and `icon` are null if missing. */
export const TagType = v.strictObject({
  name: v.string(),
  description: v.nullable(v.string()),
  icon: v.nullable(v.string()),
});
export type TagType = v.InferOutput<typeof TagType>;

export const TagTypeList = v.strictObject({ version: v.literal(1), tagTypes: v.array(TagType) });
export const OneTagType = v.strictObject({ version: v.literal(1), tagType: TagType });

/** The body that creates a tag type. */
export const NewTagType = v.object({
  name: v.pipe(
    UrlName,
    v.minLength(2, "must have 2 characters or more"),
    v.maxLength(50, "must have 50 characters or fewer"),
  ),
  description: v.nullish(ShortText),
  icon: v.nullish(ShortText),
});
export type NewTagType = v.InferOutput<typeof NewTagType>;

/** The tag type as in the request: what was left out is absent (original). */
export const GivenTagType = v.strictObject({
  name: v.string(),
  description: v.nullish(v.string()),
  icon: v.nullish(v.string()),
});

export const ValidTagType = v.strictObject({ valid: v.literal(true), tagType: GivenTagType });

/** Properties that are left out stay as they are. */
export const TagTypeChange = v.pipe(
  v.object({ description: v.nullish(ShortText), icon: v.nullish(ShortText) }),
  v.check(
    ({ description, icon }) => description !== undefined || icon !== undefined,
    "must have a description or an icon",
  ),
);
export type TagTypeChange = v.InferOutput<typeof TagTypeChange>;
