import * as v from "valibot";
import { CreateStrategy, Strategy, StrategyOrder, UpdateStrategy } from "../../evaluation/strategy.ts";
import { applyJsonPatchAs, JsonPatch } from "../../http/json-patch.ts";
import { NoBody, operation, WithHeaders } from "../../http/operation.ts";
import { createStrategy } from "./changes-default.ts";
import { removeStrategy, sortStrategies, updateStrategy } from "./changes-update.ts";
import {
  requireFeatureEnvironment,
  requirePlaceForStrategy,
  requireRoomForStrategy,
  requireStrategy,
  requireStrategyOfLive,
} from "./require.ts";
import { ENVIRONMENT, Params, StrategyParams } from "./routes-path.ts";
import { requireValidStrategy } from "./rules.ts";
import { strategies } from "./store.ts";

const STRATEGIES = `${ENVIRONMENT}/strategies` as const;
const STRATEGY = `${STRATEGIES}/:strategyId` as const;

export const listStrategies = operation({
  id: "getFeatureStrategies",
  summary: "The strategies of a flag in an environment",
  tag: "Features",
  method: "GET",
  path: STRATEGIES,
  permission: { project: "projectId" },
  params: Params,
  errors: ["NotFoundError"],
  response: v.array(Strategy), // a bare list, as in the original
}).run(({ db, params }) => {
  requireFeatureEnvironment(db, params);
  return strategies(db, params.feature, params.environment);
});

export const addStrategy = operation({
  id: "addFeatureStrategy",
  summary: "Add a strategy to a flag in an environment",
  tag: "Features",
  method: "POST",
  path: STRATEGIES,
  permission: { permission: "CREATE_FEATURE_STRATEGY", project: "projectId", environment: "environment" },
  params: Params,
  body: CreateStrategy,
  errors: ["NotFoundError", "ExceedsLimitError"],
  records: ["feature-strategy-add"],
  response: Strategy,
}).change(({ tx, params: place, body }) => {
  requirePlaceForStrategy(tx.db, place);
  const strategy = requireValidStrategy(tx, place.project, body);
  requireRoomForStrategy(tx.db, place);
  return createStrategy(tx, place, strategy);
});

export const setSortOrder = operation({
  id: "setStrategySortOrder",
  summary: "Change the order of a flag's strategies in an environment",
  tag: "Features",
  method: "POST",
  path: `${STRATEGIES}/set-sort-order`,
  permission: { permission: "UPDATE_FEATURE_STRATEGY", project: "projectId", environment: "environment" },
  params: Params,
  body: StrategyOrder,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["strategy-order-changed"],
  response: NoBody,
}).change(({ tx, params: place, body }) => {
  requireFeatureEnvironment(tx.db, place);
  for (const { id } of body) requireStrategy(tx.db, place, id);
  sortStrategies(tx, place, body);
});

export const readStrategy = operation({
  id: "getFeatureStrategy",
  summary: "A strategy of a flag in an environment",
  tag: "Features",
  method: "GET",
  path: STRATEGY,
  permission: { project: "projectId" },
  params: StrategyParams,
  errors: ["NotFoundError", "InvalidOperationError"],
  response: Strategy,
}).run(({ db, params: { place, id } }) => requireStrategy(db, place, id));

export const replaceStrategy = operation({
  id: "updateFeatureStrategy",
  summary: "Change a strategy; constraints and variants that are left out are removed",
  tag: "Features",
  method: "PUT",
  path: STRATEGY,
  permission: { permission: "UPDATE_FEATURE_STRATEGY", project: "projectId", environment: "environment" },
  params: StrategyParams,
  body: UpdateStrategy,
  errors: ["NotFoundError", "InvalidOperationError", "ExceedsLimitError"],
  records: ["feature-strategy-update", "feature-environment-disabled"],
  response: Strategy,
}).change(({ tx, params: { place, id }, body }) => {
  const strategy = requireStrategyOfLive(tx.db, place, id);
  const valid = requireValidStrategy(tx, place.project, body, strategy.constraints);
  return updateStrategy(tx, place, strategy, valid);
});

export const patchStrategy = operation({
  id: "patchFeatureStrategy",
  summary: "Change parts of a strategy with a JSON Patch",
  tag: "Features",
  method: "PATCH",
  path: STRATEGY,
  permission: { permission: "UPDATE_FEATURE_STRATEGY", project: "projectId", environment: "environment" },
  params: StrategyParams,
  body: JsonPatch,
  errors: ["NotFoundError", "InvalidOperationError", "ExceedsLimitError"],
  records: ["feature-strategy-update", "feature-environment-disabled"],
  response: Strategy,
}).change(({ tx, params: { place, id }, body }) => {
  const strategy = requireStrategyOfLive(tx.db, place, id);
  const change = { title: null, ...applyJsonPatchAs(UpdateStrategy, strategy, body) };
  const valid = requireValidStrategy(tx, place.project, change, strategy.constraints);
  return updateStrategy(tx, place, strategy, valid);
});

export const deleteStrategy = operation({
  id: "deleteFeatureStrategy",
  summary: "Remove a strategy from a flag in an environment",
  tag: "Features",
  method: "DELETE",
  path: STRATEGY,
  permission: { permission: "DELETE_FEATURE_STRATEGY", project: "projectId", environment: "environment" },
  params: StrategyParams,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-strategy-remove", "feature-environment-disabled"],
  response: NoBody,
}).change(({ tx, params: { place, id } }) => {
  removeStrategy(tx, place, requireStrategy(tx.db, place, id));
  // The original sends a content type even without a body.
  return new WithHeaders(undefined, { "content-type": "application/json; charset=utf-8" });
});
