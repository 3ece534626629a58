import * as v from "valibot";
import { StrategyUse } from "../../evaluation/constraint.ts";
import { ShortText, Text, Timestamp, UrlName } from "../../lib/validation.ts";

export const LegalValue = v.strictObject({ value: v.string(), description: v.optional(v.string()) });
export type LegalValue = v.InferOutput<typeof LegalValue>;

/** A property of the evaluation context. If it has legal values, constraints may use only these. */
export const ContextField = v.strictObject({
  name: v.string(),
  description: v.nullable(v.string()),
  stickiness: v.boolean(),
  sortOrder: v.number(),
  legalValues: v.array(LegalValue),
  createdAt: Timestamp,
});
export type ContextField = v.InferOutput<typeof ContextField>;

/** With the number of live flags whose strategies use it, and of their projects. */
export const ListedContextField = v.strictObject({
  ...ContextField.entries,
  usedInProjects: v.number(),
  usedInFeatures: v.number(),
});
export type ListedContextField = v.InferOutput<typeof ListedContextField>;

export const ContextFieldUses = v.strictObject({ strategies: v.array(StrategyUse) });

const atMost = (length: number) =>
  v.maxLength<string, number, string>(length, `must have ${length} characters or fewer`);

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

/** All except the name. */
const PROPERTIES = {
  description: v.nullish(v.pipe(ShortText, atMost(250))),
  stickiness: v.optional(v.boolean(), false),
  sortOrder: v.optional(v.pipe(v.number(), v.safeInteger())),
  legalValues: v.optional(
    v.pipe(
      v.array(NewLegalValue),
      v.check(
        (list) => new Set(list.map(({ value }) => value)).size === list.length,
        "must not contain a value twice",
      ),
    ),
  ),
};

export const NewContextField = v.object({ name: UrlName, ...PROPERTIES });
export type NewContextField = v.InferOutput<typeof NewContextField>;

/** `description` and `sortOrder` are kept if left out; the others are reset (original). */
export const ContextFieldChange = v.object(PROPERTIES);
export type ContextFieldChange = v.InferOutput<typeof ContextFieldChange>;

export const ContextFieldName = v.object({ name: UrlName });
