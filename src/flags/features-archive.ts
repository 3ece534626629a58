import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { command, query, type Stored, valueQuery } from "../db/statement.ts";
import { tagsOf } from "../events/record.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import {
  deleteEmptyProject,
  requireEmpty,
  requireLiveProject,
  requireRoom,
} from "../projects/projects-store.ts";
import { deleteContextFieldsOf } from "./context-fields.ts";
import { isDependent, removeDependencies } from "./dependencies.ts";
import {
  ArchiveCheck,
  type ArchivedFeature,
  ArchivedFeatures,
  type Feature,
  FeatureNames,
} from "./features-schema.ts";
import {
  findFeature,
  liveChildren,
  requireFeature,
  requireFeatureNamed,
  requireFeaturesOf,
  toFeature,
} from "./features-store.ts";
import { enterStage } from "./lifecycle.ts";
import { deleteSegmentsOf } from "./segments.ts";
import { removeUse } from "./usage.ts";

const PROJECT = "/api/admin/projects/:projectId";
const ARCHIVE = "/api/admin/archive";

const UPDATE = { permission: "UPDATE_FEATURE", project: "projectId" } as const;
const MAY_DELETE = { permission: "DELETE_FEATURE", project: "projectId" } as const;

export const archiveFeatureOperation = DELETE({
  id: "archiveFeature",
  summary: "Archive a flag",
  tag: "Archive",
  path: `${PROJECT}/features/:featureName`,
  permission: MAY_DELETE,
  status: 202,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-archived", "feature-dependencies-removed"],
}).change(({ tx, params: { projectId, featureName } }) => {
  const feature = requireFeature(tx.db, projectId, featureName);
  requireNoChildren(tx.db, featureName);
  archiveFeature(tx, feature);
});

export const listArchivedFeatures = GET({
  id: "getArchivedFeatures",
  summary: "The archived flags",
  tag: "Archive",
  path: `${ARCHIVE}/features`,
  permission: null,
  response: ArchivedFeatures,
}).run(({ db, actor }) => ({
  version: 2,
  features: archivedFeatures(db, { hidden: hiddenProjects(db, actor) }),
}));

export const listArchivedFeaturesOfProject = GET({
  id: "getArchivedFeaturesByProjectId",
  summary: "The archived flags of a project",
  tag: "Archive",
  path: `${ARCHIVE}/features/:projectId`,
  permission: { project: "projectId" },
  response: ArchivedFeatures,
}).run(({ db, params: { projectId } }) => ({
  version: 2,
  features: archivedFeatures(db, { project: projectId }),
}));

export const reviveFeatureOperation = POST({
  id: "reviveFeature",
  summary: "Revive an archived flag",
  tag: "Archive",
  path: `${ARCHIVE}/revive/:featureName`,
  permission: { permission: "UPDATE_FEATURE", feature: "featureName" },
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-revived"],
  exampleParams: { featureName: "old-flag" },
}).change(({ tx, params: { featureName } }) => {
  const feature = requireFeatureNamed(tx.db, featureName);
  requireRevivable(tx.db, feature);
  reviveFeature(tx, feature);
});

export const deleteFeatureOperation = DELETE({
  id: "deleteFeature",
  summary: "Permanently delete an archived flag",
  tag: "Archive",
  path: `${ARCHIVE}/:featureName`,
  permission: { permission: "DELETE_FEATURE", feature: "featureName" },
  errors: ["NotFoundError", "ConflictError"],
  records: ["feature-deleted"],
  exampleParams: { featureName: "old-flag" },
}).change(({ tx, params: { featureName } }) => deleteFeature(tx, requireFeatureNamed(tx.db, featureName)));

/** Several flags of one project; unknown names are ignored (original). */
const SEVERAL = { tag: "Archive", body: FeatureNames, errors: ["InvalidOperationError"] } as const;

export const archiveFeatures = POST({
  ...SEVERAL,
  id: "archiveFeatures",
  summary: "Archive several flags",
  path: `${PROJECT}/archive`,
  permission: MAY_DELETE,
  status: 202,
  records: ["feature-archived", "feature-dependencies-removed"],
  example: { features: ["first-flag", "base-flag"] },
}).change(({ tx, params: { projectId }, body }) => {
  const features = requireFeaturesOf(tx.db, projectId, body.features);
  const together = new Set(body.features);
  for (const { name } of features) requireNoChildren(tx.db, name, together);
  for (const feature of features) archiveFeature(tx, feature);
});

export const reviveFeatures = POST({
  ...SEVERAL,
  id: "reviveFeatures",
  summary: "Revive several archived flags",
  path: `${PROJECT}/revive`,
  permission: UPDATE,
  errors: [...SEVERAL.errors, "NotFoundError"],
  records: ["feature-revived"],
  example: { features: ["old-flag"] },
}).change(({ tx, params: { projectId }, body }) => {
  requireLiveProject(tx.db, projectId);
  for (const feature of requireFeaturesOf(tx.db, projectId, body.features)) {
    if (!feature.archived) continue;
    requireRoom(tx.db, projectId);
    reviveFeature(tx, feature);
  }
});

