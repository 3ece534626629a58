import type { Database } from "../db/database.ts";
import { command, type Stored, toStored, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { Tx } from "../events/write.ts";
import { ApiError } from "../lib/api-error.ts";
import { fold } from "../lib/text.ts";
import { requireRoom } from "../projects/projects-store.ts";
import { isDependent } from "./dependencies.ts";
import { addTemplateLinks } from "./feature-links.ts";
import { tagNewFeature } from "./feature-tags.ts";
import type { Feature, FeatureUpdate, NewFeature } from "./features-schema.ts";
import { findFeature } from "./features-store.ts";
import { enterStage } from "./lifecycle.ts";
import { removeUse } from "./usage.ts";

export interface FeatureRow extends Stored<Omit<Feature, "lastSeenAt" | "archived">> {
  createdByUserId: number | null;
  potentiallyStale: 0 | 1;
}

const insert = command<FeatureRow & { folded: string }>(`
  INSERT INTO features (name, project, type, description, stale, impression_data, created_at, created_by_user_id,
    archived_at, potentially_stale, folded)
  VALUES (:name, :project, :type, :description, :stale, :impressionData, :createdAt, :createdByUserId,
    :archivedAt, :potentiallyStale, :folded)`);

export const insertFeature = (tx: Writing, row: FeatureRow) =>
  insert(tx).run({ ...row, folded: foldedText(row) });

/** The text that searches look for words in; no folded text contains the letter between name and description. */
const foldedText = ({ name, description }: Pick<FeatureRow, "name" | "description">) =>
  `${fold(name)}a${fold(description ?? "")}`;

/**
 * Creates a flag in an existing project, with tags of existing types and the project's links; an SQLite constraint error if the name is taken.
 * The event has the tags, and there are none for tagging (original).
 */
export function createFeature(tx: Tx, project: string, feature: NewFeature): Feature {
  const { name, type, description, stale, impressionData, tags = [] } = feature;
  insertFeature(tx, {
    ...toStored({ name, project, type, stale, impressionData }),
    description: description || null, // an empty one becomes null (original)
    createdAt: tx.now,
    createdByUserId: tx.actor.createdByUserId,
    archivedAt: null,
    potentiallyStale: 0,
  });
  removeUse(tx, name);
  enterStage(tx, name, "initial");
  tagNewFeature(tx, { name, project }, tags);
  const created = findFeature(tx.db, name)!;
  tx.record({ type: "feature-created", project, featureName: name, data: created });
  addTemplateLinks(tx, created);
  return created;
}

type Metadata = Omit<FeatureRow, "project" | "createdAt" | "createdByUserId" | "potentiallyStale">;

const update = command<Metadata & { folded: string }>(`
  UPDATE features
  SET type = :type, description = :description, stale = :stale, impression_data = :impressionData,
    archived_at = :archivedAt, folded = :folded
  WHERE name = :name`);

const updateStale = command<{ name: string; stale: 0 | 1 }>(
  `UPDATE features SET stale = :stale WHERE name = :name`,
);

/** Replaces a flag's metadata as it is sent: null removes the description, and `stale` has no event of its own. */
export function replaceMetadata(tx: Tx, before: Feature, { archived, ...change }: FeatureUpdate): Feature {
  const { name, project } = before;
  const description = change.description === undefined ? before.description : change.description;
  const archivedAt = archived ? (before.archivedAt ?? tx.now) : null;
  const folded = foldedText({ name, description });
  update(tx).run(toStored({ ...change, name, description, archivedAt, folded }));
  const after = findFeature(tx.db, name)!;
  tx.record({ type: "feature-metadata-updated", project, featureName: name, data: after, preData: before });
  return after;
}

/** Marks a flag as stale or not stale; no event is recorded if nothing changes. */
export function setStale(tx: Tx, feature: Feature, stale: boolean) {
  if (feature.stale === stale) return;
  updateStale(tx).run(toStored({ name: feature.name, stale }));
  recordStale(tx, { ...feature, stale });
}

/** Records that a flag was marked as stale, or as not stale. */
export const recordStale = (tx: Tx, { name, project, stale }: Feature) =>
  tx.record({ type: stale ? "feature-stale-on" : "feature-stale-off", project, featureName: name });

const setProject = command<{ name: string; project: string }>(`
  UPDATE features SET project = :project WHERE name = :name`);

const missingEnvironments = valueQuery<{ name: string; project: string }, string>(`
  SELECT environment FROM feature_environments
  WHERE feature = :name AND enabled
    AND environment NOT IN (SELECT environment FROM project_environments WHERE project = :project)
  ORDER BY environment`);

const ownSegments = valueQuery<{ name: string; project: string }, string>(`
  SELECT DISTINCT segments.name FROM strategies
  JOIN strategy_segments ON strategy = strategies.id JOIN segments ON segments.id = segment
  WHERE feature = :name AND segments.project IS NOT NULL AND segments.project <> :project
  ORDER BY segments.name`);

const ownFields = valueQuery<{ name: string; project: string }, string>(`
  SELECT DISTINCT context_field FROM strategies
  JOIN strategy_context_fields ON strategy = strategies.id JOIN context_fields ON context_fields.name = context_field
  WHERE feature = :name AND context_fields.project IS NOT NULL AND context_fields.project <> :project
  ORDER BY context_field`);

/**
 * Moves a flag to another live project.
 * @throws ApiError `InvalidOperationError` if it has dependencies, uses segments or context fields of its project, or the new project is
 * full; `IncompatibleProjectError` if it is on in an environment that the new project lacks
 */
export function moveFeature(tx: Tx, { name, project: oldProject }: Feature, newProject: string) {
  if (newProject === oldProject) return;
  if (isDependent(tx.db, name)) throw refused(`The flag ${name} has dependencies: remove them first`);
  const own = { segments: ownSegments, "context fields": ownFields };
  for (const [kind, uses] of Object.entries(own)) {
    const used = uses(tx.db).all({ name, project: newProject });
    if (used.length > 0)
      throw refused(`The flag ${name} uses ${kind} of the project ${oldProject}: ${used.join(", ")}`);
  }
  requireEnvironments(tx.db, name, newProject);
  requireRoom(tx.db, newProject);
  setProject(tx).run({ name, project: newProject });
  const data = { oldProject, newProject };
  tx.record({ type: "feature-project-change", project: newProject, featureName: name, data });
}

function requireEnvironments(db: Database, name: string, project: string) {
  const missing = missingEnvironments(db).all({ name, project });
  if (missing.length === 0) return;
  throw new ApiError(
    "IncompatibleProjectError",
    `The flag ${name} is on in ${missing.join(", ")}, which the project ${project} lacks`,
  );
}

const refused = (message: string) => new ApiError("InvalidOperationError", message);
