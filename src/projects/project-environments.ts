import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { command, valueQuery } from "../db/statement.ts";
import { DELETE, POST } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { presetApprovals, requireEnvironment } from "./environments.ts";
import { insertProjectEnvironment, requireProject } from "./projects-store.ts";

const ENVIRONMENTS = "/api/admin/projects/:projectId/environments";

export const addEnvironmentToProject = POST({
  id: "addEnvironmentToProject",
  summary: "Add an environment to a project",
  tag: "Projects",
  path: ENVIRONMENTS,
  permission: { permission: "UPDATE_PROJECT", project: "projectId" },
  body: v.object({ environment: v.string(), changeRequestsEnabled: v.optional(v.boolean(), false) }),
  errors: ["NotFoundError", "NameExistsError"],
  records: ["project-environment-added"],
  example: { environment: "spare" },
}).change(({ tx, params: { projectId: project }, body }) => {
  const { environment, changeRequestsEnabled } = body;
  requireProject(tx.db, project);
  requireEnvironment(tx.db, environment);
  if (environmentsOf(tx.db, project).includes(environment))
    throw new ApiError(
      "NameExistsError",
      `The project ${project} already has the environment ${environment}`,
    );
  const requiredApprovals = presetApprovals(tx.db, environment) ?? (changeRequestsEnabled ? 1 : null);
  insertProjectEnvironment(tx).run({ project, environment, defaultStrategy: null, requiredApprovals });
  tx.record({ type: "project-environment-added", project, environment });
});

// An event is recorded even if the project doesn't have the environment (original).
export const removeEnvironmentFromProject = DELETE({
  id: "removeEnvironmentFromProject",
  summary: "Remove an environment from a project; the strategies of its flags return with it",
  tag: "Projects",
  path: `${ENVIRONMENTS}/:environment`,
  permission: { permission: "UPDATE_PROJECT", project: "projectId" },
  errors: ["MinimumOneEnvironmentError"],
  records: ["project-environment-removed"],
}).change(({ tx, params: { projectId: project, environment } }) => {
  if (environmentsOf(tx.db, project).length <= 1) {
    const message = `The project ${project} must keep at least one environment`;
    throw new ApiError("MinimumOneEnvironmentError", message);
  }
  switchOff(tx).run({ project, environment });
  remove(tx).run({ project, environment });
  tx.record({ type: "project-environment-removed", project, environment });
});

/** @throws ApiError `NotFoundError` for a project that doesn't exist or lacks the environment */
export function requireProjectEnvironment(db: Database, project: string, environment: string) {
  requireProject(db, project);
  if (environmentsOf(db, project).includes(environment)) return;
  throw new ApiError("NotFoundError", `There is no environment ${environment} in the project ${project}`);
}

/** The environments of a project, in order. */
export const environmentsOf = (db: Database, project: string) => names(db).all({ project });

const names = valueQuery<{ project: string }, string>(`
  SELECT environment FROM project_environments JOIN environments ON environments.name = environment
  WHERE project = :project ORDER BY sort_order, environment`);

// The strategies of its flags stay, and are there again if the environment returns (original).
const switchOff = command<{ project: string; environment: string }>(`
  UPDATE feature_environments SET enabled = 0, variants = '[]'
  WHERE environment = :environment AND feature IN (SELECT name FROM features WHERE project = :project)`);

const remove = command<{ project: string; environment: string }>(`
  DELETE FROM project_environments WHERE project = :project AND environment = :environment`);
