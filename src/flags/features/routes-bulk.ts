import * as v from "valibot";
import { NoBody, operation } from "../../http/operation.ts";
import { requireLiveProject, requireRoom } from "../../projects/projects-store.ts";
import { archiveFeature, deleteFeature, reviveFeature } from "./changes-archive.ts";
import { setStale } from "./changes-metadata.ts";
import { isDependent, liveChildren } from "./feature-store.ts";
import { findFeature, requireFeaturesOf, requireNoChildren } from "./require.ts";
import { ArchiveCheck, FeatureNames, StaleFeatures } from "./schema.ts";

const PROJECT = "/api/admin/projects/:projectId";

/** Several flags of one project; unknown names are ignored (original). */
const several = {
  tag: "Archive",
  method: "POST",
  params: v.object({ projectId: v.string() }),
  body: FeatureNames,
  errors: ["InvalidOperationError"],
  response: NoBody,
} as const;

export const archiveFeatures = operation({
  ...several,
  id: "archiveFeatures",
  summary: "Archive several flags",
  path: `${PROJECT}/archive`,
  permission: { permission: "DELETE_FEATURE", project: "projectId" },
  status: 202,
  records: ["feature-archived", "feature-dependencies-removed"],
}).change(({ tx, params: { projectId }, body }) => {
  const features = requireFeaturesOf(tx.db, projectId, body.features);
  const together = new Set(body.features);
  for (const { name } of features) requireNoChildren(tx.db, name, together);
  for (const feature of features) archiveFeature(tx, feature);
});

export const reviveFeatures = operation({
  ...several,
  id: "reviveFeatures",
  summary: "Revive several archived flags",
  path: `${PROJECT}/revive`,
  permission: { permission: "UPDATE_FEATURE", project: "projectId" },
  errors: [...several.errors, "NotFoundError"],
  records: ["feature-revived"],
}).change(({ tx, params: { projectId }, body }) => {
  requireLiveProject(tx.db, projectId);
  for (const feature of requireFeaturesOf(tx.db, projectId, body.features)) {
    if (!feature.archived) continue;
    requireRoom(tx.db, projectId);
    reviveFeature(tx, feature);
  }
});

export const deleteFeatures = operation({
  ...several,
  id: "deleteFeatures",
  summary: "Permanently delete several flags; those not archived stay",
  path: `${PROJECT}/delete`,
  permission: { permission: "DELETE_FEATURE", project: "projectId" },
  records: ["feature-deleted"],
}).change(({ tx, params: { projectId }, body }) => {
  const features = requireFeaturesOf(tx.db, projectId, body.features);
  for (const feature of features) if (feature.archived) deleteFeature(tx, feature);
});

export const staleFeatures = operation({
  ...several,
  id: "staleFeatures",
  summary: "Mark several flags as stale or not stale",
  tag: "Features",
  path: `${PROJECT}/stale`,
  permission: { permission: "UPDATE_FEATURE", project: "projectId" },
  body: StaleFeatures,
  status: 202,
  records: ["feature-stale-on", "feature-stale-off"],
}).change(({ tx, params: { projectId }, body }) => {
  for (const feature of requireFeaturesOf(tx.db, projectId, body.features)) setStale(tx, feature, body.stale);
});

export const checkArchive = operation({
  ...several,
  id: "validateArchiveFeatures",
  summary: "Check whether several flags can be archived",
  path: `${PROJECT}/archive/validate`,
  permission: { permission: "DELETE_FEATURE", project: "projectId" },
  response: ArchiveCheck,
}).run(({ db, params: { projectId }, body }) => {
  const names = body.features.filter((name) => findFeature(db, name)?.project === projectId);
  const together = new Set(names);
  return {
    parentsWithChildFeatures: names.filter((name) =>
      liveChildren(db, name).some((child) => !together.has(child)),
    ),
    hasDeletedDependencies: names.some((name) => isDependent(db, name)),
  };
});
