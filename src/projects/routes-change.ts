import * as v from "valibot";
import { NoBody, operation } from "../http/operation.ts";
import * as changes from "./changes-settings.ts";
import { requireEmpty, requireProject, requireUsablePattern } from "./require.ts";
import { ProjectSettings, ProjectUpdate } from "./schema.ts";

const PROJECT = "/api/admin/projects/:projectId";

const ofProject = {
  tag: "Projects",
  params: v.object({ projectId: v.string() }),
  errors: ["NotFoundError"],
  response: NoBody,
} as const;

export const updateProject = operation({
  ...ofProject,
  id: "updateProject",
  summary: "Change a project's name, description and mode",
  method: "PUT",
  path: PROJECT,
  permission: { permission: "UPDATE_PROJECT", project: "projectId" },
  body: ProjectUpdate,
  records: ["project-updated"],
}).change(({ tx, params: { projectId }, body }) => {
  requireProject(tx.db, projectId);
  changes.updateProject(tx, projectId, body);
});

export const changeSettings = operation({
  ...ofProject,
  id: "updateProjectEnterpriseSettings",
  summary: "Change a project's settings",
  method: "PUT",
  path: `${PROJECT}/settings`,
  permission: { permission: ["UPDATE_PROJECT", "PROJECT_SETTINGS_WRITE"], project: "projectId" },
  body: ProjectSettings,
  records: ["project-updated"],
}).change(({ tx, params: { projectId }, body }) => {
  requireProject(tx.db, projectId);
  if (body.featureNaming) requireUsablePattern(body.featureNaming);
  changes.changeSettings(tx, projectId, body);
});

export const archiveProject = operation({
  ...ofProject,
  id: "archiveProject",
  summary: "Archive a project without live flags",
  method: "POST",
  path: "/api/admin/projects/archive/:projectId",
  permission: { permission: "DELETE_PROJECT", project: "projectId" },
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["project-archived"],
}).change(({ tx, params: { projectId } }) => {
  requireEmpty(tx.db, projectId);
  changes.archiveProject(tx, projectId);
});

export const reviveProject = operation({
  ...ofProject,
  id: "reviveProject",
  summary: "Revive an archived project",
  method: "POST",
  path: "/api/admin/projects/revive/:projectId",
  permission: { permission: "DELETE_PROJECT", project: "projectId" },
  records: ["project-revived"],
}).change(({ tx, params: { projectId } }) => {
  requireProject(tx.db, projectId);
  changes.reviveProject(tx, projectId);
});
