import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { addDependency } from "../dependencies/changes.ts";
import { requireDependency } from "../dependencies/require.ts";
import { createFeature } from "../features/changes.ts";
import { updateFeature } from "../features/changes-metadata.ts";
import { findFeature } from "../features/require.ts";
import { addStrategy, type FeaturePlace, type Place } from "../strategies/changes.ts";
import { disableFeature, enableFeature } from "../strategies/changes-enabled.ts";
import { segmentsOf } from "./check-store.ts";
import type { Data, ExportQuery, FeaturesImport } from "./schema.ts";

const removeStrategies = command<FeaturePlace>(`
  DELETE FROM strategies WHERE feature = :feature AND environment = :environment`);

const setVariants = command<FeaturePlace & { variants: string }>(`
  INSERT INTO feature_environments (feature, environment, variants) VALUES (:feature, :environment, :variants)
  ON CONFLICT DO UPDATE SET variants = :variants`);

/** Makes the flags of an import, or replaces what they have in its environment; all that it needs has been checked. */
export function importFeatures(tx: Tx, { project, environment }: FeaturesImport, data: Data) {
  const segments = segmentsOf(tx.db, project, data.segments);
  for (const feature of data.features) {
    const place = { project, environment, feature: feature.name };
    importFeature(tx, project, feature);
    importStrategies(tx, place, data, segments);
    importState(tx, place, data);
  }
  importDependencies(tx, data);
  tx.record({ type: "features-imported", project, environment });
}

/** What describes a flag. */
function importFeature(tx: Tx, project: string, feature: Data["features"][number]) {
  const before = findFeature(tx.db, feature.name);
  if (!before) return createFeature(tx, project, feature);
  // A flag that has no description, and gets none, goes on without.
  const description = feature.description ?? (before.description === null ? undefined : null);
  return updateFeature(tx, before, { ...feature, description, archived: false });
}

/** The strategies of a flag instead of those that it had, of which no event tells (original). */
function importStrategies(tx: Tx, place: Place, data: Data, ids: ReadonlyMap<string, number>) {
  const { feature, environment } = place;
  removeStrategies(tx).run({ feature, environment });
  const names = new Map(data.segments.map(({ id, name }) => [id, name]));
  for (const { featureName, segments, disabled, ...strategy } of data.featureStrategies) {
    if (featureName !== feature) continue;
    const own = new Set(segments.map((id) => ids.get(names.get(id)!)!));
    addStrategy(tx, place, {
      ...strategy,
      disabled: disabled ?? false,
      segments: [...own].sort((a, b) => a - b),
    });
  }
}

/** Variants of the flag itself, and whether it is on. */
function importState(tx: Tx, place: Place, data: Data) {
  const { project, feature, environment } = place;
  const state = data.featureEnvironments.find(({ featureName }) => featureName === feature);
  if (!state) return;
  const { variants, enabled } = state;
  if (variants.length > 0) {
    setVariants(tx).run({ feature, environment, variants: JSON.stringify(variants) });
    const type = "feature-environment-variants-updated";
    tx.record({ type, project, environment, featureName: feature, data: { variants } });
  }
  if (enabled) enableFeature(tx, place);
  else disableFeature(tx, place);
}

function importDependencies(tx: Tx, data: Data) {
  for (const { feature, dependencies } of data.dependencies) {
    const child = findFeature(tx.db, feature)!;
    for (const dependency of dependencies) {
      requireDependency(tx.db, child, dependency);
      addDependency(tx, child, dependency);
    }
  }
}

/** Tells that flags were exported, and what was asked for. */
export function recordExport(tx: Tx, { downloadFile: _, ...asked }: ExportQuery) {
  const { createdByUserId: id, createdBy: username } = tx.actor;
  tx.record({ type: "features-exported", data: { data: asked, auditUser: { id, username } } });
}
