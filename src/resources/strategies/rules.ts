import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../http/error.ts";
import { requireConstraints, requireLegalValues } from "../constraints/require.ts";
import type { Constraint } from "../constraints/schema.ts";
import { requireWeights } from "../variants/require.ts";
import type { CreateStrategy, SetDefaultStrategy, UpdateStrategy } from "./schema.ts";
import { segmentOwner } from "./store.ts";

/** How many there may be in a strategy, and values in a constraint (original). */
const MOST = { segments: 5, constraints: 30, values: 250 };

/**
 * What is said of a strategy, with the weights of its variants made whole.
 * @throws ApiError `ValidationError` and `NotFoundError` for what it must not say
 */
export function requireGoodStrategy<S extends CreateStrategy | UpdateStrategy>(
  db: Database,
  project: string,
  strategy: S,
): S {
  const { name, constraints, variants, segments = [] } = strategy;
  if (name !== undefined && !isKnown(db, "strategyType", name))
    throw invalid({ path: "body.name", message: `there is no strategy type ${name}` });
  requireSegments(db, project, segments);
  if (constraints) requireOwnConstraints(db, constraints, "body.constraints");
  return variants ? { ...strategy, variants: requireWeights(variants, "body.variants") } : strategy;
}

/**
 * What is said of a default strategy, likewise; its segments are asked for when it is used (original).
 * @throws ApiError `ValidationError`
 */
export function requireGoodDefault(db: Database, strategy: SetDefaultStrategy): SetDefaultStrategy {
  const { constraints = [], variants } = strategy;
  requireOwnConstraints(db, constraints, "body.constraints");
  return variants ? { ...strategy, variants: requireWeights(variants, "body.variants") } : strategy;
}

/**
 * @throws ApiError `NotFoundError` for a segment that is not there, `ValidationError` for one of another project and
 * for too many
 */
export function requireSegments(db: Database, project: string, ids: readonly number[]) {
  if (ids.length > MOST.segments)
    throw invalid({ path: "body.segments", message: `must name ${MOST.segments} segments or less` });
  for (const [index, id] of ids.entries()) {
    const segment = segmentOwner(db, id);
    if (!segment) throw new ApiError("NotFoundError", `There is no segment ${id}`);
    if (segment.project !== null && segment.project !== project)
      throw invalid({ path: `body.segments.${index}`, message: `the segment ${id} is of another project` });
  }
}

/**
 * @throws ApiError `ExceedsLimitError` for too many of something, `NotFoundError` for a context field that is not there,
 * `ValidationError` for a value that the operator or the field does not take
 */
function requireOwnConstraints(db: Database, constraints: readonly Constraint[], where: string) {
  if (constraints.length > MOST.constraints)
    throw new ApiError("ExceedsLimitError", `${where}: must have ${MOST.constraints} or less`);
  const tooMany = constraints.findIndex(({ values }) => values.length > MOST.values);
  if (tooMany >= 0)
    throw new ApiError("ExceedsLimitError", `${where}.${tooMany}.values: must have ${MOST.values} or less`);
  requireConstraints(constraints, where);
  for (const [index, constraint] of constraints.entries())
    requireLegalValues(db, constraint, `${where}.${index}`);
}
