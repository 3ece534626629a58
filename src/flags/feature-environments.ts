import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { requirePermission } from "../access/require-permission.ts";
import { FeatureInEnvironment } from "../evaluation/strategy.ts";
import type { Tx } from "../events/write.ts";
import { GET, POST } from "../http/operation.ts";
import {
  isEnabled,
  requireFeatureEnvironment,
  requireLiveFeatureEnvironment,
  type Scope,
  setEnabled,
} from "./feature-environments-store.ts";
import { FeatureNames } from "./features-schema.ts";
import { enableFeature, getsDefaultStrategy, strategiesOf } from "./strategies-store.ts";

/** The path of a flag in an environment. */
export const SCOPE_PATH = "/api/admin/projects/:projectId/features/:featureName/environments/:environment";

const Names = v.object({ projectId: v.string(), featureName: v.string(), environment: v.string() });

const toScope = ({ projectId, featureName, environment }: v.InferOutput<typeof Names>): Scope => ({
  project: projectId,
  feature: featureName,
  environment,
});

/** Its parameters. */
export const ScopeParams = v.pipe(Names, v.transform(toScope));

/** The same, of a strategy there. */
export const StrategyParams = v.pipe(
  v.object({ ...Names.entries, strategyId: v.string() }),
  v.transform(({ strategyId: id, ...names }) => ({ scope: toScope(names), id })),
);

const EnableQuery = v.object({
  shouldActivateDisabledStrategies: v.pipe(
    v.optional(v.picklist(["true", "false"]), "false"),
    v.description("Whether to enable disabled strategies instead of adding the default one"),
  ),
});

export const readFeatureEnvironment = GET({
  id: "getFeatureEnvironment",
  summary: "A flag in an environment",
  tag: "Features",
  path: SCOPE_PATH,
  permission: { project: "projectId" },
  params: ScopeParams,
  errors: ["NotFoundError"],
  response: FeatureInEnvironment,
}).run(({ db, params: scope }) => {
  requireFeatureEnvironment(db, scope);
  return {
    name: scope.feature,
    environment: scope.environment,
    enabled: isEnabled(db, scope),
    strategies: strategiesOf(db, scope).map(({ segments: _, ...strategy }) => strategy),
  };
});

/** What the operations that enable or disable flags have in common. */
const switching = {
  tag: "Features",
  permission: { permission: "UPDATE_FEATURE_ENVIRONMENT", project: "projectId", environment: "environment" },
  errors: ["NotFoundError", "ArchivedFeatureError"],
} as const;

const switchingOn = {
  ...switching,
  query: EnableQuery,
  records: ["feature-strategy-update", "feature-strategy-add", "feature-environment-enabled"],
} as const;

const switchingOff = { ...switching, records: ["feature-environment-disabled"] } as const;

export const enable = POST({
  ...switchingOn,
  id: "toggleFeatureEnvironmentOn",
  summary: "Enable a flag in an environment",
  path: `${SCOPE_PATH}/on`,
  params: ScopeParams,
}).change(({ tx, actor, params, query }) => enableIfAllowed(tx, actor, params, query));

export const disable = POST({
  ...switchingOff,
  id: "toggleFeatureEnvironmentOff",
  summary: "Disable a flag in an environment",
  path: `${SCOPE_PATH}/off`,
  params: ScopeParams,
}).change(({ tx, params }) => disableIfLive(tx, params));

const BULK = "/api/admin/projects/:projectId/bulk_features/environments/:environment";

export const enableAll = POST({
  ...switchingOn,
  id: "bulkToggleFeaturesEnvironmentOn",
  summary: "Enable several flags in an environment, all or none",
  path: `${BULK}/on`,
  body: FeatureNames,
  example: { features: ["first-flag", "base-flag"] },
}).change(({ tx, actor, params: { projectId: project, environment }, query, body: { features } }) => {
  for (const feature of features) enableIfAllowed(tx, actor, { project, feature, environment }, query);
});

export const disableAll = POST({
  ...switchingOff,
  id: "bulkToggleFeaturesEnvironmentOff",
  summary: "Disable several flags in an environment, all or none",
  path: `${BULK}/off`,
  body: FeatureNames,
  example: { features: ["first-flag", "base-flag"] },
}).change(({ tx, params: { projectId: project, environment }, body: { features } }) => {
  for (const feature of features) disableIfLive(tx, { project, feature, environment });
});

/** Whoever enables a flag that gets a strategy by it must be allowed to add one (original). */
function enableIfAllowed(tx: Tx, actor: Actor, scope: Scope, query: v.InferOutput<typeof EnableQuery>) {
  const enablesStrategies = query.shouldActivateDisabledStrategies === "true";
  requireLiveFeatureEnvironment(tx.db, scope);
  if (getsDefaultStrategy(tx.db, scope, enablesStrategies)) {
    const { project, environment } = scope;
    requirePermission(tx.db, actor, { permissions: ["CREATE_FEATURE_STRATEGY"], project, environment });
  }
  enableFeature(tx, scope, { enablesStrategies });
}

function disableIfLive(tx: Tx, scope: Scope) {
  requireLiveFeatureEnvironment(tx.db, scope);
  setEnabled(tx, scope, false);
}
