import * as v from "valibot";
import { Constraint } from "./constraint.ts";
import { FlagVariant, Variant } from "./variant.ts";

/** A strategy as SDKs evaluate it; no `segments` if there are none, or if their constraints are inlined. */
export const ClientStrategy = v.strictObject({
  name: v.string(),
  constraints: v.array(Constraint),
  parameters: v.record(v.string(), v.string()),
  variants: v.array(Variant),
  segments: v.optional(v.array(v.number())),
});

/** A flag in an environment as SDKs evaluate it; the keys are in wire order. */
export const ClientFeature = v.strictObject({
  name: v.string(),
  type: v.string(),
  enabled: v.boolean(),
  project: v.string(),
  stale: v.boolean(),
  strategies: v.array(ClientStrategy),
  variants: v.array(FlagVariant),
  description: v.nullable(v.string()),
  impressionData: v.boolean(),
  dependencies: v.optional(
    v.array(
      v.strictObject({
        feature: v.string(),
        enabled: v.boolean(),
        variants: v.optional(v.array(v.string())),
      }),
    ),
  ),
});
export type ClientFeature = v.InferOutput<typeof ClientFeature>;

export const ClientSegment = v.strictObject({
  id: v.number(),
  name: v.string(),
  constraints: v.array(Constraint),
});
export type ClientSegment = v.InferOutput<typeof ClientSegment>;
