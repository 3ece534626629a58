import * as v from "valibot";
import { ShortText, Text, Timestamp, UrlName } from "../../validation.ts";
import { StrategyUse } from "../constraints/schema.ts";

export const LegalValue = v.strictObject({ value: v.string(), description: v.optional(v.string()) });
export type LegalValue = v.InferOutput<typeof LegalValue>;

/** What an application says of itself when it asks; only the legal values may be compared with, where there are some. */
export const ContextField = v.strictObject({
  name: v.string(),
  description: v.nullable(v.string()),
  stickiness: v.boolean(),
  sortOrder: v.number(),
  legalValues: v.array(LegalValue),
  createdAt: Timestamp,
});
export type ContextField = v.InferOutput<typeof ContextField>;

/** One of a list, with how many live flags have strategies that name it, and in how many projects. */
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

/** What a context field is made of, beside its name. */
const CHANGEABLE = {
  description: v.nullish(v.pipe(ShortText, atMost(250))),
  stickiness: v.optional(v.boolean(), false),
  sortOrder: v.optional(v.pipe(v.number(), v.safeInteger())),
  legalValues: v.nullish(
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

/** Without `description` or `sortOrder` they stay as they are; without the others they are unset (original). */
export const ContextFieldChange = v.object(CHANGEABLE);
export type ContextFieldChange = v.InferOutput<typeof ContextFieldChange>;

export const ContextFieldName = v.object({ name: UrlName });
