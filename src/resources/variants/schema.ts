import * as v from "valibot";

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
export type Variant = v.InferOutput<typeof Variant>;
