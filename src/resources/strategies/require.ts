import { type Database, query } from "../../db/statement.ts";
import { ApiError } from "../../http/error.ts";

interface Place {
  project: string;
  feature: string;
  environment: string;
}

/** What of a place exists, each asked alone so that the answer can say which does not. */
const placeOf = query<Place, Record<"hasProject" | "hasFeature" | "hasEnvironment", 0 | 1>>(`
  SELECT EXISTS (SELECT 1 FROM projects WHERE id = :project) AS hasProject,
    EXISTS (SELECT 1 FROM features WHERE name = :feature AND project = :project) AS hasFeature,
    EXISTS (SELECT 1 FROM project_environments WHERE project = :project AND environment = :environment)
      AS hasEnvironment`);

/** @throws ApiError `NotFoundError` for the first of project, feature and environment that does not exist there */
export function requireFeatureEnvironment(db: Database, place: Place) {
  const missing = missingPart(db, place);
  if (missing !== undefined) throw new ApiError("NotFoundError", `There is no ${missing}`);
}

function missingPart(db: Database, place: Place): string | undefined {
  const { hasProject, hasFeature, hasEnvironment } = placeOf(db).get(place)!;
  if (!hasProject) return `project ${place.project}`;
  if (!hasFeature) return `flag ${place.feature} in the project ${place.project}`;
  if (!hasEnvironment) return `environment ${place.environment} in the project ${place.project}`;
  return undefined;
}

const strategyOf = query<{ strategy: string; project: string; environment: string }>(`
  SELECT 1 FROM strategies JOIN features ON features.name = feature
  WHERE strategies.id = :strategy AND environment = :environment AND project = :project`);

/** @throws ApiError `NotFoundError` unless a flag of the project has a strategy with this id in the environment */
export function requireStrategy(
  db: Database,
  place: { strategy: string; project: string; environment: string },
) {
  if (strategyOf(db).get(place)) return;
  const { strategy, project, environment } = place;
  throw new ApiError(
    "NotFoundError",
    `There is no strategy ${strategy} in the environment ${environment} of the project ${project}`,
  );
}
