import * as v from "valibot";

/** The longest that is kept (original). */
const LONGEST_LIFETIME = 2 ** 31 - 1;

/** What a flag is for, and after how many days it is expected to be gone; null for one that stays. */
export const FeatureType = v.strictObject({
  id: v.string(),
  name: v.string(),
  description: v.nullable(v.string()),
  lifetimeDays: v.nullable(v.number()),
});
export type FeatureType = v.InferOutput<typeof FeatureType>;

export const FeatureTypes = v.strictObject({ version: v.literal(1), types: v.array(FeatureType) });

/** Another lifetime in days; 0 and null stand for flags that stay. */
export const UpdateLifetime = v.object({
  lifetimeDays: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(LONGEST_LIFETIME))),
});
