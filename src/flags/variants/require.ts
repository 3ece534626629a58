import type { Database } from "../../db/statement.ts";
import type { FlagVariant } from "../../evaluation/variant.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { variantsOf } from "./store.ts";

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

/**
 * Variants of flags are superseded by those of strategies: a flag that has some can change them, others can't get any.
 * @throws ApiError `InvalidOperationError` if a flag has none (original)
 */
export function requireFlagVariants(db: Database, feature: string) {
  if (variantsOf(db, feature).length > 0) return;
  const message = `The flag ${feature} has no variants of its own: give them to its strategies`;
  throw new ApiError("InvalidOperationError", message);
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
