import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { insertProjectEnvironment } from "../projects/changes.ts";

interface ProjectPlace {
  project: string;
  environment: string;
}

const removeFromProject = command<ProjectPlace>(`
  DELETE FROM project_environments WHERE project = :project AND environment = :environment`);

// What the project's flags have there, their strategies with it.
const removeFromFeatures = command<ProjectPlace>(`
  DELETE FROM feature_environments
  WHERE environment = :environment AND feature IN (SELECT name FROM features WHERE project = :project)`);

/** Gives a project an environment that is there and that it lacks. */
export function addToProject(tx: Tx, { project, environment }: ProjectPlace) {
  insertProjectEnvironment(tx).run({ project, environment, defaultStrategy: null });
  tx.record({ type: "project-environment-added", project, environment });
}

/** Takes an environment from a project with all that its flags have there; again where it is gone (original). */
export function takeFromProject(tx: Tx, { project, environment }: ProjectPlace) {
  removeFromFeatures(tx).run({ project, environment });
  removeFromProject(tx).run({ project, environment });
  tx.record({ type: "project-environment-removed", project, environment });
}
