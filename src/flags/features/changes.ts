import { command } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import type { Tx } from "../../events/write.ts";
import { fold } from "../../lib/text.ts";
import { tagNewFeature } from "../feature-tags.ts";
import { enterStage } from "../lifecycle.ts";
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

const insert = command<FeatureRow & { folded: string }>(`
  INSERT INTO features (name, project, type, description, stale, impression_data, created_at, created_by_user_id,
    archived_at, potentially_stale, folded)
  VALUES (:name, :project, :type, :description, :stale, :impressionData, :createdAt, :createdByUserId,
    :archivedAt, :potentiallyStale, :folded)`);

export const insertFeature = (tx: Writing, row: FeatureRow) =>
  insert(tx).run({ ...row, folded: foldedText(row) });

/** The text that searches look for words in; no folded text contains the letter between name and description. */
export const foldedText = ({ name, description }: Pick<FeatureRow, "name" | "description">) =>
  `${fold(name)}a${fold(description ?? "")}`;

/**
 * Creates a flag in an existing project, with tags of existing types; an SQLite constraint error if the name is taken.
 * The event has the tags, and there are none for tagging (original).
 */
export function createFeature(tx: Tx, project: string, feature: NewFeature): Feature {
  const { name, type, description, stale, impressionData, tags = [] } = feature;
  insertFeature(tx, {
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
