import * as v from "valibot";
import { NoBody, operation } from "../../http/operation.ts";
import { disableFeature, enableFeature } from "./changes-enabled.ts";
import { requireFeatureEnvironment } from "./require.ts";
import { FeatureInEnvironment, Strategy } from "./schema.ts";
import { isEnabled, strategies, strategiesAsValues } from "./store.ts";

/** A flag in an environment, as paths name it. */
const Params = v.pipe(
  v.object({ projectId: v.string(), featureName: v.string(), environment: v.string() }),
  v.transform(({ projectId: project, featureName: feature, environment }) => ({
    project,
    feature,
    environment,
  })),
);

const ENVIRONMENT = "/api/admin/projects/:projectId/features/:featureName/environments/:environment";

export const listStrategies = operation({
  id: "getFeatureStrategies",
  summary: "The strategies of a flag in an environment",
  tag: "Features",
  method: "GET",
  path: `${ENVIRONMENT}/strategies`,
  permission: { project: "projectId" },
  params: Params,
  errors: ["NotFoundError"],
  response: v.array(Strategy), // the original answers with a bare list
}).run(({ db, params }) => {
  requireFeatureEnvironment(db, params);
  return strategies(db, params.feature, params.environment);
});

export const readFeatureEnvironment = operation({
  id: "getFeatureEnvironment",
  summary: "A flag in an environment",
  tag: "Features",
  method: "GET",
  path: ENVIRONMENT,
  permission: { project: "projectId" },
  params: Params,
  errors: ["NotFoundError"],
  response: FeatureInEnvironment,
}).run(({ db, params }) => {
  requireFeatureEnvironment(db, params);
  const { feature: name, environment } = params;
  return {
    name,
    environment,
    enabled: isEnabled(db, name, environment),
    strategies: strategiesAsValues(db, name, environment).map(({ segments: _, ...strategy }) => strategy),
  };
});

export const enable = operation({
  id: "toggleFeatureEnvironmentOn",
  summary: "Enable a flag in an environment",
  tag: "Features",
  method: "POST",
  path: `${ENVIRONMENT}/on`,
  permission: { permission: "UPDATE_FEATURE_ENVIRONMENT", project: "projectId", environment: "environment" },
  params: Params,
  query: v.object({ shouldActivateDisabledStrategies: v.optional(v.picklist(["true", "false"]), "false") }),
  errors: ["NotFoundError"],
  response: NoBody,
}).change(({ tx, params, query }) => {
  requireFeatureEnvironment(tx.db, params);
  enableFeature(tx, params, { enablesStrategies: query.shouldActivateDisabledStrategies === "true" });
});

export const disable = operation({
  id: "toggleFeatureEnvironmentOff",
  summary: "Disable a flag in an environment",
  tag: "Features",
  method: "POST",
  path: `${ENVIRONMENT}/off`,
  permission: { permission: "UPDATE_FEATURE_ENVIRONMENT", project: "projectId", environment: "environment" },
  params: Params,
  errors: ["NotFoundError"],
  response: NoBody,
}).change(({ tx, params }) => {
  requireFeatureEnvironment(tx.db, params);
  disableFeature(tx, params);
});
