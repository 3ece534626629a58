import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../http/error.ts";
import { requireFeatureType } from "../feature-types/require.ts";
import { requireLiveProject, requireRoom } from "../projects/require.ts";
import { featureNamed, liveChildren } from "./feature-store.ts";
import type { Feature, FeatureUpdate, ProjectFeature } from "./schema.ts";
import { projectFeatures } from "./store.ts";

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

/**
 * That a flag can become so; an update also archives, or takes out of the archive.
 * @throws ApiError `ValidationError` for another name, which a flag can't get, and an unknown type; and those of both
 */
export function requireUpdate(db: Database, feature: Feature, { name, type, archived }: FeatureUpdate) {
  if (name !== undefined && name !== feature.name)
    throw invalid({ path: "body.name", message: "can't be changed: clone the flag instead" });
  requireFeatureType(db, type);
  if (archived) requireNoChildren(db, feature.name);
  else if (feature.archived) requireRevivable(db, feature);
}

/** @throws ApiError `NotFoundError` where the project is archived, `InvalidOperationError` where it is full */
export function requireRevivable(db: Database, { project }: Feature) {
  requireLiveProject(db, project);
  requireRoom(db, project);
}

/**
 * @param together are archived too
 * @throws ApiError `InvalidOperationError` while live flags depend on it that are not
 */
export function requireNoChildren(db: Database, name: string, together: ReadonlySet<string> = new Set()) {
  const children = liveChildren(db, name).filter((child) => !together.has(child));
  if (children.length === 0) return;
  const some = children.slice(0, 3).join(", ");
  throw new ApiError("InvalidOperationError", `The flag ${name} can't be archived: ${some} depends on it`);
}

/** The flag of this name, whatever its project; undefined for none. */
export const findFeature = featureNamed;

/** The same.  @throws ApiError `NotFoundError` */
export function requireNamed(db: Database, name: string): Feature {
  const feature = featureNamed(db, name);
  if (feature) return feature;
  throw new ApiError("NotFoundError", `There is no flag ${name}`);
}

/**
 * Those of the flags that there are.
 * @throws ApiError `InvalidOperationError` if one is of another project (original)
 */
export function requireAllOf(db: Database, project: string, names: readonly string[]): Feature[] {
  const features = [...new Set(names)].flatMap((name) => featureNamed(db, name) ?? []);
  const other = features.find((feature) => feature.project !== project);
  if (!other) return features;
  throw new ApiError("InvalidOperationError", `The flag ${other.name} is not of the project ${project}`);
}

/** @throws ApiError `NameExistsError` if there is a flag of this name, archived or not */
export function requireFreeName(db: Database, name: string) {
  if (featureNamed(db, name)) throw new ApiError("NameExistsError", `There is a flag ${name} already`);
}

/** The live flags of a project as it lists them, by name. */
export const featuresOf = (db: Database, project: string, userId: number | null): ProjectFeature[] =>
  projectFeatures(db, project, userId, { namePrefix: "", tag: [] });
