import * as v from "valibot";
import type { Actor } from "../../access/actor.ts";
import { FeatureInEnvironment } from "../../evaluation/strategy.ts";
import type { Tx } from "../../events/write.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { FeatureNames } from "../features/schema.ts";
import type { Place } from "./changes.ts";
import { disableFeature, enableFeature } from "./changes-enabled.ts";
import { requireFeatureEnvironment, requireLiveFeatureEnvironment, requireMayEnable } from "./require.ts";
import { ENVIRONMENT, Params } from "./routes-path.ts";
import { isEnabled, strategiesAsValues } from "./store.ts";

const EnableQuery = v.object({
  shouldActivateDisabledStrategies: v.pipe(
    v.optional(v.picklist(["true", "false"]), "false"),
    v.description("Whether to enable disabled strategies instead of adding the default one"),
  ),
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

/** What the operations that enable or disable flags have in common. */
const switching = {
  tag: "Features",
  method: "POST",
  permission: { permission: "UPDATE_FEATURE_ENVIRONMENT", project: "projectId", environment: "environment" },
  errors: ["NotFoundError", "ArchivedFeatureError"],
  response: NoBody,
} as const;

export const enable = operation({
  ...switching,
  id: "toggleFeatureEnvironmentOn",
  summary: "Enable a flag in an environment",
  path: `${ENVIRONMENT}/on`,
  params: Params,
  query: EnableQuery,
  records: ["feature-strategy-update", "feature-strategy-add", "feature-environment-enabled"],
}).change(({ tx, actor, params, query }) => enableIfAllowed(tx, actor, params, query));

export const disable = operation({
  ...switching,
  id: "toggleFeatureEnvironmentOff",
  summary: "Disable a flag in an environment",
  path: `${ENVIRONMENT}/off`,
  params: Params,
  records: ["feature-environment-disabled"],
}).change(({ tx, params }) => {
  requireLiveFeatureEnvironment(tx.db, params);
  disableFeature(tx, params);
});

const BULK = "/api/admin/projects/:projectId/bulk_features/environments/:environment";
/** What the operations on several flags have in common. */
const switchingAll = {
  ...switching,
  params: v.object({ projectId: v.string(), environment: v.string() }),
  body: FeatureNames,
} as const;

export const enableAll = operation({
  ...switchingAll,
  id: "bulkToggleFeaturesEnvironmentOn",
  summary: "Enable several flags in an environment, all or none",
  path: `${BULK}/on`,
  query: EnableQuery,
  records: ["feature-strategy-update", "feature-strategy-add", "feature-environment-enabled"],
}).change(({ tx, actor, params: { projectId: project, environment }, query, body: { features } }) => {
  for (const feature of features) enableIfAllowed(tx, actor, { project, feature, environment }, query);
});

export const disableAll = operation({
  ...switchingAll,
  id: "bulkToggleFeaturesEnvironmentOff",
  summary: "Disable several flags in an environment, all or none",
  path: `${BULK}/off`,
  records: ["feature-environment-disabled"],
}).change(({ tx, params: { projectId: project, environment }, body: { features } }) => {
  for (const feature of features) {
    const place = { project, feature, environment };
    requireLiveFeatureEnvironment(tx.db, place);
    disableFeature(tx, place);
  }
});

/** Enables a flag, if it is live and the caller may also add the strategy that it might get. */
function enableIfAllowed(tx: Tx, actor: Actor, place: Place, query: v.InferOutput<typeof EnableQuery>) {
  const enablesStrategies = query.shouldActivateDisabledStrategies === "true";
  requireLiveFeatureEnvironment(tx.db, place);
  requireMayEnable(tx.db, actor, place, enablesStrategies);
  enableFeature(tx, place, { enablesStrategies });
}
