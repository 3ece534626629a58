import * as v from "valibot";
import { NoBody, operation } from "../../http/operation.ts";
import { requireFeature } from "../features/require.ts";
import * as changes from "./changes.ts";
import { Completion, CurrentStage } from "./schema.ts";
import { stages } from "./store.ts";

const LIFECYCLE = "/api/admin/projects/:projectId/features/:featureName/lifecycle";
const Params = v.object({ projectId: v.string(), featureName: v.string() });

export const readLifecycle = operation({
  id: "getFeatureLifecycle",
  summary: "The stages that a flag has been through",
  tag: "Features",
  method: "GET",
  path: LIFECYCLE,
  permission: { project: "projectId" },
  params: Params,
  errors: ["NotFoundError"],
  response: v.array(CurrentStage),
}).run(({ db, params: { projectId, featureName } }) =>
  stages(db, requireFeature(db, projectId, featureName).name),
);

export const completeFeature = operation({
  id: "complete",
  summary: "Mark a flag as completed",
  tag: "Features",
  method: "POST",
  path: `${LIFECYCLE}/complete`,
  permission: { permission: "UPDATE_FEATURE", project: "projectId" },
  params: Params,
  body: Completion,
  errors: ["NotFoundError"],
  records: ["feature-completed"],
  response: NoBody,
}).change(({ tx, params: { projectId, featureName }, body }) =>
  changes.completeFeature(tx, requireFeature(tx.db, projectId, featureName), body),
);

export const uncompleteFeature = operation({
  id: "uncomplete",
  summary: "Undo marking a flag as completed",
  tag: "Features",
  method: "POST",
  path: `${LIFECYCLE}/uncomplete`,
  permission: { permission: "UPDATE_FEATURE", project: "projectId" },
  params: Params,
  errors: ["NotFoundError"],
  records: ["feature-uncompleted"],
  response: NoBody,
}).change(({ tx, params: { projectId, featureName } }) =>
  changes.uncompleteFeature(tx, requireFeature(tx.db, projectId, featureName)),
);
