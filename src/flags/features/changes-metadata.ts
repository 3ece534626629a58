import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { foldedText } from "./changes.ts";
import { featureNamed } from "./feature-store.ts";
import type { Feature, FeatureUpdate } from "./schema.ts";

interface Row {
  name: string;
  type: string;
  description: string | null;
  stale: 0 | 1;
  impressionData: 0 | 1;
  archivedAt: string | null;
  folded: string;
}

const update = command<Row>(`
  UPDATE features
  SET type = :type, description = :description, stale = :stale, impression_data = :impressionData,
    archived_at = :archivedAt, folded = :folded
  WHERE name = :name`);

const updateStale = command<{ name: string; stale: 0 | 1 }>(
  `UPDATE features SET stale = :stale WHERE name = :name`,
);

/** Replaces a flag's metadata; a missing description is kept, null becomes an empty one (original). */
export const updateFeature = (tx: Tx, before: Feature, change: FeatureUpdate): Feature =>
  replaceMetadata(tx, before, {
    ...change,
    description: change.description === null ? "" : change.description,
  });

/** The same for a patch: changing `stale` records a separate event, and null removes the description (original). */
export function patchFeature(tx: Tx, before: Feature, change: FeatureUpdate): Feature {
  const after = replaceMetadata(tx, before, change);
  if (after.stale !== before.stale) recordStale(tx, after);
  return after;
}

/** Marks a flag as stale or not stale; no event is recorded if nothing changes. */
export function setStale(tx: Tx, feature: Feature, stale: boolean) {
  if (feature.stale === stale) return;
  updateStale(tx).run({ name: feature.name, stale: stale ? 1 : 0 });
  recordStale(tx, { ...feature, stale });
}

/** Replaces a flag's metadata as it is sent: null removes the description, and `stale` has no event of its own. */
export function replaceMetadata(tx: Tx, before: Feature, { archived, ...change }: FeatureUpdate): Feature {
  const { name, project } = before;
  const description = change.description === undefined ? before.description : change.description;
  update(tx).run({
    name,
    type: change.type,
    description,
    stale: change.stale ? 1 : 0,
    impressionData: change.impressionData ? 1 : 0,
    archivedAt: archived ? (before.archivedAt ?? tx.now) : null,
    folded: foldedText({ name, description }),
  });
  const after = featureNamed(tx.db, name)!;
  tx.record({ type: "feature-metadata-updated", project, featureName: name, data: after, preData: before });
  return after;
}

const recordStale = (tx: Tx, { name, project, stale }: Feature) =>
  tx.record({ type: stale ? "feature-stale-on" : "feature-stale-off", project, featureName: name });
