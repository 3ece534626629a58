import * as v from "valibot";
import type { SdkActor } from "../access/authenticate.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { DELETE, GET, PlainText, POST, WithHeaders } from "../http/operation.ts";
import { ORIGINAL } from "../lib/version.ts";
import {
  ApplicationDetails,
  ApplicationInstances,
  ApplicationOverview,
  ApplicationSearch,
  Applications,
  ApplicationUpdate,
  OutdatedSdks,
  ProjectApplicationSearch,
  ProjectApplications,
  Registration,
} from "./applications-schema.ts";
import * as store from "./applications-store.ts";
import { applicationNamed, isShown, requireApplication, searchApplications } from "./applications-store.ts";
import { applicationsOfProject, detailsOf, overviewOf } from "./applications-use.ts";
import { outdatedSdks, outdatedSdksOf, recentInstances } from "./instances.ts";
import { gather, toRegistered } from "./reports.ts";
import { AppName } from "./usage-schema.ts";

const APPLICATION = "/api/admin/metrics/applications/:appName";
const Read = { tag: "Metrics", permission: null, isUncached: true } as const;
const Change = { tag: "Metrics", permission: "UPDATE_APPLICATION" } as const;

export const listApplications = GET({
  ...Read,
  id: "getApplications",
  summary: "The applications, one page at a time",
  path: "/api/admin/metrics/applications",
  query: ApplicationSearch,
  response: Applications,
}).run(({ db, actor, query }) => searchApplications(db, query, hiddenProjects(db, actor)));

export const readApplication = GET({
  ...Read,
  id: "getApplication",
  summary: "An application with its instances, strategies and flags",
  path: APPLICATION,
  errors: ["NotFoundError"],
  response: ApplicationDetails,
}).run(({ db, actor, params: { appName } }) => {
  const hidden = hiddenProjects(db, actor);
  return detailsOf(db, requireApplication(db, appName, hidden), hidden);
});

export const readApplicationOverview = GET({
  ...Read,
  id: "getApplicationOverview",
  summary: "Where an application is in use, and possible problems",
  path: `${APPLICATION}/overview`,
  response: ApplicationOverview,
}).run(({ db, actor, params: { appName } }) => {
  const hidden = hiddenProjects(db, actor);
  const name = isShown(db, appName, hidden) ? appName : UNKNOWN;
  return overviewOf(db, name, applicationNamed(db, name) ?? {}, hidden);
});

/** The name of no application: one that is hidden looks like it. */
const UNKNOWN = "";

export const listInstances = GET({
  ...Read,
  id: "getApplicationEnvironmentInstances",
  summary: "The instances of an application seen in an environment within a day",
  path: "/api/admin/metrics/instances/:appName/environment/:environment",
  response: ApplicationInstances,
}).run(({ db, actor, params: { appName, environment } }) => ({
  instances: isShown(db, appName, hiddenProjects(db, actor)) ? recentInstances(db, appName, environment) : [],
}));

export const listOutdatedSdks = GET({
  ...Read,
  id: "getOutdatedSdks",
  summary: "Outdated SDKs, and the applications that use them",
  path: "/api/admin/metrics/sdks/outdated",
  response: OutdatedSdks,
}).run(({ db, actor }) => ({ sdks: outdatedSdks(db, hiddenProjects(db, actor)) }));

export const describeApplication = POST({
  ...Change,
  id: "createApplication",
  summary: "Describe an application",
  path: APPLICATION,
  params: v.object({ appName: AppName }),
  body: ApplicationUpdate,
  status: 202,
  errors: ["NotFoundError"],
  example: { description: "The checkout pages", color: "green" },
}).change(({ tx, params: { appName }, body }) => {
  const hidden = hiddenProjects(tx.db, tx.actor);
  if (hidden.length > 0) requireApplication(tx.db, appName, hidden); // an unknown one may be hidden
  store.describeApplication(tx, appName, body);
});

export const removeApplication = DELETE({
  ...Change,
  id: "deleteApplication",
  summary: "Delete an application; unknown ones are ignored",
  path: APPLICATION,
}).change(({ tx, params: { appName } }) => {
  if (isShown(tx.db, appName, hiddenProjects(tx.db, tx.actor))) store.removeApplication(tx, appName);
});

export const listProjectApplications = GET({
  id: "getProjectApplications",
  summary: "The applications that have requested flags of a project, one page at a time",
  tag: "Projects",
  path: "/api/admin/projects/:projectId/applications",
  permission: { project: "projectId" },
  query: ProjectApplicationSearch,
  isUncached: true,
  response: ProjectApplications,
}).run(({ db, params: { projectId }, query }) => applicationsOfProject(db, projectId, query));

export const listProjectOutdatedSdks = GET({
  id: "getOutdatedProjectSdks",
  summary: "Outdated SDKs of the applications that have requested flags of a project",
  tag: "Projects",
  path: "/api/admin/projects/:projectId/sdks/outdated",
  permission: { project: "projectId" },
  isUncached: true,
  response: OutdatedSdks,
}).run(({ db, params: { projectId } }) => ({ sdks: outdatedSdksOf(db, projectId) }));

const EXAMPLE = {
  appName: "checkout",
  instanceId: "checkout-1",
  sdkVersion: "unleash-client-node:6.12.1",
  strategies: ["default", "flexibleRollout"],
  started: "2026-01-31T09:00:00.000Z",
  interval: 60,
};

export const registerClient = POST({
  id: "registerClientApplication",
  summary: "Register an application that has started",
  tag: "Client",
  path: "/api/client/register",
  permission: { isForSdks: true },
  body: Registration,
  status: 202,
  isUncached: true,
  errors: ["ServiceUnavailableError"],
  example: EXAMPLE,
}).run(({ db, actor, body, address }) => {
  gather(db, toRegistered(actor as SdkActor, body, address));
  return new WithHeaders(undefined, { "x-unleash-version": ORIGINAL });
});

export const registerFrontend = POST({
  id: "registerFrontendClient",
  summary: "Register a page that has started; nothing is stored",
  tag: "Frontend",
  path: "/api/frontend/client/register",
  permission: { isForSdks: true },
  body: Registration,
  isUncached: true,
  response: PlainText,
  example: EXAMPLE,
}).run(() => "OK");
