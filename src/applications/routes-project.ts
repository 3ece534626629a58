import * as v from "valibot";
import { snapshot } from "../db/snapshot.ts";
import { operation } from "../http/operation.ts";
import { outdatedSdksOf } from "./instances-store.ts";
import { applicationsOfProject } from "./project-store.ts";
import { OutdatedSdks, ProjectApplicationSearch, ProjectApplications } from "./schema.ts";

const Params = v.object({ projectId: v.string() });

export const listProjectApplications = operation({
  id: "getProjectApplications",
  summary: "The applications that have requested flags of a project, one page at a time",
  tag: "Projects",
  method: "GET",
  path: "/api/admin/projects/:projectId/applications",
  permission: { project: "projectId" },
  params: Params,
  query: ProjectApplicationSearch,
  isUncached: true,
  response: ProjectApplications,
}).run(({ db, params: { projectId }, query }) =>
  snapshot(db, () => applicationsOfProject(db, projectId, query)),
);

export const listProjectOutdatedSdks = operation({
  id: "getOutdatedProjectSdks",
  summary: "Outdated SDKs of the applications that have requested flags of a project",
  tag: "Projects",
  method: "GET",
  path: "/api/admin/projects/:projectId/sdks/outdated",
  permission: { project: "projectId" },
  params: Params,
  isUncached: true,
  response: OutdatedSdks,
}).run(({ db, params: { projectId } }) => ({ sdks: outdatedSdksOf(db, projectId) }));
