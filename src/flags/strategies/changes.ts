import crypto from "node:crypto";
import { command } from "../../db/statement.ts";
import type { Strategy } from "../../evaluation/strategy.ts";
import type { Tx } from "../../events/write.ts";
import { strategiesAsValues } from "./store.ts";

/** A flag in an environment. */
export interface FeaturePlace {
  feature: string;
  environment: string;
}

/** The same, with the flag's project. */
export interface Place extends FeaturePlace {
  project: string;
}

export interface FeatureEnvironmentRow {
  environment: string;
  enabled: 0 | 1;
  lastSeenAt: string | null;
  variants: string;
}

export const insertFeatureEnvironment = command<{ feature: string } & FeatureEnvironmentRow>(`
  INSERT INTO feature_environments (feature, environment, enabled, last_seen_at, variants)
  VALUES (:feature, :environment, :enabled, :lastSeenAt, :variants)`);

// A flag that was never touched in an environment has no row there.
export const ensureFeatureEnvironment = command<FeaturePlace>(`
  INSERT INTO feature_environments (feature, environment) VALUES (:feature, :environment) ON CONFLICT DO NOTHING`);

/** Lists and objects as JSON. */
export interface StrategyRow extends Record<"constraints" | "variants" | "parameters", string> {
  id: string;
  name: string;
  title: string | null;
  disabled: 0 | 1;
  sortOrder: number;
}

export const insertStrategy = command<FeaturePlace & StrategyRow>(`
  INSERT INTO strategies (id, feature, environment, name, title, disabled, sort_order, constraints, variants,
    parameters)
  VALUES (:id, :feature, :environment, :name, :title, :disabled, :sortOrder, :constraints, :variants,
    :parameters)`);

export const insertStrategySegment = command<{ strategy: string; segment: number }>(`
  INSERT INTO strategy_segments (strategy, segment) VALUES (:strategy, :segment)`);

/** A complete, validated strategy; without a sort order, it goes last. */
export type NewStrategy = Omit<Strategy, "id" | "featureName" | "sortOrder"> & {
  sortOrder?: number | undefined;
};

/** Adds a strategy to a flag in an environment of its project. */
export function addStrategy(tx: Tx, place: Place, strategy: NewStrategy): Strategy {
  const { project, feature, environment } = place;
  const existing = strategiesAsValues(tx.db, feature, environment);
  const sortOrder = strategy.sortOrder ?? (existing.at(-1)?.sortOrder ?? -1) + 1;
  const added = { ...strategy, id: crypto.randomUUID(), featureName: feature, sortOrder };
  ensureFeatureEnvironment(tx).run({ feature, environment });
  insertStrategy(tx).run({ ...toRow(added), feature, environment });
  for (const segment of added.segments) insertStrategySegment(tx).run({ strategy: added.id, segment });
  tx.record({
    type: "feature-strategy-add",
    project,
    environment,
    featureName: feature,
    data: toData(added),
  });
  return added;
}

export const toRow = (strategy: Strategy): StrategyRow => ({
  id: strategy.id,
  name: strategy.name,
  title: strategy.title,
  disabled: strategy.disabled ? 1 : 0,
  sortOrder: strategy.sortOrder,
  constraints: JSON.stringify(strategy.constraints),
  variants: JSON.stringify(strategy.variants),
  parameters: JSON.stringify(strategy.parameters),
});

/** Segment ids in their wire form: without duplicates, in ascending order. */
export const distinct = (ids: readonly number[]) => [...new Set(ids)].toSorted((a, b) => a - b);

/** A strategy in events, with keys in the original's order. */
export const toData = (strategy: Strategy) => ({
  id: strategy.id,
  name: strategy.name,
  title: strategy.title,
  disabled: strategy.disabled,
  constraints: strategy.constraints,
  parameters: strategy.parameters,
  variants: strategy.variants,
  sortOrder: strategy.sortOrder,
  segments: strategy.segments,
});
