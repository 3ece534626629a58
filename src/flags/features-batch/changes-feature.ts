import { command } from "../../db/statement.ts";
import { requireConstraints } from "../../evaluation/constraint.ts";
import { requireWeights } from "../../evaluation/variant.ts";
import type { Tx } from "../../events/write.ts";
import { requireLegalValues } from "../constraints.ts";
import { type FeatureScope, type Scope, setEnabled } from "../feature-environments-store.ts";
import { tagFeature } from "../feature-tags.ts";
import { createFeature } from "../features/changes.ts";
import { replaceMetadata } from "../features/changes-metadata.ts";
import { findFeature } from "../features/require.ts";
import { addStrategy, distinct, enableFeature } from "../strategies-store.ts";
import { changeVariants } from "../variants.ts";
import type { Data } from "./schema.ts";

// The import replaces these parts of a flag, without events (original).
const removeStrategies = command<FeatureScope>(`
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
export function importFeature(tx: Tx, scope: Scope, feature: Data["features"][number], parts: Parts) {
  writeMetadata(tx, scope.project, feature);
  importTags(tx, scope, parts); // the events that follow carry them
  importStrategies(tx, scope, parts);
  importState(tx, scope, parts);
}

function writeMetadata(tx: Tx, project: string, feature: Data["features"][number]) {
  const before = findFeature(tx.db, feature.name);
  if (before) return replaceMetadata(tx, before, { ...feature, archived: false });
  return createFeature(tx, project, { ...feature, description: feature.description ?? null });
}

function importStrategies(tx: Tx, scope: Scope, { strategies, segmentIds }: Parts) {
  const { feature, environment } = scope;
  removeStrategies(tx).run({ feature, environment });
  for (const { index, featureName: _, ...strategy } of strategies.get(feature) ?? []) {
    const where = `body.data.featureStrategies.${index}`;
    requireConstraints(strategy.constraints, `${where}.constraints`);
    for (const [order, constraint] of strategy.constraints.entries())
      requireLegalValues(tx.db, constraint, `${where}.constraints.${order}`);
    addStrategy(tx, scope, {
      ...strategy,
      disabled: strategy.disabled ?? false,
      variants: requireWeights(strategy.variants, `${where}.variants`),
      segments: distinct(strategy.segments.map((id) => segmentIds.get(id)!)),
    });
  }
}

function importTags(tx: Tx, { project, feature: name }: Scope, { tags }: Parts) {
  removeTags(tx).run({ feature: name });
  for (const { tagType: type, tagValue: value } of tags.get(name) ?? [])
    tagFeature(tx, { name, project }, { type, value });
}

/** The flag's own variants, and whether it is on. */
function importState(tx: Tx, scope: Scope, { states }: Parts) {
  const state = states.get(scope.feature);
  if (!state) return;
  const { variants, enabled, index } = state;
  const where = `body.data.featureEnvironments.${index}.variants`;
  if (variants.length > 0) changeVariants(tx, scope, requireWeights(variants, where));
  if (enabled) enableFeature(tx, scope);
  else setEnabled(tx, scope, false);
}
