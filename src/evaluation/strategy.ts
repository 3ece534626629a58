import * as v from "valibot";
import { dictionary, NonEmptyText, ShortText } from "../lib/validation.ts";
import { Constraint, NewConstraint } from "./constraint.ts";
import { NewVariant, Variant } from "./variant.ts";

export const Strategy = v.strictObject({
  id: v.string(),
  name: v.string(),
  title: v.nullable(v.string()),
  disabled: v.boolean(),
  featureName: v.string(),
  sortOrder: v.number(),
  segments: v.array(v.number()),
  constraints: v.array(Constraint),
  variants: v.array(Variant),
  parameters: v.record(v.string(), v.string()),
});
export type Strategy = v.InferOutput<typeof Strategy>;

/** A flag in one environment; without the segments of its strategies (original). */
export const FeatureInEnvironment = v.strictObject({
  name: v.string(),
  environment: v.string(),
  enabled: v.boolean(),
  strategies: v.array(v.omit(Strategy, ["segments"])),
});

/** A project's default strategy in an environment, with only the properties that were set (original). */
export const DefaultStrategy = v.strictObject({
  ...v.partial(v.omit(Strategy, ["id", "featureName"])).entries,
  name: v.string(),
  disabled: v.nullish(v.boolean()),
});
export type DefaultStrategy = v.InferOutput<typeof DefaultStrategy>;

/** The body that creates a strategy; defaults are filled in. */
export const CreateStrategy = v.object({
  name: NonEmptyText,
  title: v.nullish(ShortText),
  disabled: v.nullish(v.boolean()),
  sortOrder: v.optional(v.pipe(v.number(), v.finite())),
  constraints: v.optional(v.array(NewConstraint)),
  variants: v.optional(v.array(NewVariant)),
  parameters: v.optional(dictionary(v.string())),
  segments: v.optional(v.array(v.pipe(v.number(), v.safeInteger()))),
});
export type CreateStrategy = v.InferOutput<typeof CreateStrategy>;

/** A default strategy in a request: always a gradual rollout (original). */
export const SetDefaultStrategy = v.object({
  ...CreateStrategy.entries,
  name: v.literal("flexibleRollout", "must be flexibleRollout, the only one that can be a default"),
});
export type SetDefaultStrategy = v.InferOutput<typeof SetDefaultStrategy>;

/**
 * A change to a strategy. Constraints and variants that are left out are removed; everything else is kept (original).
 */
export const UpdateStrategy = v.object({ ...CreateStrategy.entries, name: v.optional(NonEmptyText) });
export type UpdateStrategy = v.InferOutput<typeof UpdateStrategy>;

/** A new order: lower numbers come first. */
export const StrategyOrder = v.array(v.object({ id: v.string(), sortOrder: v.pipe(v.number(), v.finite()) }));
export type StrategyOrder = v.InferOutput<typeof StrategyOrder>;
