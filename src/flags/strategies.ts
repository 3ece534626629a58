import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { type Constraint, requireConstraints } from "../evaluation/constraint.ts";
import {
  CreateStrategy,
  DefaultStrategy,
  SetDefaultStrategy,
  Strategy,
  StrategyOrder,
  UpdateStrategy,
} from "../evaluation/strategy.ts";
import { requireWeights } from "../evaluation/variant.ts";
import type { Tx } from "../events/write.ts";
import { applyJsonPatchAs, JsonPatch } from "../http/json-patch.ts";
import { DELETE, GET, PATCH, POST, PUT, WithHeaders } from "../http/operation.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { LIMITS } from "../lib/limits.ts";
import { requireProjectEnvironment } from "../projects/project-environments.ts";
import { requireFields } from "./constraints.ts";
import { SCOPE_PATH, ScopeParams, StrategyParams } from "./feature-environments.ts";
import {
  requireFeatureEnvironment,
  requireScopeForStrategy,
  type Scope,
} from "./feature-environments-store.ts";
import {
  addStrategy,
  removeStrategy,
  requireStrategy,
  requireStrategyOfLive,
  setDefaultStrategy,
  sortStrategies,
  strategiesOf,
  updateStrategy,
  withDefaults,
} from "./strategies-store.ts";
import { requireSegments } from "./strategy-segments.ts";

const ALL = { tag: "Features", path: `${SCOPE_PATH}/strategies`, params: ScopeParams } as const;
const ONE = {
  tag: "Features",
  path: `${SCOPE_PATH}/strategies/:strategyId`,
  params: StrategyParams,
} as const;

const READ = { project: "projectId" } as const;
const UPDATE = {
  permission: "UPDATE_FEATURE_STRATEGY",
  project: "projectId",
  environment: "environment",
} as const;

export const listStrategies = GET({
  ...ALL,
  id: "getFeatureStrategies",
  summary: "The strategies of a flag in an environment",
  permission: READ,
  errors: ["NotFoundError"],
  response: v.array(Strategy), // a bare list, as in the original
}).run(({ db, params: scope }) => {
  requireFeatureEnvironment(db, scope);
  return strategiesOf(db, scope);
});

const EXAMPLE = {
  name: "flexibleRollout",
  title: "Slow start",
  constraints: [{ contextName: "plan", operator: "IN", values: ["gold"] }],
  parameters: { rollout: "25", stickiness: "default", groupId: "first-flag" },
};

export const addStrategyOperation = POST({
  ...ALL,
  id: "addFeatureStrategy",
  summary: "Add a strategy to a flag in an environment",
  permission: { permission: "CREATE_FEATURE_STRATEGY", project: "projectId", environment: "environment" },
  body: CreateStrategy,
  errors: ["NotFoundError", "ExceedsLimitError"],
  records: ["feature-strategy-add"],
  response: Strategy,
  example: EXAMPLE,
}).change(({ tx, params: scope, body }) => {
  requireScopeForStrategy(tx.db, scope);
  const strategy = requireValidStrategy(tx, scope.project, body);
  requireRoom(tx.db, scope);
  return addStrategy(tx, scope, withDefaults(tx.db, scope, strategy));
});

export const setSortOrder = POST({
  ...ALL,
  id: "setStrategySortOrder",
  summary: "Change the order of a flag's strategies in an environment",
  path: `${ALL.path}/set-sort-order`,
  permission: UPDATE,
  body: StrategyOrder,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["strategy-order-changed"],
  example: [{ id: "5b8f7e3c-3f0a-4c1d-9a52-0d7c6f3b1e24", sortOrder: 0 }],
}).change(({ tx, params: scope, body }) => {
  requireFeatureEnvironment(tx.db, scope);
  for (const { id } of body) requireStrategy(tx.db, scope, id);
  sortStrategies(tx, scope, body);
});

export const readStrategy = GET({
  ...ONE,
  id: "getFeatureStrategy",
  summary: "A strategy of a flag in an environment",
  permission: READ,
  errors: ["NotFoundError", "InvalidOperationError"],
  response: Strategy,
}).run(({ db, params: { scope, id } }) => requireStrategy(db, scope, id));

export const replaceStrategy = PUT({
  ...ONE,
  id: "updateFeatureStrategy",
  summary: "Change a strategy; constraints and variants that are left out are removed",
  permission: UPDATE,
  body: UpdateStrategy,
  errors: ["NotFoundError", "InvalidOperationError", "ExceedsLimitError"],
  records: ["feature-strategy-update", "feature-environment-disabled"],
  response: Strategy,
  example: EXAMPLE,
}).change(({ tx, params: { scope, id }, body }) => {
  const strategy = requireStrategyOfLive(tx.db, scope, id);
  const valid = requireValidStrategy(tx, scope.project, body, strategy.constraints);
  return updateStrategy(tx, scope, strategy, valid);
});

