import * as v from "valibot";
import { NonEmptyText, Text } from "../../validation.ts";

const Weight = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000));
const WeightType = v.picklist(["variable", "fix"]);
const PayloadType = v.picklist(["json", "csv", "string", "number"]);

/** A value that a strategy, or a flag in an environment, can return. Weights are in thousandths. */
export const Variant = v.strictObject({
  name: v.string(),
  weight: Weight,
  weightType: WeightType,
  stickiness: v.string(),
  payload: v.optional(v.strictObject({ type: PayloadType, value: v.string() })),
});
export type Variant = v.InferOutput<typeof Variant>;

/** A variant of a flag; an override applies before the weights do. */
export const FlagVariant = v.strictObject({
  ...Variant.entries,
  overrides: v.optional(v.array(v.strictObject({ contextName: v.string(), values: v.array(v.string()) }))),
});
export type FlagVariant = v.InferOutput<typeof FlagVariant>;

/** The variants of a flag. */
export const FlagVariants = v.strictObject({ version: v.literal(1), variants: v.array(FlagVariant) });

const Payload = v.pipe(
  v.object({ type: PayloadType, value: Text }),
  v.forward(
    v.check(({ type, value }) => type !== "json" || isJson(value), "must be JSON, as its type says"),
    ["value"],
  ),
  v.forward(
    v.check(({ type, value }) => type !== "number" || isNumber(value), "must be a number, as its type says"),
    ["value"],
  ),
);

/** The body that creates a variant of a strategy. */
export const NewVariant = v.object({
  name: NonEmptyText,
  weight: Weight,
  weightType: WeightType,
  stickiness: NonEmptyText,
  payload: v.optional(Payload),
});

const Override = v.object({ contextName: NonEmptyText, values: v.array(Text) });

/** The same for a flag. */
export const NewFlagVariant = v.object({
  ...NewVariant.entries,
  weightType: v.optional(WeightType, "variable"),
  stickiness: v.optional(NonEmptyText, "default"),
  overrides: v.optional(v.array(Override)),
});

function isJson(text: string) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isNumber = (text: string) => text.trim() !== "" && Number.isFinite(Number(text));