export const deleteFeatures = POST({
  ...SEVERAL,
  id: "deleteFeatures",
  summary: "Permanently delete several flags; those not archived stay",
  path: `${PROJECT}/delete`,
  permission: MAY_DELETE,
  records: ["feature-deleted"],
  example: { features: ["old-flag"] },
}).change(({ tx, params: { projectId }, body }) => {
  const features = requireFeaturesOf(tx.db, projectId, body.features);
  for (const feature of features) if (feature.archived) deleteFeature(tx, feature);
});

export const checkArchive = POST({
  ...SEVERAL,
  id: "validateArchiveFeatures",
  summary: "Check whether several flags can be archived",
  path: `${PROJECT}/archive/validate`,
  permission: MAY_DELETE,
  response: ArchiveCheck,
  example: { features: ["first-flag", "base-flag"] },
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

/** Its archived flags and its segments are deleted first, each with an event. */
export const deleteProject = DELETE({
  tag: "Projects",
  id: "deleteProject",
  summary: "Permanently delete a project without live flags",
  path: "/api/admin/projects/:projectId",
  permission: { permission: "DELETE_PROJECT", project: "projectId" },
  errors: ["NotFoundError", "InvalidOperationError"],
  records: [
    "feature-deleted",
    "segment-deleted",
    "context-field-deleted",
    "api-token-deleted",
    "api-token-updated",
    "project-deleted",
  ],
  exampleParams: { projectId: "empty" },
}).change(({ tx, params: { projectId } }) => {
  requireEmpty(tx.db, projectId);
  deleteArchivedFeatures(tx, projectId);
  deleteSegmentsOf(tx, projectId);
  deleteContextFieldsOf(tx, projectId);
  deleteEmptyProject(tx, projectId);
});

type ArchivedRow = Stored<Omit<ArchivedFeature, "environments">>;

const archived = query<{ project: string | null; hidden: string }, ArchivedRow>(`
  SELECT name, description, type, project, stale, created_at AS createdAt, impression_data AS impressionData,
    seen_at AS lastSeenAt, archived_at AS archivedAt
  FROM features
  WHERE archived_at IS NOT NULL AND (:project IS NULL OR project = :project)
    AND project NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY archived_at DESC, name`);

/** The archived flags, of one project or of all, last archived first. */
const archivedFeatures = (
  db: Database,
  { project = null, hidden = [] }: { project?: string | null; hidden?: readonly string[] },
): ArchivedFeature[] =>
  archived(db)
    .all({ project, hidden: JSON.stringify(hidden) })
    .map((row) => ({ ...toFeature(row), environments: [] }));

/**
 * @param together flags that are archived along with it
 * @throws ApiError `InvalidOperationError` if any other live flag depends on it
 */
export function requireNoChildren(db: Database, name: string, together: ReadonlySet<string> = new Set()) {
  const children = liveChildren(db, name).filter((child) => !together.has(child));
  if (children.length === 0) return;
  const some = children.slice(0, 3).join(", ");
  throw new ApiError("InvalidOperationError", `The flag ${name} can't be archived: ${some} depends on it`);
}

/** @throws ApiError `NotFoundError` if an archived flag's project is archived, `InvalidOperationError` if it is full */
export function requireRevivable(db: Database, { project, archived }: Feature) {
  if (!archived) return;
  requireLiveProject(db, project);
  requireRoom(db, project);
}

const setArchived = command<{ name: string; archivedAt: string | null }>(`
  UPDATE features SET archived_at = :archivedAt WHERE name = :name`);

const disableEverywhere = command<{ name: string }>(`
  UPDATE feature_environments SET enabled = 0 WHERE feature = :name AND enabled`);

const archivedOf = valueQuery<{ project: string }, string>(`
  SELECT name FROM features WHERE project = :project AND archived_at IS NOT NULL ORDER BY name`);

const removeRow = command<{ name: string }>(`DELETE FROM features WHERE name = :name`);

/** Archives a flag that no live flag depends on, even if it already is archived (original). */
function archiveFeature(tx: Tx, feature: Feature) {
  const { project, name } = feature;
  removeDependencies(tx, feature);
  setArchived(tx).run({ name, archivedAt: tx.now });
  enterStage(tx, name, "archived");
  tx.record({ type: "feature-archived", project, featureName: name });
}

/** Revives an archived flag; it is off everywhere (original). */
function reviveFeature(tx: Tx, { project, name }: Feature) {
  setArchived(tx).run({ name, archivedAt: null });
  disableEverywhere(tx).run({ name });
  enterStage(tx, name, "initial");
  tx.record({ type: "feature-revived", project, featureName: name });
}

/**
 * Permanently deletes an archived flag and its use; its events stay, and the last one has its tags (original).
 * @throws ApiError `ConflictError` if it is not archived
 */
function deleteFeature(tx: Tx, feature: Feature) {
  const { project, name } = feature;
  if (!feature.archived)
    throw new ApiError("ConflictError", `The flag ${name} is not archived: archive it first`);
  const tags = tagsOf(tx.db, name);
  removeRow(tx).run({ name });
  removeUse(tx, name);
  tx.record({ type: "feature-deleted", project, featureName: name, preData: feature, tags });
}

/** Deletes all archived flags of a project. */
function deleteArchivedFeatures(tx: Tx, project: string) {
  for (const name of archivedOf(tx.db).all({ project })) deleteFeature(tx, findFeature(tx.db, name)!);
}
