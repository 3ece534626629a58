import * as v from "valibot";
import { JsonObject, NonEmptyText, ShortText } from "../../validation.ts";
import { Constraint, NewConstraint } from "../constraints/schema.ts";
import { NewVariant, Variant } from "../variants/schema.ts";

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

/** A flag in one environment, as the original answers: without the segments of its strategies. */
export const FeatureInEnvironment = v.strictObject({
  name: v.string(),
  environment: v.string(),
  enabled: v.boolean(),
  strategies: v.array(v.omit(Strategy, ["segments"])),
});

/** What a project gives to flags without strategies in an environment: only what was said of it (original). */
export const DefaultStrategy = v.strictObject({
  ...v.partial(v.omit(Strategy, ["id", "featureName"])).entries,
  name: v.string(),
  disabled: v.nullish(v.boolean()),
});
export type DefaultStrategy = v.InferOutput<typeof DefaultStrategy>;

/** Parameters are text; a number or a truth value is written as one (original). */
const Parameters = v.pipe(
  JsonObject,
  v.rawTransform(({ dataset, addIssue, NEVER }): Record<string, string> => {
    const wrong = Object.entries(dataset.value).find(([, value]) => !isPlain(value));
    if (!wrong)
      return Object.fromEntries(Object.entries(dataset.value).map(([key, value]) => [key, String(value)]));
    addIssue({ message: `must hold text only, unlike ${wrong[0].slice(0, 80)}` });
    return NEVER;
  }),
);

const isPlain = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);

/** What a new strategy is made of. What is left out is filled in. */
export const CreateStrategy = v.object({
  name: NonEmptyText,
  title: v.nullish(ShortText),
  disabled: v.nullish(v.boolean()),
  sortOrder: v.optional(v.pipe(v.number(), v.finite())),
  constraints: v.optional(v.array(NewConstraint)),
  variants: v.optional(v.array(NewVariant)),
  parameters: v.optional(Parameters),
  segments: v.optional(v.array(v.pipe(v.number(), v.safeInteger()))),
});
export type CreateStrategy = v.InferOutput<typeof CreateStrategy>;

/** A default strategy as it is given: a gradual rollout (original). */
export const SetDefaultStrategy = v.object({
  ...CreateStrategy.entries,
  name: v.literal("flexibleRollout", "must be flexibleRollout, which alone can be a default"),
});
export type SetDefaultStrategy = v.InferOutput<typeof SetDefaultStrategy>;

/** What a strategy becomes. Constraints and variants that are left out are taken away, all else is kept (original). */
export const UpdateStrategy = v.object({ ...CreateStrategy.entries, name: v.optional(NonEmptyText) });
export type UpdateStrategy = v.InferOutput<typeof UpdateStrategy>;

/** A new order: what stands first has the lowest number. */
export const StrategyOrder = v.array(v.object({ id: v.string(), sortOrder: v.pipe(v.number(), v.finite()) }));
export type StrategyOrder = v.InferOutput<typeof StrategyOrder>;
