import * as v from "valibot";

/** The longest lifetime that can be stored (original). */
const LONGEST_LIFETIME = 2 ** 31 - 1;

/** What a flag is for, and how long it is expected to live, in days; null means forever. */
export const FeatureType = v.strictObject({
  id: v.string(),
  name: v.string(),
  description: v.nullable(v.string()),
  lifetimeDays: v.nullable(v.number()),
});
export type FeatureType = v.InferOutput<typeof FeatureType>;

export const FeatureTypes = v.strictObject({ version: v.literal(1), types: v.array(FeatureType) });

/** A new lifetime in days; 0 and null both mean forever. */
export const UpdateLifetime = v.object({
  lifetimeDays: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(LONGEST_LIFETIME))),
});
