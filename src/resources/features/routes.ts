import * as v from "valibot";
import { snapshot } from "../../db/snapshot.ts";
import { ApiError } from "../../http/error.ts";
import { operation } from "../../http/operation.ts";
import { FeatureFilter, ProjectFeatures, Strategy } from "./schema.ts";
import { missingPart, projectFeatures, strategies } from "./store.ts";

export const listProjectFeatures = operation({
  id: "getFeatures",
  summary: "The flags of a project",
  tag: "Features",
  method: "GET",
  path: "/api/admin/projects/:projectId/features",
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string() }),
  query: FeatureFilter,
  response: ProjectFeatures,
}).run(({ db, actor, params: { projectId }, query }) =>
  snapshot(db, () => ({
    version: 2 as const,
    features: projectFeatures(db, projectId, actor.userId, query),
  })),
);

export const listStrategies = operation({
  id: "getFeatureStrategies",
  summary: "The strategies of a flag in an environment",
  tag: "Features",
  method: "GET",
  path: "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies",
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string(), featureName: v.string(), environment: v.string() }),
  errors: ["NotFoundError"],
  response: v.array(Strategy), // the original answers with a bare list
}).run(({ db, params: { projectId, featureName, environment } }) => {
  const missing = missingPart(db, { project: projectId, feature: featureName, environment });
  if (missing !== undefined) throw new ApiError("NotFoundError", `There is no ${missing}`);
  return strategies(db, featureName, environment);
});
