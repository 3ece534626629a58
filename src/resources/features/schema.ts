import * as v from "valibot";
import { Tag } from "../../events/schema.ts";
import { Timestamp } from "../../validation.ts";
import { Constraint } from "../constraints/schema.ts";

/** One of the values that a strategy, or a flag in an environment, hands out. Weights are in thousandths. */
export const Variant = v.strictObject({
  name: v.string(),
  weight: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000)),
  weightType: v.picklist(["variable", "fix"]),
  stickiness: v.string(),
  payload: v.optional(
    v.strictObject({ type: v.picklist(["json", "csv", "string", "number"]), value: v.string() }),
  ),
});

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

export const FeatureEnvironment = v.strictObject({
  name: v.string(),
  type: v.string(),
  enabled: v.boolean(),
  sortOrder: v.number(),
  variantCount: v.number(),
  lastSeenAt: v.nullable(Timestamp),
  hasStrategies: v.boolean(),
  hasEnabledStrategies: v.boolean(),
});
export type FeatureEnvironment = v.InferOutput<typeof FeatureEnvironment>;

/** A flag as a project lists it; `favorite` is the caller's own. */
export const ProjectFeature = v.strictObject({
  name: v.string(),
  type: v.string(),
  description: v.nullable(v.string()),
  stale: v.boolean(),
  favorite: v.boolean(),
  impressionData: v.boolean(),
  createdAt: Timestamp,
  lastSeenAt: v.nullable(Timestamp),
  environments: v.array(FeatureEnvironment),
  tags: v.array(Tag),
});
export type ProjectFeature = v.InferOutput<typeof ProjectFeature>;

export const ProjectFeatures = v.strictObject({ version: v.literal(2), features: v.array(ProjectFeature) });

const TagText = v.pipe(
  v.string(),
  v.regex(/^[^:]+:.+$/s, "must be a type and a value with a colon between"),
  v.transform((text): Tag => {
    const [type = "", ...value] = text.split(":");
    return { type, value: value.join(":") };
  }),
);

/** Which flags of a project are listed: those whose name begins so, in any letter case, and with any of the tags. */
export const FeatureFilter = v.object({
  namePrefix: v.optional(v.string(), ""),
  tag: v.array(TagText),
});
export type FeatureFilter = v.InferOutput<typeof FeatureFilter>;
