import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { requireProject } from "../require.ts";
import type { Environment } from "./schema.ts";
import { environmentNamed, environmentsOfProject, projectWithOnly } from "./store.ts";

/** @throws ApiError `ValidationError` for the first that doesn't exist; `where` prefixes its path */
export function requireEnvironments(db: Database, names: readonly string[], where: string) {
  const index = names.findIndex((name) => !isKnown(db, "environment", name));
  if (index < 0) return;
  throw invalid({ path: `${where}.${index}`, message: `there is no environment ${names[index]}` });
}

/** @throws ApiError `NameExistsError` if there is an environment with this name */
export function requireFreeName(db: Database, name: string) {
  if (isKnown(db, "environment", name))
    throw new ApiError("NameExistsError", `body.name: there is already an environment ${name}`);
}

/** @throws ApiError `ValidationError` for the first that doesn't exist */
export function requireProjects(db: Database, ids: readonly string[]) {
  const index = ids.findIndex((id) => !isKnown(db, "project", id));
  if (index >= 0)
    throw invalid({ path: `body.projects.${index}`, message: `there is no project ${ids[index]}` });
}

/** @throws ApiError `NotFoundError` unless there is an environment with this name */
export function requireEnvironment(db: Database, name: string): Environment {
  const environment = environmentNamed(db, name);
  if (environment) return environment;
  throw new ApiError("NotFoundError", `There is no environment ${name}`);
}

/**
 * The same for one that can be deleted.
 * @throws ApiError `NotFoundError`; `InvalidOperationError` for a protected one; `MinimumOneEnvironmentError` if a
 * project has no other
 */
export function requireRemovable(db: Database, name: string): Environment {
  const environment = requireEnvironment(db, name);
  if (environment.protected)
    throw new ApiError("InvalidOperationError", `The environment ${name} is protected and can't be deleted`);
  const project = projectWithOnly(db, name);
  if (project === undefined) return environment;
  throw new ApiError("MinimumOneEnvironmentError", `The project ${project}'s only environment is ${name}`);
}

/** @throws ApiError `NotFoundError` for a project that doesn't exist or lacks the environment */
export function requireProjectEnvironment(db: Database, project: string, environment: string) {
  requireProject(db, project);
  if (environmentsOfProject(db, project).includes(environment)) return;
  throw new ApiError("NotFoundError", `There is no environment ${environment} in the project ${project}`);
}

/** @throws ApiError `NameExistsError` if the project already has the environment */
export function requireNewEnvironment(db: Database, project: string, environment: string) {
  if (!environmentsOfProject(db, project).includes(environment)) return;
  throw new ApiError("NameExistsError", `The project ${project} already has the environment ${environment}`);
}

/** @throws ApiError `MinimumOneEnvironmentError` if the project has only one environment, or none */
export function requireSpareEnvironment(db: Database, project: string) {
  if (environmentsOfProject(db, project).length > 1) return;
  throw new ApiError(
    "MinimumOneEnvironmentError",
    `The project ${project} must keep at least one environment`,
  );
}
