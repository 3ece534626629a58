import * as v from "valibot";
import { requirePermission } from "../access/require-permission.ts";
import { requireVisible } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { approvedEnvironment } from "../events/needs-approval.ts";
import type { Tx } from "../events/write.ts";
import { applyJsonPatch, JsonPatch } from "../http/json-patch.ts";
import { GET, PATCH, POST, PUT } from "../http/operation.ts";
import { ApiError, invalid, requireValid } from "../lib/api-error.ts";
import { requireAllowedName, requireLiveProject, requireRoom } from "../projects/projects-store.ts";
import { copyDependencies } from "./dependencies.ts";
import { requireFeatureType } from "./feature-types.ts";
import { requireNoChildren, requireRevivable } from "./features-archive.ts";
import { createFeature, moveFeature, recordStale, replaceMetadata, setStale } from "./features-changes.ts";
import { featureDetails } from "./features-details.ts";
import {
  CloneFeature,
  Feature,
  FeatureDetails,
  FeatureFilter,
  FeatureUpdate,
  MoveTarget,
  NameToCheck,
  NewFeature,
  ProjectFeatures,
  StaleFeatures,
} from "./features-schema.ts";
import {
  findFeature,
  projectFeatures,
  requireFeature,
  requireFeaturesOf,
  requireLiveFeature,
} from "./features-store.ts";
import { copyStrategies } from "./strategies-store.ts";
import { requireTagTypeOf } from "./tag-types.ts";

const PROJECT = "/api/admin/projects/:projectId";
const ALL = {
  tag: "Features",
  path: `${PROJECT}/features`,
} as const;
const ONE = {
  tag: "Features",
  path: `${PROJECT}/features/:featureName`,
} as const;

const CREATE = { permission: "CREATE_FEATURE", project: "projectId" } as const;
const UPDATE = { permission: "UPDATE_FEATURE", project: "projectId" } as const;

export const listProjectFeatures = GET({
  ...ALL,
  id: "getFeatures",
  summary: "The flags of a project",
  permission: { project: "projectId" },
  query: FeatureFilter,
  response: ProjectFeatures,
}).run(({ db, actor, params: { projectId }, query }) => ({
  version: 2 as const,
  features: projectFeatures(db, projectId, actor.userId, query),
}));

export const createFeatureOperation = POST({
  ...ALL,
  id: "createFeature",
  summary: "Create a flag",
  permission: CREATE,
  body: NewFeature,
  status: 201,
  errors: ["NotFoundError", "NameExistsError", "InvalidOperationError", "ExceedsLimitError"],
  records: ["feature-created", "tag-created", "feature-link-added"],
  response: Feature,
  example: { name: "new-checkout", type: "release", description: "One page instead of three" },
}).change(({ tx, params: { projectId }, body }) => {
  requireLiveProject(tx.db, projectId);
  requireFeatureType(tx.db, body.type);
  for (const [index, tag] of body.tags?.entries() ?? []) requireTagTypeOf(tx.db, tag, `body.tags.${index}`);
  requireAllowedName(tx.db, projectId, body.name);
  requireRoom(tx.db, projectId);
  return createFeature(tx, projectId, body);
});

export const checkName = POST({
  id: "validateFeature",
  summary: "Check whether a flag name is valid and free",
  tag: "Features",
  path: "/api/admin/features/validate",
  permission: null,
  body: NameToCheck,
  errors: ["NameExistsError"],
  example: { name: "new-checkout", projectId: "shop" },
}).run(({ db, actor, body: { name, projectId } }) => {
  if (typeof projectId === "string") requireVisible(db, actor, projectId);
  if (findFeature(db, name)) throw new ApiError("NameExistsError", `There is already a flag ${name}`);
  if (typeof projectId === "string") requireAllowedName(db, projectId, name);
});

export const readFeature = GET({
  ...ONE,
  id: "getFeature",
  summary: "A flag with its environments and strategies",
  permission: { project: "projectId" },
  query: v.object({ variantEnvironments: v.optional(v.picklist(["true", "false"]), "false") }),
  errors: ["NotFoundError"],
  volatile: ["favorite", "lastSeenAt", "yes", "no", "lifecycle", "collaborators"],
  includesUsage: true,
  response: FeatureDetails,
}).run(({ db, actor, params: { projectId, featureName }, query }) => {
  const feature = requireLiveFeature(db, projectId, featureName);
  return featureDetails(db, feature, {
    userId: actor.userId,
    withVariants: query.variantEnvironments === "true",
  });
});

export const updateFeature = PUT({
  ...ONE,
  id: "updateFeature",
  summary: "Replace a flag's metadata",
  permission: UPDATE,
  body: FeatureUpdate,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-metadata-updated"],
  response: Feature,
  example: { type: "experiment", description: "Two pages instead of three" },
}).change(({ tx, params: { projectId, featureName }, body }) => {
  const before = requireFeature(tx.db, projectId, featureName);
  requireUpdate(tx, before, body);
  // A missing description is kept, null becomes an empty one (original).
  const description = body.description === null ? "" : body.description;
  return replaceMetadata(tx, before, { ...body, description });
});

