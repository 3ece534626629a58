import * as v from "valibot";
import { Constraint } from "../constraints/schema.ts";
import { Variant } from "../variants/schema.ts";

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
