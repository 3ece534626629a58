import * as v from "valibot";
import { requirePermission } from "../../access/require-permission.ts";
import { requireVisible } from "../../access/visibility.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { requireAllowedName, requireLiveProject, requireRoom } from "../../projects/projects-store.ts";
import { cloneFeature as clone } from "./changes-clone.ts";
import { moveFeature as move } from "./changes-move.ts";
import { requireFreeName, requireLiveFeature } from "./require.ts";
import { CloneFeature, Feature, MoveTarget, NameToCheck } from "./schema.ts";

const FEATURE = "/api/admin/projects/:projectId/features/:featureName";
const Params = v.object({ projectId: v.string(), featureName: v.string() });

export const cloneFeature = operation({
  id: "cloneFeature",
  summary: "Clone a flag",
  tag: "Features",
  method: "POST",
  path: `${FEATURE}/clone`,
  permission: { permission: "CREATE_FEATURE", project: "projectId" },
  params: Params,
  body: CloneFeature,
  status: 201,
  errors: ["NotFoundError", "NameExistsError", "InvalidOperationError"],
  records: ["feature-created", "feature-strategy-add", "feature-dependency-added"],
  response: Feature,
}).change(({ tx, params: { projectId, featureName }, body: { name, replaceGroupId } }) => {
  requireLiveProject(tx.db, projectId);
  const source = requireLiveFeature(tx.db, projectId, featureName);
  requireAllowedName(tx.db, projectId, name);
  requireRoom(tx.db, projectId);
  return clone(tx, source, name, { replacesGroupId: replaceGroupId });
});

export const moveFeature = operation({
  id: "changeProject",
  summary: "Move a flag to another project",
  tag: "Features",
  method: "POST",
  path: `${FEATURE}/changeProject`,
  permission: { permission: "MOVE_FEATURE_TOGGLE", project: "projectId" },
  params: Params,
  body: MoveTarget,
  errors: ["NotFoundError", "InvalidOperationError", "IncompatibleProjectError"],
  records: ["feature-project-change"],
  response: NoBody,
}).change(({ tx, actor, params: { projectId, featureName }, body: { newProjectId } }) => {
  // The new project is in the body, where the contract can't see it.
  requirePermission(tx.db, actor, { permissions: ["MOVE_FEATURE_TOGGLE"], project: newProjectId });
  requireLiveProject(tx.db, newProjectId);
  move(tx, requireLiveFeature(tx.db, projectId, featureName), newProjectId);
});

export const checkName = operation({
  id: "validateFeature",
  summary: "Check whether a flag name is valid and free",
  tag: "Features",
  method: "POST",
  path: "/api/admin/features/validate",
  permission: null,
  body: NameToCheck,
  errors: ["NameExistsError"],
  response: NoBody,
}).run(({ db, actor, body: { name, projectId } }) => {
  if (typeof projectId === "string") requireVisible(db, actor, projectId);
  requireFreeName(db, name);
  if (typeof projectId !== "string") return;
  requireAllowedName(db, projectId, name);
});
