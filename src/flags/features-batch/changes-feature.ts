import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { requireConstraints, requireLegalValues } from "../constraints/require.ts";
import { tagFeature } from "../feature-tags.ts";
import { createFeature } from "../features/changes.ts";
import { replaceMetadata } from "../features/changes-metadata.ts";
import { findFeature } from "../features/require.ts";
import { addStrategy, distinct, type FeaturePlace, type Place } from "../strategies/changes.ts";
import { disableFeature, enableFeature } from "../strategies/changes-enabled.ts";
import { changeVariants } from "../variants/changes.ts";
import { requireWeights } from "../variants/require.ts";
import type { Data } from "./schema.ts";

// The import replaces these parts of a flag, without events (original).
const removeStrategies = command<FeaturePlace>(`
  DELETE FROM strategies WHERE feature = :feature AND environment = :environment`);

const removeTags = command<{ feature: string }>(`DELETE FROM feature_tags WHERE feature = :feature`);

/** The parts of an import that belong to each flag, by name. */
type Parts = ReturnType<typeof partsOf>;

/** @param segmentIds the local ids of the import's segments, by their ids in the import */
export const partsOf = (data: Data, segmentIds: ReadonlyMap<number, number>) => ({
  strategies: Map.groupBy(numbered(data.featureStrategies), ({ featureName }) => featureName),
  tags: Map.groupBy(data.featureTags, ({ featureName }) => featureName),
  states: new Map(numbered(data.featureEnvironments).map((state) => [state.featureName, state])),
  segmentIds,
});

/** With the index that errors refer to. */
const numbered = <T extends object>(list: readonly T[]) => list.map((item, index) => ({ ...item, index }));

/** Creates or replaces a flag from an import. @throws ApiError `ValidationError` for an invalid strategy */
export function importFeature(tx: Tx, place: Place, feature: Data["features"][number], parts: Parts) {
  writeMetadata(tx, place.project, feature);
  importTags(tx, place, parts); // the events that follow carry them
  importStrategies(tx, place, parts);
  importState(tx, place, parts);
}

function writeMetadata(tx: Tx, project: string, feature: Data["features"][number]) {
  const before = findFeature(tx.db, feature.name);
  if (before) return replaceMetadata(tx, before, { ...feature, archived: false });
  return createFeature(tx, project, { ...feature, description: feature.description ?? null });
}

function importStrategies(tx: Tx, place: Place, { strategies, segmentIds }: Parts) {
  const { feature, environment } = place;
  removeStrategies(tx).run({ feature, environment });
  for (const { index, featureName: _, ...strategy } of strategies.get(feature) ?? []) {
    const where = `body.data.featureStrategies.${index}`;
    requireConstraints(strategy.constraints, `${where}.constraints`);
    for (const [order, constraint] of strategy.constraints.entries())
      requireLegalValues(tx.db, constraint, `${where}.constraints.${order}`);
    addStrategy(tx, place, {
      ...strategy,
      disabled: strategy.disabled ?? false,
      variants: requireWeights(strategy.variants, `${where}.variants`),
      segments: distinct(strategy.segments.map((id) => segmentIds.get(id)!)),
    });
  }
}

function importTags(tx: Tx, { project, feature: name }: Place, { tags }: Parts) {
  removeTags(tx).run({ feature: name });
  for (const { tagType: type, tagValue: value } of tags.get(name) ?? [])
    tagFeature(tx, { name, project }, { type, value });
}

/** The flag's own variants, and whether it is on. */
function importState(tx: Tx, place: Place, { states }: Parts) {
  const state = states.get(place.feature);
  if (!state) return;
  const { variants, enabled, index } = state;
  const where = `body.data.featureEnvironments.${index}.variants`;
  if (variants.length > 0) changeVariants(tx, place, requireWeights(variants, where));
  if (enabled) enableFeature(tx, place);
  else disableFeature(tx, place);
}
