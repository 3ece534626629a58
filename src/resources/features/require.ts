import type { Database } from "../../db/statement.ts";
import { ApiError } from "../../http/error.ts";
import { featureNamed } from "./feature-store.ts";
import type { Feature } from "./schema.ts";

/**
 * The flag of this name in a project, archived or not.
 * @throws ApiError `NotFoundError` for none, and for one of another project
 */
export function requireFeature(db: Database, project: string, name: string): Feature {
  const feature = featureNamed(db, name);
  if (feature?.project === project) return feature;
  throw new ApiError("NotFoundError", `There is no flag ${name} in the project ${project}`);
}

/** The same for one that is not archived. @throws ApiError `NotFoundError` */
export function requireLiveFeature(db: Database, project: string, name: string): Feature {
  const feature = requireFeature(db, project, name);
  if (feature.archived) throw new ApiError("NotFoundError", `The flag ${name} is archived`);
  return feature;
}