export const patchFeature = PATCH({
  ...ONE,
  id: "patchFeature",
  summary: "Change a flag's metadata with a JSON Patch",
  permission: UPDATE,
  body: JsonPatch,
  errors: ["NotFoundError", "InvalidOperationError", "OperationDeniedError"],
  records: ["feature-metadata-updated", "feature-stale-on", "feature-stale-off"],
  response: Feature,
  example: [{ op: "replace", path: "/stale", value: true }],
}).change(({ tx, params: { projectId, featureName }, body }) => {
  const before = requireFeature(tx.db, projectId, featureName);
  if (body.some(({ path }) => path.startsWith("/variants")))
    throw new ApiError("OperationDeniedError", `Variants are changed at …/features/${featureName}/variants`);
  const change = requireValid(FeatureUpdate, applyJsonPatch(before, body), "body");
  requireUpdate(tx, before, change);
  const after = replaceMetadata(tx, before, change);
  if (after.stale !== before.stale) recordStale(tx, after); // unlike a replacement (original)
  return after;
});

/**
 * Checks an update of a flag, which may also archive or revive it.
 * @throws ApiError `NoAccessError` if the caller may not archive, `ValidationError` for a different name or an unknown
 * type; otherwise as archiving and reviving do
 */
function requireUpdate({ db, actor }: Tx, before: Feature, { name, type, archived }: FeatureUpdate) {
  // Only the body shows whether an update archives.
  if (archived && !before.archived)
    requirePermission(db, actor, { permissions: ["DELETE_FEATURE"], project: before.project });
  if (name !== undefined && name !== before.name)
    throw invalid({ path: "body.name", message: "can't be changed: clone the flag instead" });
  if (type !== before.type) requireFeatureType(db, type); // one that was imported may be unknown here
  if (archived) requireNoChildren(db, before.name);
  else requireRevivable(db, before);
}

export const cloneFeature = POST({
  ...ONE,
  id: "cloneFeature",
  summary: "Clone a flag",
  path: `${ONE.path}/clone`,
  permission: CREATE,
  body: CloneFeature,
  status: 201,
  errors: ["NotFoundError", "NameExistsError", "InvalidOperationError"],
  records: ["feature-created", "feature-link-added", "feature-strategy-add", "feature-dependency-added"],
  response: Feature,
  example: { name: "first-flag-again" },
}).change(({ tx, params: { projectId: project, featureName: from }, body }) => {
  const { name, replaceGroupId: replacesGroupId } = body;
  requireLiveProject(tx.db, project);
  requireUnapproved(tx.db, project, "Flags can't be cloned");
  const { type, description, impressionData, stale } = requireLiveFeature(tx.db, project, from);
  requireAllowedName(tx.db, project, name);
  requireRoom(tx.db, project);
  const clone = createFeature(tx, project, { name, type, description, impressionData, stale });
  copyStrategies(tx, { project, from, to: name, replacesGroupId });
  copyDependencies(tx, from, clone);
  return clone;
});

export const moveFeatureOperation = POST({
  ...ONE,
  id: "changeProject",
  summary: "Move a flag to another project",
  path: `${ONE.path}/changeProject`,
  permission: { permission: "MOVE_FEATURE_TOGGLE", project: "projectId" },
  body: MoveTarget,
  errors: ["NotFoundError", "InvalidOperationError", "IncompatibleProjectError"],
  records: ["feature-project-change"],
  example: { newProjectId: "lab" },
}).change(({ tx, actor, params: { projectId, featureName }, body: { newProjectId } }) => {
  // The new project is in the body, where the contract can't see it.
  requirePermission(tx.db, actor, { permissions: ["MOVE_FEATURE_TOGGLE"], project: newProjectId });
  requireLiveProject(tx.db, newProjectId);
  requireUnapproved(tx.db, newProjectId, "Flags can't be moved");
  moveFeature(tx, requireLiveFeature(tx.db, projectId, featureName), newProjectId);
});

/** A flag that comes with strategies would bypass the approval, for anyone (original). @throws ApiError `NoAccessError` */
function requireUnapproved(db: Database, project: string, refusal: string) {
  const environment = approvedEnvironment(db, project);
  if (environment === undefined) return;
  throw new ApiError(
    "NoAccessError",
    `${refusal} into the project ${project}, where changes of ${environment} must be approved`,
  );
}

export const staleFeatures = POST({
  ...ALL,
  id: "staleFeatures",
  summary: "Mark several flags as stale or not stale",
  path: `${PROJECT}/stale`,
  permission: UPDATE,
  body: StaleFeatures,
  status: 202,
  errors: ["InvalidOperationError"],
  records: ["feature-stale-on", "feature-stale-off"],
  example: { features: ["first-flag", "base-flag"], stale: true },
}).change(({ tx, params: { projectId }, body }) => {
  for (const feature of requireFeaturesOf(tx.db, projectId, body.features)) setStale(tx, feature, body.stale);
});
