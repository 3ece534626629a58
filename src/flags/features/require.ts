import type { Actor } from "../../access/actor.ts";
import { hiddenProjects } from "../../access/visibility.ts";
import type { Database } from "../../db/database.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { requireLiveProject, requireRoom } from "../../projects/projects-store.ts";
import { requireFeatureType } from "../feature-types.ts";
import { featureNamed, liveChildren } from "./feature-store.ts";
import type { Feature, FeatureUpdate, ProjectFeature } from "./schema.ts";
import { projectFeatures } from "./store.ts";

/**
 * The flag with this name in a project, archived or not.
 * @throws ApiError `NotFoundError` if there is none, or it is in another project
 */
export function requireFeature(db: Database, project: string, name: string): Feature {
  const feature = featureNamed(db, name);
  if (feature?.project === project) return feature;
  throw new ApiError("NotFoundError", `There is no flag ${name} in the project ${project}`);
}

/** The same, unless it is archived. @throws ApiError `NotFoundError` */
export function requireLiveFeature(db: Database, project: string, name: string): Feature {
  const feature = requireFeature(db, project, name);
  if (feature.archived) throw new ApiError("NotFoundError", `The flag ${name} is archived`);
  return feature;
}

/**
 * Checks an update of a flag, which may also archive or revive it.
 * @throws ApiError `ValidationError` for a different name or an unknown type; otherwise as archiving and reviving do
 */
export function requireUpdate(db: Database, feature: Feature, { name, type, archived }: FeatureUpdate) {
  if (name !== undefined && name !== feature.name)
    throw invalid({ path: "body.name", message: "can't be changed: clone the flag instead" });
  requireFeatureType(db, type);
  if (archived) requireNoChildren(db, feature.name);
  else if (feature.archived) requireRevivable(db, feature);
}

/** @throws ApiError `NotFoundError` if the project is archived, `InvalidOperationError` if it is full */
export function requireRevivable(db: Database, { project }: Feature) {
  requireLiveProject(db, project);
  requireRoom(db, project);
}

/**
 * @param together flags that are archived along with it
 * @throws ApiError `InvalidOperationError` if any other live flag depends on it
 */
export function requireNoChildren(db: Database, name: string, together: ReadonlySet<string> = new Set()) {
  const children = liveChildren(db, name).filter((child) => !together.has(child));
  if (children.length === 0) return;
  const some = children.slice(0, 3).join(", ");
  throw new ApiError("InvalidOperationError", `The flag ${name} can't be archived: ${some} depends on it`);
}

/** The flag with this name in any project; undefined if there is none. */
export const findFeature = featureNamed;

/** Whether the actor may not see the flag with this name; there may have been a hidden one if there is none. */
export function mayBeHidden(db: Database, actor: Actor, name: string): boolean {
  const hidden = hiddenProjects(db, actor);
  const feature = featureNamed(db, name);
  return feature ? hidden.includes(feature.project) : hidden.length > 0;
}

/** The flag with this name in any project. @throws ApiError `NotFoundError` */
export function requireFeatureNamed(db: Database, name: string): Feature {
  const feature = featureNamed(db, name);
  if (feature) return feature;
  throw new ApiError("NotFoundError", `There is no flag ${name}`);
}

/**
 * Those of the named flags that exist.
 * @throws ApiError `InvalidOperationError` if one is in another project (original)
 */
export function requireFeaturesOf(db: Database, project: string, names: readonly string[]): Feature[] {
  const features = [...new Set(names)].flatMap((name) => featureNamed(db, name) ?? []);
  const other = features.find((feature) => feature.project !== project);
  if (!other) return features;
  throw new ApiError("InvalidOperationError", `The flag ${other.name} is not in the project ${project}`);
}

/** @throws ApiError `NameExistsError` if there is a flag with this name, archived or not */
export function requireFreeName(db: Database, name: string) {
  if (featureNamed(db, name)) throw new ApiError("NameExistsError", `There is already a flag ${name}`);
}

/** A project's live flags as it lists them, by name. */
export const featuresOf = (db: Database, project: string, userId: number | null): ProjectFeature[] =>
  projectFeatures(db, project, userId, { namePrefix: "", tag: [] });
