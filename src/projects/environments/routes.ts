import * as v from "valibot";
import { hiddenProjects } from "../../access/visibility.ts";
import { snapshot } from "../../db/snapshot.ts";
import { NoBody, operation } from "../../http/operation.ts";
import * as changes from "./changes.ts";
import { requireEnvironment, requireRemovable } from "./require.ts";
import {
  Environment,
  EnvironmentOrder,
  Environments,
  NewEnvironment,
  ProjectEnvironments,
  UpdateEnvironment,
} from "./schema.ts";
import { countedEnvironments, environmentsFor } from "./store.ts";

const ENVIRONMENTS = "/api/admin/environments";
const Params = v.object({ name: v.string() });

export const listEnvironments = operation({
  id: "getAllEnvironments",
  summary: "The environments",
  tag: "Environments",
  method: "GET",
  path: ENVIRONMENTS,
  permission: null,
  volatile: ["projectCount", "apiTokenCount", "enabledToggleCount"],
  response: Environments,
}).run(({ db, actor }) =>
  snapshot(db, () => ({
    version: 1 as const,
    environments: countedEnvironments(db, hiddenProjects(db, actor)),
  })),
);

export const createEnvironment = operation({
  id: "createEnvironment",
  summary: "Create an environment",
  tag: "Environments",
  method: "POST",
  path: ENVIRONMENTS,
  permission: "ADMIN",
  body: NewEnvironment,
  status: 201,
  errors: ["NameExistsError"],
  records: ["environment-created"],
  response: Environment,
}).change(({ tx, body }) => changes.createEnvironment(tx, body));

export const sortEnvironments = operation({
  id: "updateSortOrder",
  summary: "Change the order of environments",
  tag: "Environments",
  method: "PUT",
  path: `${ENVIRONMENTS}/sort-order`,
  permission: "ADMIN",
  body: EnvironmentOrder,
  response: NoBody,
}).change(({ tx, body }) => changes.sortEnvironments(tx, body));

export const updateEnvironment = operation({
  id: "updateEnvironment",
  summary: "Change an environment's type or sort order",
  tag: "Environments",
  method: "PUT",
  path: `${ENVIRONMENTS}/update/:name`,
  permission: "ADMIN",
  params: Params,
  body: UpdateEnvironment,
  errors: ["NotFoundError"],
  records: ["environment-updated"],
  response: Environment,
}).change(({ tx, params: { name }, body }) =>
  changes.updateEnvironment(tx, requireEnvironment(tx.db, name), body),
);

export const listProjectEnvironments = operation({
  id: "getProjectEnvironments",
  summary: "All environments, as they are for a project",
  tag: "Environments",
  method: "GET",
  path: `${ENVIRONMENTS}/project/:projectId`,
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string() }),
  response: ProjectEnvironments,
}).run(({ db, params: { projectId } }) => ({
  version: 1 as const,
  environments: environmentsFor(db, projectId),
}));

export const readEnvironment = operation({
  id: "getEnvironment",
  summary: "An environment",
  tag: "Environments",
  method: "GET",
  path: `${ENVIRONMENTS}/:name`,
  permission: null,
  params: Params,
  errors: ["NotFoundError"],
  volatile: ["projectCount", "apiTokenCount", "enabledToggleCount"],
  response: Environment,
}).run(({ db, params: { name } }) => requireEnvironment(db, name));

export const deleteEnvironment = operation({
  id: "removeEnvironment",
  summary: "Delete an environment, with the state of all flags there",
  tag: "Environments",
  method: "DELETE",
  path: `${ENVIRONMENTS}/:name`,
  permission: "ADMIN",
  params: Params,
  errors: ["NotFoundError", "InvalidOperationError", "MinimumOneEnvironmentError"],
  records: ["environment-deleted", "api-token-deleted"],
  response: NoBody,
}).change(({ tx, params: { name } }) => changes.deleteEnvironment(tx, requireRemovable(tx.db, name)));

export const enableEnvironment = operation({
  id: "toggleEnvironmentOn",
  summary: "Enable an environment: new projects get it",
  tag: "Environments",
  method: "POST",
  path: `${ENVIRONMENTS}/:name/on`,
  permission: "ADMIN",
  params: Params,
  status: 204,
  errors: ["NotFoundError"],
  response: NoBody,
}).change(({ tx, params: { name } }) => changes.changeEnabled(tx, requireEnvironment(tx.db, name), 1));

export const disableEnvironment = operation({
  id: "toggleEnvironmentOff",
  summary: "Disable an environment; projects that have it keep it",
  tag: "Environments",
  method: "POST",
  path: `${ENVIRONMENTS}/:name/off`,
  permission: "ADMIN",
  params: Params,
  status: 204,
  errors: ["NotFoundError"],
  response: NoBody,
}).change(({ tx, params: { name } }) => changes.changeEnabled(tx, requireEnvironment(tx.db, name), 0));
