import { command, query } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { Feature } from "../features/schema.ts";
import type { NewDependency } from "./schema.ts";

interface DependencyRow {
  feature: string;
  parent: string;
  enabled: 0 | 1;
  /** As JSON. */
  variants: string;
}

export const insertDependency = command<DependencyRow>(`
  INSERT INTO feature_dependencies (feature, parent, enabled, variants)
  VALUES (:feature, :parent, :enabled, :variants)`);

const remove = command<{ feature: string; parent: string }>(`
  DELETE FROM feature_dependencies WHERE feature = :feature AND parent = :parent`);

const removeAll = command<{ feature: string }>(`DELETE FROM feature_dependencies WHERE feature = :feature`);

const rowsOf = query<{ feature: string }, DependencyRow>(`
  SELECT feature, parent, enabled, variants FROM feature_dependencies WHERE feature = :feature ORDER BY parent`);

/** Makes a flag depend on another one, and on no others any more (original). */
export function setDependency(tx: Tx, feature: Feature, dependency: NewDependency) {
  removeAll(tx).run({ feature: feature.name });
  addDependency(tx, feature, dependency);
}

/** Makes a flag depend on another one too, or changes an existing dependency. */
export function addDependency(tx: Tx, { name, project }: Feature, dependency: NewDependency) {
  const { feature: parent, enabled, variants } = dependency;
  const row = {
    feature: name,
    parent,
    enabled: enabled ? 1 : 0,
    variants: JSON.stringify(variants ?? []),
  } as const;
  remove(tx).run({ feature: name, parent });
  insertDependency(tx).run(row);
  const data = { feature: parent, enabled, ...(variants && { variants }) };
  tx.record({ type: "feature-dependency-added", project, featureName: name, data });
}

/** Removes a flag's dependency on another one, without checking that there was one (original). */
export function removeDependency(tx: Tx, { name, project }: Feature, parent: string) {
  remove(tx).run({ feature: name, parent });
  tx.record({ type: "feature-dependency-removed", project, featureName: name, data: { feature: parent } });
}

/** Removes all of a flag's dependencies. */
export function removeDependencies(tx: Tx, { name, project }: Feature) {
  removeAll(tx).run({ feature: name });
  tx.record({ type: "feature-dependencies-removed", project, featureName: name });
}

/** Copies a flag's dependencies to another flag. */
export function copyDependencies(tx: Tx, from: string, to: Feature) {
  for (const { parent, enabled, variants } of rowsOf(tx.db).all({ feature: from }))
    addDependency(tx, to, { feature: parent, enabled: enabled === 1, variants: JSON.parse(variants) });
}
