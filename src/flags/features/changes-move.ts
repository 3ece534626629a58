import type { Database } from "../../db/database.ts";
import { command, query } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { ApiError } from "../../lib/api-error.ts";
import { requireRoom } from "../../projects/projects-store.ts";
import { isDependent } from "./feature-store.ts";
import type { Feature } from "./schema.ts";

const setProject = command<{ name: string; project: string }>(`
  UPDATE features SET project = :project WHERE name = :name`);

const missingEnvironments = query<{ name: string; project: string }, string>(`
  SELECT environment FROM feature_environments
  WHERE feature = :name AND enabled
    AND environment NOT IN (SELECT environment FROM project_environments WHERE project = :project)
  ORDER BY environment`);

const ownSegments = query<{ name: string; project: string }, string>(`
  SELECT DISTINCT segments.name FROM strategies
  JOIN strategy_segments ON strategy = strategies.id JOIN segments ON segments.id = segment
  WHERE feature = :name AND segments.project IS NOT NULL AND segments.project <> :project
  ORDER BY segments.name`);

/**
 * Moves a flag to another live project.
 * @throws ApiError `InvalidOperationError` if it has dependencies, uses segments of its project, or the new project is
 * full; `IncompatibleProjectError` if it is on in an environment that the new project lacks
 */
export function moveFeature(tx: Tx, { name, project: oldProject }: Feature, newProject: string) {
  if (newProject === oldProject) return;
  if (isDependent(tx.db, name)) throw refused(`The flag ${name} has dependencies: remove them first`);
  const segments = ownSegments(tx.db).pluck().all({ name, project: newProject });
  if (segments.length > 0)
    throw refused(`The flag ${name} uses segments of the project ${oldProject}: ${segments.join(", ")}`);
  requireEnvironments(tx.db, name, newProject);
  requireRoom(tx.db, newProject);
  setProject(tx).run({ name, project: newProject });
  const data = { oldProject, newProject };
  tx.record({ type: "feature-project-change", project: newProject, featureName: name, data });
}

function requireEnvironments(db: Database, name: string, project: string) {
  const missing = missingEnvironments(db).pluck().all({ name, project });
  if (missing.length === 0) return;
  throw new ApiError(
    "IncompatibleProjectError",
    `The flag ${name} is on in ${missing.join(", ")}, which the project ${project} lacks`,
  );
}

const refused = (message: string) => new ApiError("InvalidOperationError", message);
