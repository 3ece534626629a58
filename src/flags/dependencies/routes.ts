import * as v from "valibot";
import { NoBody, operation } from "../../http/operation.ts";
import { requireFeature, requireLiveFeature } from "../features/require.ts";
import * as changes from "./changes.ts";
import { requireDependency } from "./require.ts";
import { NewDependency } from "./schema.ts";
import { hasDependencies, possibleParents } from "./store.ts";

const PROJECT = "/api/admin/projects/:projectId";
const Child = v.object({ projectId: v.string(), child: v.string() });
const UPDATE = { permission: "UPDATE_FEATURE_DEPENDENCY", project: "projectId" } as const;

export const addDependency = operation({
  id: "addFeatureDependency",
  summary: "Make a flag depend on another one, instead of any before",
  tag: "Dependencies",
  method: "POST",
  path: `${PROJECT}/features/:child/dependencies`,
  permission: UPDATE,
  params: Child,
  body: NewDependency,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-dependency-added"],
  response: NoBody,
}).change(({ tx, params: { projectId, child }, body }) => {
  const feature = requireLiveFeature(tx.db, projectId, child);
  requireDependency(tx.db, feature, body);
  changes.setDependency(tx, feature, body);
});

export const removeDependency = operation({
  id: "deleteFeatureDependency",
  summary: "Remove a flag's dependency on another one",
  tag: "Dependencies",
  method: "DELETE",
  path: `${PROJECT}/features/:child/dependencies/:parent`,
  permission: UPDATE,
  params: v.object({ ...Child.entries, parent: v.string() }),
  errors: ["NotFoundError"],
  records: ["feature-dependency-removed"],
  response: NoBody,
}).change(({ tx, params: { projectId, child, parent } }) =>
  changes.removeDependency(tx, requireFeature(tx.db, projectId, child), parent),
);

export const removeDependencies = operation({
  id: "deleteFeatureDependencies",
  summary: "Remove all dependencies of a flag",
  tag: "Dependencies",
  method: "DELETE",
  path: `${PROJECT}/features/:child/dependencies`,
  permission: UPDATE,
  params: Child,
  errors: ["NotFoundError"],
  records: ["feature-dependencies-removed"],
  response: NoBody,
}).change(({ tx, params: { projectId, child } }) =>
  changes.removeDependencies(tx, requireFeature(tx.db, projectId, child)),
);

export const listPossibleParents = operation({
  id: "listParentOptions",
  summary: "The flags that a flag may depend on",
  tag: "Dependencies",
  method: "GET",
  path: `${PROJECT}/features/:child/parents`,
  permission: { project: "projectId" },
  params: Child,
  response: v.array(v.string()),
}).run(({ db, params: { projectId, child } }) => possibleParents(db, projectId, child));

export const readHasDependencies = operation({
  id: "checkDependenciesExist",
  summary: "Whether any flag of a project depends on another one",
  tag: "Dependencies",
  method: "GET",
  path: `${PROJECT}/dependencies`,
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string() }),
  response: v.boolean(),
}).run(({ db, params: { projectId } }) => hasDependencies(db, projectId));
