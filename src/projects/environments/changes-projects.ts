import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { insertProjectEnvironment } from "../changes.ts";

interface ProjectPlace {
  project: string;
  environment: string;
}

const removeProjectEnvironment = command<ProjectPlace>(`
  DELETE FROM project_environments WHERE project = :project AND environment = :environment`);

// Their strategies stay, and are there again if the environment returns (original).
const resetFeatureStates = command<ProjectPlace>(`
  UPDATE feature_environments SET enabled = 0, variants = '[]'
  WHERE environment = :environment AND feature IN (SELECT name FROM features WHERE project = :project)`);

/** Adds an existing environment to a project that lacks it. */
export function addToProject(tx: Tx, { project, environment }: ProjectPlace) {
  insertProjectEnvironment(tx).run({ project, environment, defaultStrategy: null });
  tx.record({ type: "project-environment-added", project, environment });
}

/**
 * Removes an environment from a project, whose flags are then off there; records an event even if the project doesn't
 * have it (original).
 */
export function removeFromProject(tx: Tx, { project, environment }: ProjectPlace) {
  resetFeatureStates(tx).run({ project, environment });
  removeProjectEnvironment(tx).run({ project, environment });
  tx.record({ type: "project-environment-removed", project, environment });
}
