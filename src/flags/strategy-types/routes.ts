import * as v from "valibot";
import { NoBody, operation, WithHeaders } from "../../http/operation.ts";
import * as changes from "./changes.ts";
import { requireCustomStrategyType, requireStrategyType } from "./require.ts";
import { NewStrategyType, StrategyType, StrategyTypes, UpdateStrategyType } from "./schema.ts";
import { strategyTypes } from "./store.ts";

const STRATEGY = "/api/admin/strategies/:name";
const Params = v.object({ name: v.string() });

export const listStrategyTypes = operation({
  id: "getAllStrategies",
  summary: "The strategy types",
  tag: "Strategies",
  method: "GET",
  path: "/api/admin/strategies",
  permission: null,
  response: StrategyTypes,
}).run(({ db }) => ({ version: 1 as const, strategies: strategyTypes(db) }));

export const createStrategyType = operation({
  id: "createStrategy",
  summary: "Create a strategy type",
  tag: "Strategies",
  method: "POST",
  path: "/api/admin/strategies",
  permission: "CREATE_STRATEGY",
  body: NewStrategyType,
  status: 201,
  errors: ["NameExistsError"],
  records: ["strategy-created"],
  response: StrategyType,
}).change(
  ({ tx, body }) =>
    new WithHeaders(changes.createStrategyType(tx, body), { location: `strategies/${body.name}` }),
);

export const readStrategyType = operation({
  id: "getStrategy",
  summary: "A strategy type",
  tag: "Strategies",
  method: "GET",
  path: STRATEGY,
  permission: null,
  params: Params,
  errors: ["NotFoundError"],
  response: StrategyType,
}).run(({ db, params: { name } }) => requireStrategyType(db, name));

export const updateStrategyType = operation({
  id: "updateStrategy",
  summary: "Change a strategy type that is not built in",
  tag: "Strategies",
  method: "PUT",
  path: STRATEGY,
  permission: "UPDATE_STRATEGY",
  params: Params,
  body: UpdateStrategyType,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["strategy-updated"],
  response: NoBody,
}).change(({ tx, params: { name }, body }) =>
  changes.updateStrategyType(tx, requireCustomStrategyType(tx.db, name), body),
);

export const deleteStrategyType = operation({
  id: "removeStrategy",
  summary: "Delete a strategy type that is not built in; strategies of it stay",
  tag: "Strategies",
  method: "DELETE",
  path: STRATEGY,
  permission: "DELETE_STRATEGY",
  params: Params,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["strategy-deleted"],
  response: NoBody,
}).change(({ tx, params: { name } }) =>
  changes.deleteStrategyType(tx, requireCustomStrategyType(tx.db, name)),
);

export const deprecateStrategyType = operation({
  id: "deprecateStrategy",
  summary: "Deprecate a strategy type",
  tag: "Strategies",
  method: "POST",
  path: "/api/admin/strategies/:strategyName/deprecate",
  permission: "UPDATE_STRATEGY",
  params: v.object({ strategyName: v.string() }),
  errors: ["NotFoundError"],
  records: ["strategy-deprecated"],
  response: NoBody,
}).change(({ tx, params: { strategyName } }) =>
  changes.deprecateStrategyType(tx, requireStrategyType(tx.db, strategyName)),
);

export const reactivateStrategyType = operation({
  id: "reactivateStrategy",
  summary: "Undo deprecating a strategy type",
  tag: "Strategies",
  method: "POST",
  path: "/api/admin/strategies/:strategyName/reactivate",
  permission: "UPDATE_STRATEGY",
  params: v.object({ strategyName: v.string() }),
  errors: ["NotFoundError"],
  records: ["strategy-reactivated"],
  response: NoBody,
}).change(({ tx, params: { strategyName } }) =>
  changes.reactivateStrategyType(tx, requireStrategyType(tx.db, strategyName)),
);
