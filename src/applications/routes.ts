import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { snapshot } from "../db/snapshot.ts";
import { NoBody, operation } from "../http/operation.ts";
import * as changes from "./changes-description.ts";
import { detailsOf } from "./details-store.ts";
import { outdatedSdks, recentInstances } from "./instances-store.ts";
import { overviewOf } from "./overview-store.ts";
import { requireApplication } from "./require.ts";
import {
  ApplicationDetails,
  ApplicationInstances,
  ApplicationOverview,
  ApplicationSearch,
  Applications,
  ApplicationUpdate,
  OutdatedSdks,
} from "./schema.ts";
import { applicationNamed, isShown, searchApplications } from "./store.ts";
import { AppName } from "./usage/schema.ts";

const APPLICATION = "/api/admin/metrics/applications/:appName";
const Params = v.object({ appName: v.string() });

export const listApplications = operation({
  id: "getApplications",
  summary: "The applications, one page at a time",
  tag: "Metrics",
  method: "GET",
  path: "/api/admin/metrics/applications",
  permission: null,
  query: ApplicationSearch,
  isUncached: true,
  response: Applications,
}).run(({ db, actor, query }) =>
  snapshot(db, () => searchApplications(db, query, hiddenProjects(db, actor))),
);

export const readApplication = operation({
  id: "getApplication",
  summary: "An application with its instances, strategies and flags",
  tag: "Metrics",
  method: "GET",
  path: APPLICATION,
  permission: null,
  params: Params,
  isUncached: true,
  errors: ["NotFoundError"],
  response: ApplicationDetails,
}).run(({ db, actor, params: { appName } }) =>
  snapshot(db, () => {
    const hidden = hiddenProjects(db, actor);
    return detailsOf(db, requireApplication(db, appName, hidden), hidden);
  }),
);

export const readApplicationOverview = operation({
  id: "getApplicationOverview",
  summary: "Where an application is in use, and possible problems",
  tag: "Metrics",
  method: "GET",
  path: `${APPLICATION}/overview`,
  permission: null,
  params: Params,
  isUncached: true,
  response: ApplicationOverview,
}).run(({ db, actor, params: { appName } }) =>
  snapshot(db, () => {
    const hidden = hiddenProjects(db, actor);
    const name = isShown(db, appName, hidden) ? appName : UNKNOWN;
    return overviewOf(db, name, applicationNamed(db, name) ?? {}, hidden);
  }),
);

/** The name of no application: one that is hidden looks like it. */
const UNKNOWN = "";

export const listInstances = operation({
  id: "getApplicationEnvironmentInstances",
  summary: "The instances of an application seen in an environment within a day",
  tag: "Metrics",
  method: "GET",
  path: "/api/admin/metrics/instances/:appName/environment/:environment",
  permission: null,
  params: v.object({ appName: v.string(), environment: v.string() }),
  isUncached: true,
  response: ApplicationInstances,
}).run(({ db, actor, params: { appName, environment } }) => ({
  instances: isShown(db, appName, hiddenProjects(db, actor)) ? recentInstances(db, appName, environment) : [],
}));

export const listOutdatedSdks = operation({
  id: "getOutdatedSdks",
  summary: "Outdated SDKs, and the applications that use them",
  tag: "Metrics",
  method: "GET",
  path: "/api/admin/metrics/sdks/outdated",
  permission: null,
  isUncached: true,
  response: OutdatedSdks,
}).run(({ db, actor }) => ({ sdks: outdatedSdks(db, hiddenProjects(db, actor)) }));

export const describeApplication = operation({
  id: "createApplication",
  summary: "Describe an application",
  tag: "Metrics",
  method: "POST",
  path: APPLICATION,
  permission: "UPDATE_APPLICATION",
  params: v.object({ appName: AppName }),
  body: ApplicationUpdate,
  status: 202,
  errors: ["NotFoundError"],
  response: NoBody,
}).change(({ tx, params: { appName }, body }) => {
  const hidden = hiddenProjects(tx.db, tx.actor);
  if (hidden.length > 0) requireApplication(tx.db, appName, hidden); // an unknown one may be hidden
  changes.describeApplication(tx, appName, body);
});

export const removeApplication = operation({
  id: "deleteApplication",
  summary: "Delete an application; unknown ones are ignored",
  tag: "Metrics",
  method: "DELETE",
  path: APPLICATION,
  permission: "UPDATE_APPLICATION",
  params: Params,
  response: NoBody,
}).change(({ tx, params: { appName } }) => {
  if (isShown(tx.db, appName, hiddenProjects(tx.db, tx.actor))) changes.removeApplication(tx, appName);
});
