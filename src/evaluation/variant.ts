import * as v from "valibot";
import { invalid } from "../lib/api-error.ts";
import { parsedJson } from "../lib/text.ts";
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

/** The sum of the weights in a list. */
const TOTAL_WEIGHT = 1000;

/**
 * The variants ordered by name, with weights that add up: fixed ones keep theirs, and the variable ones share the rest
 * (original). `where` prefixes the paths.
 * @throws ApiError `ValidationError` for a repeated name, or if the weights can't add up
 */
export function requireWeights<V extends FlagVariant>(variants: readonly V[], where: string): V[] {
  if (variants.length === 0) return [];
  requireNames(variants, where);
  const [fixed, variable] = [ofType(variants, "fix"), ofType(variants, "variable")];
  const left = fixed.reduce((rest, { weight }) => rest - weight, TOTAL_WEIGHT);
  if (variable.length === 0) throw invalid({ path: where, message: "must contain a variable variant" });
  if (left < 0) throw invalid({ path: where, message: `must not fix more weight than ${TOTAL_WEIGHT}` });
  return [...withEqualWeights(variable, left), ...fixed].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function requireNames(variants: readonly FlagVariant[], where: string) {
  const seen = new Set<string>();
  const index = variants.findIndex(({ name }) => seen.size === seen.add(name).size);
  if (index >= 0) throw invalid({ path: `${where}.${index}.name`, message: "is repeated" });
}

const ofType = <V extends FlagVariant>(variants: readonly V[], type: FlagVariant["weightType"]) =>
  variants.filter(({ weightType }) => weightType === type);

/** Equal shares; the first variants get the remainder. */
function withEqualWeights<V extends FlagVariant>(variants: readonly V[], left: number): V[] {
  const [each, remainder] = [Math.floor(left / variants.length), left % variants.length];
  return variants.map((variant, index) => ({ ...variant, weight: each + (index < remainder ? 1 : 0) }));
}

const isJson = (text: string) => parsedJson(text) !== undefined;

const isNumber = (text: string) => text.trim() !== "" && Number.isFinite(Number(text));
