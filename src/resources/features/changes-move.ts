import { command, query } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { ApiError } from "../../http/error.ts";
import { hasParents, liveChildren } from "./feature-store.ts";
import type { Feature } from "./schema.ts";

const setProject = command<{ name: string; project: string }>(`
  UPDATE features SET project = :project WHERE name = :name`);

const missingEnvironments = query<{ name: string; project: string }, string>(`
  SELECT environment FROM feature_environments
  WHERE feature = :name AND enabled
    AND environment NOT IN (SELECT environment FROM project_environments WHERE project = :project)
  ORDER BY environment`);

/**
 * Moves a flag to another live project.
 * @throws ApiError `InvalidOperationError` where it would be torn from what it depends on, or is on where that project
 * has no environment
 */
export function moveFeature(tx: Tx, { name, project: oldProject }: Feature, newProject: string) {
  if (newProject === oldProject) return;
  if (hasParents(tx.db, name) || liveChildren(tx.db, name).length > 0)
    throw refused(`The flag ${name} depends on others, or others on it: remove that first`);
  const missing = missingEnvironments(tx.db).pluck().all({ name, project: newProject });
  if (missing.length > 0)
    throw refused(`The flag ${name} is on in ${missing.join(", ")}, which the project ${newProject} lacks`);
  setProject(tx).run({ name, project: newProject });
  const data = { oldProject, newProject };
  tx.record({ type: "feature-project-change", project: newProject, featureName: name, data });
}

const refused = (message: string) => new ApiError("InvalidOperationError", message);
