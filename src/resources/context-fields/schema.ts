import * as v from "valibot";
import { ShortText, Text, Timestamp, UrlName } from "../../validation.ts";
import { StrategyUse } from "../constraints/schema.ts";

export const LegalValue = v.strictObject({ value: v.string(), description: v.optional(v.string()) });
export type LegalValue = v.InferOutput<typeof LegalValue>;

/** Something that applications tell about a user or themselves. Constraints may use only its legal values, if any. */
export const ContextField = v.strictObject({
  name: v.string(),
  description: v.nullable(v.string()),
  stickiness: v.boolean(),
  sortOrder: v.number(),
  legalValues: v.array(LegalValue),
  createdAt: Timestamp,
});
export type ContextField = v.InferOutput<typeof ContextField>;

/** With the number of live flags whose strategies use it, and the number of their projects. */
export const ListedContextField = v.strictObject({
  ...ContextField.entries,
  usedInProjects: v.number(),
  usedInFeatures: v.number(),
});
export type ListedContextField = v.InferOutput<typeof ListedContextField>;

export const ContextFieldUses = v.strictObject({ strategies: v.array(StrategyUse) });

const atMost = (length: number) =>
  v.maxLength<string, number, string>(length, `must have ${length} characters or less`);

const NewLegalValue = v.pipe(
  v.object({
    value: v.pipe(Text, v.nonEmpty("must not be empty"), atMost(100)),
    description: v.nullish(v.pipe(Text, atMost(100))),
  }),
  v.transform(
    ({ value, description }): LegalValue => ({
      value,
      ...(typeof description === "string" && { description }),
    }),
  ),
);

/** The properties of a context field other than its name. */
const CHANGEABLE = {
  description: v.nullish(v.pipe(ShortText, atMost(250))),
  stickiness: v.optional(v.boolean(), false),
  sortOrder: v.optional(v.pipe(v.number(), v.safeInteger())),
  legalValues: v.optional(
    v.pipe(
      v.array(NewLegalValue),
      v.check(
        (list) => new Set(list.map(({ value }) => value)).size === list.length,
        "must not have a value twice",
      ),
    ),
  ),
};

export const NewContextField = v.object({ name: UrlName, ...CHANGEABLE });
export type NewContextField = v.InferOutput<typeof NewContextField>;

/** Without `description` or `sortOrder`, these stay as they are; the others are unset if left out (original). */
export const ContextFieldChange = v.object(CHANGEABLE);
export type ContextFieldChange = v.InferOutput<typeof ContextFieldChange>;

export const ContextFieldName = v.object({ name: UrlName });
