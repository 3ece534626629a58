import * as v from "valibot";
import { hiddenProjects } from "../../access/visibility.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { archivedFeatures } from "./archive-store.ts";
import * as changes from "./changes-archive.ts";
import { requireFeature, requireFeatureNamed, requireNoChildren, requireRevivable } from "./require.ts";
import { ArchivedFeatures } from "./schema.ts";

export const archiveFeature = operation({
  id: "archiveFeature",
  summary: "Archive a flag",
  tag: "Archive",
  method: "DELETE",
  path: "/api/admin/projects/:projectId/features/:featureName",
  permission: { permission: "DELETE_FEATURE", project: "projectId" },
  params: v.object({ projectId: v.string(), featureName: v.string() }),
  status: 202,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-archived", "feature-dependencies-removed"],
  response: NoBody,
}).change(({ tx, params: { projectId, featureName } }) => {
  const feature = requireFeature(tx.db, projectId, featureName);
  requireNoChildren(tx.db, featureName);
  changes.archiveFeature(tx, feature);
});

export const listArchivedFeatures = operation({
  id: "getArchivedFeatures",
  summary: "The archived flags",
  tag: "Archive",
  method: "GET",
  path: "/api/admin/archive/features",
  permission: null,
  response: ArchivedFeatures,
}).run(({ db, actor }) => ({
  version: 2,
  features: archivedFeatures(db, { hidden: hiddenProjects(db, actor) }),
}));

export const listArchivedFeaturesOfProject = operation({
  id: "getArchivedFeaturesByProjectId",
  summary: "The archived flags of a project",
  tag: "Archive",
  method: "GET",
  path: "/api/admin/archive/features/:projectId",
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string() }),
  response: ArchivedFeatures,
}).run(({ db, params: { projectId } }) => ({
  version: 2,
  features: archivedFeatures(db, { project: projectId, hidden: [] }),
}));

const Named = v.object({ featureName: v.string() });

export const reviveFeature = operation({
  id: "reviveFeature",
  summary: "Revive an archived flag",
  tag: "Archive",
  method: "POST",
  path: "/api/admin/archive/revive/:featureName",
  permission: { permission: "UPDATE_FEATURE", feature: "featureName" },
  params: Named,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-revived"],
  response: NoBody,
}).change(({ tx, params: { featureName } }) => {
  const feature = requireFeatureNamed(tx.db, featureName);
  if (feature.archived) requireRevivable(tx.db, feature);
  changes.reviveFeature(tx, feature);
});

export const deleteFeature = operation({
  id: "deleteFeature",
  summary: "Permanently delete an archived flag",
  tag: "Archive",
  method: "DELETE",
  path: "/api/admin/archive/:featureName",
  permission: { permission: "DELETE_FEATURE", feature: "featureName" },
  params: Named,
  errors: ["NotFoundError", "ConflictError"],
  records: ["feature-deleted"],
  response: NoBody,
}).change(({ tx, params: { featureName } }) =>
  changes.deleteFeature(tx, requireFeatureNamed(tx.db, featureName)),
);
