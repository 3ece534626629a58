import * as v from "valibot";
import { NonEmptyText, Text, UrlName } from "../lib/validation.ts";

const Weight = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000));
const WeightType = v.picklist(["variable", "fix"], "must be variable or fix");
const PayloadType = v.picklist(["json", "csv", "string", "number"]);

/** A value that a strategy can return. Weights are in thousandths; an override applies before the weights do. */
export const Variant = v.strictObject({
  name: v.string(),
  weight: Weight,
  weightType: WeightType,
  stickiness: v.string(),
  payload: v.optional(v.strictObject({ type: PayloadType, value: v.string() })),
  overrides: v.optional(v.array(v.strictObject({ contextName: v.string(), values: v.array(v.string()) }))),
});
export type Variant = v.InferOutput<typeof Variant>;

/** The same for a flag in an environment, stored as it was sent: with no stickiness, it is `default` (original). */
export const FlagVariant = v.strictObject({ ...Variant.entries, stickiness: v.optional(v.string()) });
export type FlagVariant = v.InferOutput<typeof FlagVariant>;

/** The variants of a flag. */
export const FlagVariants = v.strictObject({ version: v.literal(1), variants: v.array(FlagVariant) });

const Payload = v.pipe(
  v.object({ type: PayloadType, value: NonEmptyText }),
  v.forward(
    v.check(({ type, value }) => type !== "json" || isJson(value), "must be valid JSON"),
    ["value"],
  ),
  v.forward(
    v.check(({ type, value }) => type !== "number" || isNumber(value), "must be a number"),
    ["value"],
  ),
);

const Override = v.object({ contextName: NonEmptyText, values: v.array(Text) });

/** The body that creates a variant of a strategy. */
export const NewVariant = v.object({
  name: UrlName,
  weight: Weight,
  weightType: WeightType,
  stickiness: NonEmptyText,
  payload: v.optional(Payload),
  overrides: v.optional(v.array(Override)),
});

/** The same for a flag. */
export const NewFlagVariant = v.object({ ...NewVariant.entries, stickiness: v.optional(NonEmptyText) });

function isJson(text: string) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isNumber = (text: string) => text.trim() !== "" && Number.isFinite(Number(text));
