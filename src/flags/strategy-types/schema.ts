import * as v from "valibot";
import { NonEmptyText, ShortText, UrlName } from "../../lib/validation.ts";

export const PARAMETER_TYPES = ["string", "percentage", "list", "number", "boolean"] as const;

/** A parameter of a strategy type; unset properties are absent. */
export const StrategyParameter = v.strictObject({
  name: v.string(),
  type: v.picklist(PARAMETER_TYPES),
  description: v.nullish(v.string()),
  required: v.optional(v.boolean()),
});
export type StrategyParameter = v.InferOutput<typeof StrategyParameter>;

/** A type of strategy; those that are not editable are built in. */
export const StrategyType = v.strictObject({
  displayName: v.nullable(v.string()),
  name: v.string(),
  editable: v.boolean(),
  description: v.nullable(v.string()),
  parameters: v.array(StrategyParameter),
  deprecated: v.boolean(),
  title: v.nullable(v.string()),
});
export type StrategyType = v.InferOutput<typeof StrategyType>;

export const StrategyTypes = v.strictObject({ version: v.literal(1), strategies: v.array(StrategyType) });

/** The body that changes a strategy type; without a title or description, the old one stays. */
export const UpdateStrategyType = v.object({
  title: v.nullish(ShortText),
  description: v.nullish(ShortText),
  parameters: v.array(
    v.object({
      name: NonEmptyText,
      type: v.picklist(PARAMETER_TYPES),
      description: v.nullish(ShortText),
      required: v.optional(v.boolean()),
    }),
  ),
});
export type UpdateStrategyType = v.InferOutput<typeof UpdateStrategyType>;

/** The body that creates a strategy type. */
export const NewStrategyType = v.object({ ...UpdateStrategyType.entries, name: UrlName });
export type NewStrategyType = v.InferOutput<typeof NewStrategyType>;
