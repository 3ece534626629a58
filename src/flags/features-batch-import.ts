import { isKnown } from "../db/known.ts";
import { command } from "../db/statement.ts";
import { requireConstraints } from "../evaluation/constraint.ts";
import { requireWeights } from "../evaluation/variant.ts";
import type { Tx } from "../events/write.ts";
import { POST } from "../http/operation.ts";
import { requireFields } from "./constraints.ts";
import { createContextField } from "./context-fields.ts";
import { addDependency, requireDependency } from "./dependencies.ts";
import { type FeatureScope, type Scope, setEnabled } from "./feature-environments-store.ts";
import { addLink, removeLinks } from "./feature-links.ts";
import { tagFeature } from "./feature-tags.ts";
import {
  checkImport,
  type Data,
  FeaturesImport,
  ImportCheck,
  requireImport,
} from "./features-batch-check.ts";
import { createFeature, replaceMetadata } from "./features-changes.ts";
import { findFeature } from "./features-store.ts";
import { usableSegments } from "./segments.ts";
import { addStrategy, distinct, enableFeature } from "./strategies-store.ts";
import { createTagType } from "./tag-types.ts";
import { changeVariants } from "./variants.ts";

const POSTED = { tag: "Import and export", permission: null, body: FeaturesImport } as const;

const EXAMPLE = {
  project: "shop",
  environment: "development",
  data: {
    features: [{ name: "imported-flag", type: "release" }],
    featureStrategies: [{ name: "default", featureName: "imported-flag" }],
    featureEnvironments: [{ featureName: "imported-flag", enabled: true }],
    tagTypes: [],
  },
};

export const validateImport = POST({
  ...POSTED,
  id: "validateImport",
  summary: "Check an import of flags for problems",
  path: "/api/admin/features-batch/validate",
  response: ImportCheck,
  example: EXAMPLE,
}).run(({ db, actor, body }) => checkImport(db, actor, body));

export const importFeatures = POST({
  ...POSTED,
  id: "importToggles",
  summary: "Create or replace exported flags in an environment",
  path: "/api/admin/features-batch/import",
  errors: ["NotFoundError", "InvalidOperationError", "OperationDeniedError", "ExceedsLimitError"],
  records: [
    "feature-created",
    "feature-link-added",
    "feature-metadata-updated",
    "feature-environment-variants-updated",
    "feature-tagged",
    "feature-strategy-add",
    "feature-environment-enabled",
    "feature-environment-disabled",
    "context-field-created",
    "tag-created",
    "tag-type-created",
    "features-imported",
    "feature-dependency-added",
  ],
  example: EXAMPLE,
}).change(({ tx, actor, body }) => {
  const { project, environment } = body;
  const included = requireImport(tx.db, actor, body);
  importDefinitions(tx, project, included);
  const parts = partsOf(included, usableSegments(tx.db, project));
  for (const feature of included.features)
    importFeature(tx, { project, environment, feature: feature.name }, feature, parts);
  importDependencies(tx, included);
  importLinks(tx, included);
  tx.record({ type: "features-imported", project, environment });
});

/**
 * Context fields and tag types; existing ones stay as they are. A missing description becomes an empty one, and another
 * project's field one of this project (original).
 */
function importDefinitions(tx: Tx, project: string, { contextFields, tagTypes }: Data) {
  for (const field of contextFields.filter(({ name }) => !isKnown(tx.db, "contextField", name)))
    createContextField(tx, { description: "", ...field, ...(field.project && { project }) });
  for (const type of tagTypes) if (!isKnown(tx.db, "tagType", type.name)) createTagType(tx, type);
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

/** A flag's links are replaced if the import has any list of them, even an empty one (original). */
function importLinks(tx: Tx, data: Data) {
  for (const { feature } of data.links) removeLinks(tx).run({ feature });
  for (const { feature, links } of data.links)
    for (const link of links) addLink(tx, findFeature(tx.db, feature)!, link);
}

// The import replaces these parts of a flag, without events (original).
const removeStrategies = command<FeatureScope>(`
  DELETE FROM strategies WHERE feature = :feature AND environment = :environment`);

const removeTags = command<{ feature: string }>(`DELETE FROM feature_tags WHERE feature = :feature`);

/** The parts of an import that belong to each flag, by name. */
type Parts = ReturnType<typeof partsOf>;

/** @param localIds the ids of segments here, by name */
const partsOf = (data: Data, localIds: ReadonlyMap<string, number>) => ({
  strategies: Map.groupBy(numbered(data.featureStrategies), ({ featureName }) => featureName),
  tags: Map.groupBy(data.featureTags, ({ featureName }) => featureName),
  states: new Map(numbered(data.featureEnvironments).map((state) => [state.featureName, state])),
  /** By their ids in the import. */
  segmentIds: new Map(data.segments.map(({ id, name }) => [id, localIds.get(name)!])),
});

/** With the index that errors refer to. */
const numbered = <T extends object>(list: readonly T[]) => list.map((item, index) => ({ ...item, index }));

/** Creates or replaces a flag from an import. @throws ApiError `ValidationError` for an invalid strategy */
function importFeature(tx: Tx, scope: Scope, feature: Data["features"][number], parts: Parts) {
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
    requireFields(tx.db, scope.project, strategy.constraints, `${where}.constraints`);
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
