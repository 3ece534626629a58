import * as v from "valibot";
import { requirePermission } from "../../access/require-permission.ts";
import { snapshot } from "../../db/database.ts";
import type { Tx } from "../../events/write.ts";
import { applyJsonPatch, JsonPatch } from "../../http/json-patch.ts";
import { operation } from "../../http/operation.ts";
import { ApiError, requireValid } from "../../lib/api-error.ts";
import { requireAllowedName, requireLiveProject, requireRoom } from "../../projects/projects-store.ts";
import { requireFeatureType } from "../feature-types.ts";
import { requireTagTypeOf } from "../tag-types.ts";
import * as changes from "./changes.ts";
import { patchFeature as patchMetadata, updateFeature as updateMetadata } from "./changes-metadata.ts";
import { featureDetails } from "./feature-store.ts";
import { requireFeature, requireLiveFeature, requireUpdate } from "./require.ts";
import {
  Feature,
  FeatureDetails,
  FeatureFilter,
  FeatureUpdate,
  NewFeature,
  ProjectFeatures,
} from "./schema.ts";
import { projectFeatures } from "./store.ts";

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

const FEATURE = "/api/admin/projects/:projectId/features/:featureName";
const FeatureParams = v.object({ projectId: v.string(), featureName: v.string() });

export const createFeature = operation({
  id: "createFeature",
  summary: "Create a flag",
  tag: "Features",
  method: "POST",
  path: "/api/admin/projects/:projectId/features",
  permission: { permission: "CREATE_FEATURE", project: "projectId" },
  params: v.object({ projectId: v.string() }),
  body: NewFeature,
  status: 201,
  errors: ["NotFoundError", "NameExistsError", "InvalidOperationError"],
  records: ["feature-created", "tag-created"],
  response: Feature,
}).change(({ tx, params: { projectId }, body }) => {
  requireLiveProject(tx.db, projectId);
  requireFeatureType(tx.db, body.type);
  for (const [index, tag] of body.tags?.entries() ?? []) requireTagTypeOf(tx.db, tag, `body.tags.${index}`);
  requireAllowedName(tx.db, projectId, body.name);
  requireRoom(tx.db, projectId);
  return changes.createFeature(tx, projectId, body);
});

export const readFeature = operation({
  id: "getFeature",
  summary: "A flag with its environments and strategies",
  tag: "Features",
  method: "GET",
  path: FEATURE,
  permission: { project: "projectId" },
  params: FeatureParams,
  query: v.object({ variantEnvironments: v.optional(v.picklist(["true", "false"]), "false") }),
  errors: ["NotFoundError"],
  volatile: ["favorite", "lastSeenAt", "yes", "no", "lifecycle", "collaborators"],
  includesUsage: true,
  response: FeatureDetails,
}).run(({ db, actor, params: { projectId, featureName }, query }) =>
  snapshot(db, () => {
    const feature = requireLiveFeature(db, projectId, featureName);
    return featureDetails(db, feature, {
      userId: actor.userId,
      withVariants: query.variantEnvironments === "true",
    });
  }),
);

export const updateFeature = operation({
  id: "updateFeature",
  summary: "Replace a flag's metadata",
  tag: "Features",
  method: "PUT",
  path: FEATURE,
  permission: { permission: "UPDATE_FEATURE", project: "projectId" },
  params: FeatureParams,
  body: FeatureUpdate,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-metadata-updated"],
  response: Feature,
}).change(({ tx, params: { projectId, featureName }, body }) => {
  const feature = requireFeature(tx.db, projectId, featureName);
  requireArchivePermission(tx, feature, body);
  requireUpdate(tx.db, feature, body);
  return updateMetadata(tx, feature, body);
});

export const patchFeature = operation({
  id: "patchFeature",
  summary: "Change a flag's metadata with a JSON Patch",
  tag: "Features",
  method: "PATCH",
  path: FEATURE,
  permission: { permission: "UPDATE_FEATURE", project: "projectId" },
  params: FeatureParams,
  body: JsonPatch,
  errors: ["NotFoundError", "InvalidOperationError", "OperationDeniedError"],
  records: ["feature-metadata-updated", "feature-stale-on", "feature-stale-off"],
  response: Feature,
}).change(({ tx, params: { projectId, featureName }, body }) => {
  const feature = requireFeature(tx.db, projectId, featureName);
  if (body.some(({ path }) => path.startsWith("/variants")))
    throw new ApiError("OperationDeniedError", `Variants are changed at …/features/${featureName}/variants`);
  const change = requireValid(FeatureUpdate, applyJsonPatch(feature, body), "body");
  requireArchivePermission(tx, feature, change);
  requireUpdate(tx.db, feature, change);
  return patchMetadata(tx, feature, change);
});

/** Only the body shows whether an update archives, which needs the permission for archiving. */
function requireArchivePermission(
  { db, actor }: Tx,
  { project, ...before }: Feature,
  { archived }: FeatureUpdate,
) {
  if (archived && !before.archived)
    requirePermission(db, actor, { permissions: ["DELETE_FEATURE"], project });
}
