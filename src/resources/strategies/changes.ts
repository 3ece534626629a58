import crypto from "node:crypto";
import { command, query } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { Strategy } from "./schema.ts";
import { strategiesAsValues } from "./store.ts";

/** A flag in one environment. */
export interface FeaturePlace {
  feature: string;
  environment: string;
}

/** The same with the project that the flag is in. */
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
const ensureFeatureEnvironment = command<FeaturePlace>(`
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

const enable = command<{ id: string }>(`UPDATE strategies SET disabled = 0 WHERE id = :id`);

/** What a project gives to a flag without strategies, as JSON, and what keeps its flags' answers the same. */
const defaultsOf = query<Omit<Place, "feature">, { strategy: string | null; stickiness: string }>(`
  SELECT default_strategy AS strategy, default_stickiness AS stickiness
  FROM project_environments JOIN projects ON projects.id = project
  WHERE project = :project AND environment = :environment`);

/** Adds a strategy behind those that are there; all that it names has been checked. */
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

export type NewStrategy = Omit<Strategy, "id" | "featureName" | "sortOrder"> & {
  sortOrder?: number | undefined;
};

/** Adds what the project gives to flags without strategies: on for everyone where it says nothing. */
export function addDefaultStrategy(tx: Tx, place: Place) {
  const { project, environment, feature } = place;
  const { strategy, stickiness } = defaultsOf(tx.db).get({ project, environment })!;
  const own = strategy === null ? {} : JSON.parse(strategy);
  const parameters = { rollout: "100", stickiness, ...own.parameters };
  const groupId = own.parameters?.groupId || feature;
  return addStrategy(tx, place, { ...FOR_EVERYONE, ...own, parameters: { ...parameters, groupId } });
}

const FOR_EVERYONE = {
  name: "flexibleRollout",
  title: null,
  disabled: false,
  constraints: [],
  variants: [],
  segments: [],
};

/** Enables the disabled strategies of a flag in an environment. */
export function enableStrategies(tx: Tx, { project, feature, environment }: Place) {
  for (const strategy of strategiesAsValues(tx.db, feature, environment)) {
    if (!strategy.disabled) continue;
    enable(tx).run({ id: strategy.id });
    const [data, preData] = [toData({ ...strategy, disabled: false }), toData(strategy)];
    tx.record({ type: "feature-strategy-update", project, environment, featureName: feature, data, preData });
  }
}

const toRow = (strategy: Strategy): StrategyRow => ({
  id: strategy.id,
  name: strategy.name,
  title: strategy.title,
  disabled: strategy.disabled ? 1 : 0,
  sortOrder: strategy.sortOrder,
  constraints: JSON.stringify(strategy.constraints),
  variants: JSON.stringify(strategy.variants),
  parameters: JSON.stringify(strategy.parameters),
});

/** What events tell of a strategy, in the original's order. */
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
