import { hiddenProjects } from "../../access/visibility.ts";
import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import type { Constraint } from "../../evaluation/constraint.ts";
import type { CreateStrategy, SetDefaultStrategy, UpdateStrategy } from "../../evaluation/strategy.ts";
import type { Tx } from "../../events/write.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { LIMITS } from "../../lib/limits.ts";
import { requireConstraints, requireLegalValues } from "../constraints/require.ts";
import { requireWeights } from "../variants/require.ts";
import { segmentOwner } from "./store.ts";

/**
 * Checks a strategy in a request. An existing one that exceeds a limit, because it was imported, may stay that large.
 * @returns it with its variants' weights adjusted to add up
 * @throws ApiError `ValidationError` and `NotFoundError` for invalid parts
 */
export function requireValidStrategy<S extends CreateStrategy | UpdateStrategy>(
  tx: Tx,
  project: string,
  strategy: S,
  before: readonly Constraint[] = [],
): S {
  const { name, constraints, variants, segments = [] } = strategy;
  if (name !== undefined && !isKnown(tx.db, "strategyType", name))
    throw invalid({ path: "body.name", message: `there is no strategy type ${name}` });
  requireSegments(tx, project, segments);
  if (constraints) requireValidConstraints(tx.db, constraints, "body.constraints", before);
  return variants ? { ...strategy, variants: requireWeights(variants, "body.variants") } : strategy;
}

/**
 * The same for a default strategy, whose segments are checked only when it is used (original).
 * @throws ApiError `ValidationError`
 */
export function requireValidDefault(db: Database, strategy: SetDefaultStrategy): SetDefaultStrategy {
  const { constraints = [], variants } = strategy;
  requireValidConstraints(db, constraints, "body.constraints", []);
  return variants ? { ...strategy, variants: requireWeights(variants, "body.variants") } : strategy;
}

/**
 * @throws ApiError `NotFoundError` for a missing or hidden segment, `ValidationError` for one of another project or for too many
 */
export function requireSegments({ db, actor }: Tx, project: string, ids: readonly number[]) {
  if (ids.length > LIMITS.strategySegments)
    throw invalid({
      path: "body.segments",
      message: `must have ${LIMITS.strategySegments} segments or fewer`,
    });
  const hidden = hiddenProjects(db, actor);
  for (const [index, id] of ids.entries()) {
    const segment = segmentOwner(db, id);
    if (!segment || hidden.includes(segment.project ?? ""))
      throw new ApiError("NotFoundError", `There is no segment ${id}`);
    if (segment.project !== null && segment.project !== project)
      throw invalid({
        path: `body.segments.${index}`,
        message: `${segment.name} belongs to another project`,
      });
  }
}

/**
 * @throws ApiError `ExceedsLimitError` for too many of something, `NotFoundError` for a missing context field,
 * `ValidationError` for a value that the operator or the field does not accept
 */
function requireValidConstraints(
  db: Database,
  constraints: readonly Constraint[],
  where: string,
  before: readonly Constraint[],
) {
  requireFew(constraints, where, before);
  requireConstraints(constraints, where);
  for (const [index, constraint] of constraints.entries())
    requireLegalValues(db, constraint, `${where}.${index}`);
}

function requireFew(constraints: readonly Constraint[], where: string, before: readonly Constraint[]) {
  if (constraints.length > Math.max(LIMITS.constraints, before.length))
    throw new ApiError("ExceedsLimitError", `${where}: must have ${LIMITS.constraints} constraints or fewer`);
  const sameBefore = before.length === constraints.length ? before : [];
  const tooMany = constraints.findIndex(
    ({ values }, index) =>
      values.length > Math.max(LIMITS.constraintValues, sameBefore[index]?.values.length ?? 0),
  );
  if (tooMany < 0) return;
  const message = `${where}.${tooMany}.values: must have ${LIMITS.constraintValues} values or fewer`;
  throw new ApiError("ExceedsLimitError", message);
}
