import * as v from "valibot";
import { NoBody, operation } from "../../http/operation.ts";
import { requireProject } from "../require.ts";
import { addToProject, removeFromProject } from "./changes-projects.ts";
import { requireEnvironment, requireNewEnvironment, requireSpareEnvironment } from "./require.ts";

const ENVIRONMENTS = "/api/admin/projects/:projectId/environments";

export const addEnvironmentToProject = operation({
  id: "addEnvironmentToProject",
  summary: "Add an environment to a project",
  tag: "Projects",
  method: "POST",
  path: ENVIRONMENTS,
  permission: { permission: "UPDATE_PROJECT", project: "projectId" },
  params: v.object({ projectId: v.string() }),
  body: v.object({ environment: v.string() }),
  errors: ["NotFoundError", "NameExistsError"],
  records: ["project-environment-added"],
  response: NoBody,
}).change(({ tx, params: { projectId: project }, body: { environment } }) => {
  requireProject(tx.db, project);
  requireEnvironment(tx.db, environment);
  requireNewEnvironment(tx.db, project, environment);
  addToProject(tx, { project, environment });
});

export const removeEnvironmentFromProject = operation({
  id: "removeEnvironmentFromProject",
  summary: "Remove an environment from a project; the strategies of its flags return with it",
  tag: "Projects",
  method: "DELETE",
  path: `${ENVIRONMENTS}/:environment`,
  permission: { permission: "UPDATE_PROJECT", project: "projectId" },
  params: v.object({ projectId: v.string(), environment: v.string() }),
  errors: ["MinimumOneEnvironmentError"],
  records: ["project-environment-removed"],
  response: NoBody,
}).change(({ tx, params: { projectId: project, environment } }) => {
  requireSpareEnvironment(tx.db, project);
  removeFromProject(tx, { project, environment });
});