export const patchStrategy = PATCH({
  ...ONE,
  id: "patchFeatureStrategy",
  summary: "Change parts of a strategy with a JSON Patch",
  permission: UPDATE,
  body: JsonPatch,
  errors: ["NotFoundError", "InvalidOperationError", "ExceedsLimitError"],
  records: ["feature-strategy-update", "feature-environment-disabled"],
  response: Strategy,
  example: [{ op: "replace", path: "/title", value: "For everyone" }],
}).change(({ tx, params: { scope, id }, body }) => {
  const strategy = requireStrategyOfLive(tx.db, scope, id);
  const change = { title: null, ...applyJsonPatchAs(UpdateStrategy, strategy, body) };
  const valid = requireValidStrategy(tx, scope.project, change, strategy.constraints);
  return updateStrategy(tx, scope, strategy, valid);
});

export const deleteStrategy = DELETE({
  ...ONE,
  id: "deleteFeatureStrategy",
  summary: "Remove a strategy from a flag in an environment",
  permission: { permission: "DELETE_FEATURE_STRATEGY", project: "projectId", environment: "environment" },
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-strategy-remove", "feature-environment-disabled"],
}).change(({ tx, params: { scope, id } }) => {
  removeStrategy(tx, scope, requireStrategy(tx.db, scope, id));
  // The original sends a content type even without a body.
  return new WithHeaders(undefined, { "content-type": "application/json; charset=utf-8" });
});

export const updateDefaultStrategy = POST({
  id: "addDefaultStrategyToProjectEnvironment",
  summary: "Set a project's default strategy in an environment",
  tag: "Projects",
  path: "/api/admin/projects/:projectId/environments/:environment/default-strategy",
  permission: {
    permission: ["UPDATE_PROJECT", "PROJECT_DEFAULT_STRATEGY_WRITE"],
    project: "projectId",
    environment: "environment",
  },
  body: SetDefaultStrategy,
  errors: ["NotFoundError", "ExceedsLimitError"],
  records: ["default-strategy-updated"],
  response: DefaultStrategy,
  example: EXAMPLE,
}).change(({ tx, params: { projectId: project, environment }, body }) => {
  requireProjectEnvironment(tx.db, project, environment);
  // Its segments are checked only when it is used (original).
  const strategy = requireValidParts(tx.db, project, body);
  setDefaultStrategy(tx, { project, environment }, strategy);
  return strategy;
});

/** @throws ApiError `ExceedsLimitError` if a flag has reached the limit of strategies in an environment */
function requireRoom(db: Database, scope: Scope) {
  if (strategiesOf(db, scope).length < LIMITS.featureEnvironmentStrategies) return;
  const most = `${LIMITS.featureEnvironmentStrategies} strategies in ${scope.environment}, the most allowed`;
  throw new ApiError("ExceedsLimitError", `The flag ${scope.feature} has ${most}`);
}

/**
 * Checks a strategy in a request. An existing one that exceeds a limit, because it was imported, may stay that large.
 * @returns it with its variants' weights adjusted to add up
 * @throws ApiError `ValidationError` and `NotFoundError` for invalid parts
 */
function requireValidStrategy<S extends CreateStrategy | UpdateStrategy>(
  tx: Tx,
  project: string,
  strategy: S,
  before: readonly Constraint[] = [],
): S {
  const { name, segments = [] } = strategy;
  if (name !== undefined && !isKnown(tx.db, "strategyType", name))
    throw invalid({ path: "body.name", message: `there is no strategy type ${name}` });
  requireSegments(tx, project, segments);
  return requireValidParts(tx.db, project, strategy, before);
}

/**
 * The same for the constraints and variants only.
 * @throws ApiError `ExceedsLimitError` for too many of something, `NotFoundError` for a missing context field,
 * `ValidationError` for a value that the operator or the field does not accept
 */
function requireValidParts<S extends UpdateStrategy>(
  db: Database,
  project: string,
  strategy: S,
  before: readonly Constraint[] = [],
): S {
  const { constraints = [], variants } = strategy;
  requireFew(constraints, before);
  requireConstraints(constraints, "body.constraints");
  requireFields(db, project, constraints, "body.constraints");
  return variants ? { ...strategy, variants: requireWeights(variants, "body.variants") } : strategy;
}

function requireFew(constraints: readonly Constraint[], before: readonly Constraint[]) {
  if (constraints.length > Math.max(LIMITS.constraints, before.length)) {
    const message = `body.constraints: must have ${LIMITS.constraints} constraints or fewer`;
    throw new ApiError("ExceedsLimitError", message);
  }
  const sameBefore = before.length === constraints.length ? before : [];
  const tooMany = constraints.findIndex(
    ({ values }, index) =>
      values.length > Math.max(LIMITS.constraintValues, sameBefore[index]?.values.length ?? 0),
  );
  if (tooMany < 0) return;
  const path = `body.constraints.${tooMany}.values`;
  throw new ApiError("ExceedsLimitError", `${path}: must have ${LIMITS.constraintValues} values or fewer`);
}
