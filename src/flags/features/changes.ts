import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { tagNewFeature } from "../feature-tags.ts";
import { enterStage } from "../lifecycle/changes.ts";
import { removeUse } from "../usage.ts";
import { featureNamed } from "./feature-store.ts";
import type { Feature, NewFeature } from "./schema.ts";

export interface FeatureRow {
  name: string;
  project: string;
  type: string;
  description: string | null;
  stale: 0 | 1;
  impressionData: 0 | 1;
  createdAt: string;
  createdByUserId: number | null;
  archivedAt: string | null;
  potentiallyStale: 0 | 1;
}

export const insertFeature = command<FeatureRow>(`
  INSERT INTO features (name, project, type, description, stale, impression_data, created_at, created_by_user_id,
    archived_at, potentially_stale)
  VALUES (:name, :project, :type, :description, :stale, :impressionData, :createdAt, :createdByUserId,
    :archivedAt, :potentiallyStale)`);

/**
 * Creates a flag in an existing project, with tags of existing types; an SQLite constraint error if the name is taken.
 * The event has the tags, and there are none for tagging (original).
 */
export function createFeature(tx: Tx, project: string, feature: NewFeature): Feature {
  const { name, type, description, stale, impressionData, tags = [] } = feature;
  insertFeature(tx).run({
    name,
    project,
    type,
    description: description || null, // an empty one becomes null (original)
    stale: stale ? 1 : 0,
    impressionData: impressionData ? 1 : 0,
    createdAt: tx.now,
    createdByUserId: tx.actor.createdByUserId,
    archivedAt: null,
    potentiallyStale: 0,
  });
  removeUse(tx, name);
  enterStage(tx, name, "initial");
  tagNewFeature(tx, { name, project }, tags);
  const created = featureNamed(tx.db, name)!;
  tx.record({ type: "feature-created", project, featureName: name, data: created });
  return created;
}
