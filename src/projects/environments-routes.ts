import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { command, toStored, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { revokeToken } from "../people/tokens-store.ts";
import {
  addEnvironment,
  asRead,
  changeEnvironment,
  countedEnvironments,
  Environment,
  EnvironmentName,
  EnvironmentOrder,
  type EnvironmentRow,
  Environments,
  environmentsFor,
  NewEnvironment,
  ProjectEnvironments,
  ReadEnvironment,
  requireEnvironment,
  requireFreeName,
  UpdateEnvironment,
} from "./environments.ts";

const ENVIRONMENTS = "/api/admin/environments";

const ofEnvironment = { tag: "Environments", permission: "ADMIN", errors: ["NotFoundError"] } as const;

/** They change with what the environment contains. */
const VOLATILE = ["projectCount", "apiTokenCount", "enabledToggleCount"];

export const listEnvironments = GET({
  id: "getAllEnvironments",
  summary: "The environments",
  tag: "Environments",
  path: ENVIRONMENTS,
  permission: null,
  volatile: VOLATILE,
  response: Environments,
}).run(({ db, actor }) => ({
  version: 1 as const,
  environments: countedEnvironments(db, hiddenProjects(db, actor)),
}));

export const listProjectEnvironments = GET({
  id: "getProjectEnvironments",
  summary: "All environments, as they are for a project",
  tag: "Environments",
  path: `${ENVIRONMENTS}/project/:projectId`,
  permission: { project: "projectId" },
  response: ProjectEnvironments,
}).run(({ db, params: { projectId } }) => ({
  version: 1 as const,
  environments: environmentsFor(db, projectId),
}));

export const readEnvironment = GET({
  ...ofEnvironment,
  id: "getEnvironment",
  summary: "An environment",
  path: `${ENVIRONMENTS}/:name`,
  permission: null,
  volatile: VOLATILE,
  response: ReadEnvironment,
  exampleParams: { name: "development" },
}).run(({ db, params: { name } }) => asRead(requireEnvironment(db, name)));

export const validateEnvironmentName = POST({
  id: "validateEnvironmentName",
  summary: "Check whether an environment can be created with this name",
  tag: "Environments",
  path: `${ENVIRONMENTS}/validate`,
  permission: null,
  body: EnvironmentName,
  errors: ["NameExistsError"],
  example: { name: "staging" },
}).run(({ db, body: { name } }) => requireFreeName(db, name));

export const createEnvironment = POST({
  id: "createEnvironment",
  summary: "Create an environment",
  tag: "Environments",
  path: ENVIRONMENTS,
  permission: "ADMIN",
  body: NewEnvironment,
  status: 201,
  errors: ["NameExistsError"],
  records: ["environment-created"],
  response: Environment,
  example: { name: "staging", type: "pre-production" },
}).change(({ tx, body }) => addEnvironment(tx, body));

export const updateEnvironment = PUT({
  ...ofEnvironment,
  id: "updateEnvironment",
  summary:
    "Change an environment's type, sort order, whether people are asked before changes, or how many must approve them",
  path: `${ENVIRONMENTS}/update/:name`,
  body: UpdateEnvironment,
  records: ["environment-updated"],
  response: Environment,
  example: { type: "test" },
  exampleParams: { name: "development" },
}).change(({ tx, params: { name }, body }) => {
  const preData = requireEnvironment(tx.db, name);
  changeEnvironment(tx, name, toStored(body) as Partial<EnvironmentRow>); // keys are left out, never undefined
  const data = requireEnvironment(tx.db, name);
  tx.record({ type: "environment-updated", environment: name, data, preData });
  return data;
});

// No event is recorded (original), here and below.
export const sortEnvironments = PUT({
  id: "updateSortOrder",
  summary: "Change the order of environments",
  tag: "Environments",
  path: `${ENVIRONMENTS}/sort-order`,
  permission: "ADMIN",
  body: EnvironmentOrder,
  example: { development: 2, production: 1 },
}).change(({ tx, body }) => {
  for (const [name, sortOrder] of Object.entries(body)) changeEnvironment(tx, name, { sortOrder });
});

export const enableEnvironment = POST({
  ...ofEnvironment,
  id: "toggleEnvironmentOn",
  summary: "Enable an environment: new projects get it",
  path: `${ENVIRONMENTS}/:name/on`,
  status: 204,
  exampleParams: { name: "development" },
}).change(({ tx, params: { name } }) => switchEnvironment(tx, name, 1));

export const disableEnvironment = POST({
  ...ofEnvironment,
  id: "toggleEnvironmentOff",
  summary: "Disable an environment; projects that have it keep it",
  path: `${ENVIRONMENTS}/:name/off`,
  status: 204,
  exampleParams: { name: "spare" },
}).change(({ tx, params: { name } }) => switchEnvironment(tx, name, 0));

function switchEnvironment(tx: Tx, name: string, enabled: 0 | 1) {
  requireEnvironment(tx.db, name);
  changeEnvironment(tx, name, { enabled });
}

export const deleteEnvironment = DELETE({
  ...ofEnvironment,
  id: "removeEnvironment",
  summary: "Delete an environment, with the state of all flags there",
  path: `${ENVIRONMENTS}/:name`,
  errors: ["NotFoundError", "InvalidOperationError", "MinimumOneEnvironmentError"],
  records: ["environment-deleted", "api-token-deleted"],
  exampleParams: { name: "spare" },
}).change(({ tx, params: { name } }) => {
  const preData = requireRemovable(tx.db, name);
  for (const id of tokensOf(tx.db).all({ name })) revokeToken(tx, id);
  remove(tx).run({ name });
  resetSeen(tx).run({});
  tx.record({ type: "environment-deleted", environment: name, preData });
});

/**
 * @throws ApiError `NotFoundError`; `InvalidOperationError` for a protected one; `MinimumOneEnvironmentError` if a
 * project has no other
 */
function requireRemovable(db: Database, name: string): Environment {
  const environment = requireEnvironment(db, name);
  if (environment.protected)
    throw new ApiError("InvalidOperationError", `The environment ${name} is protected and can't be deleted`);
  const project = projectWithOnly(db).get({ name });
  if (project === undefined) return environment;
  throw new ApiError("MinimumOneEnvironmentError", `The project ${project}'s only environment is ${name}`);
}

// Live projects only: archived ones may be left without any.
const projectWithOnly = valueQuery<{ name: string }, string>(`
  SELECT id FROM projects
  WHERE archived_at IS NULL
    AND (SELECT json_group_array(environment) FROM project_environments WHERE project = id) = json_array(:name)
  LIMIT 1`);

const tokensOf = valueQuery<{ name: string }, number>(`
  SELECT id FROM tokens WHERE environment = :name ORDER BY id`);

const remove = command<{ name: string }>(`DELETE FROM environments WHERE name = :name`);

const resetSeen = command<object>(`
  UPDATE features SET seen_at = (SELECT max(last_seen_at) FROM feature_environments WHERE feature = name)
  WHERE seen_at IS NOT NULL`);
