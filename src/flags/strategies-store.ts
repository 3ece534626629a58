import crypto from "node:crypto";
import { bit } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, fromStored, query, type Stored, toStored } from "../db/statement.ts";
import type {
  CreateStrategy,
  DefaultStrategy,
  StrategyOrder,
  UpdateStrategy,
} from "../evaluation/strategy.ts";
import { Strategy } from "../evaluation/strategy.ts";
import type { NewEvent, Tx } from "../events/write.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { environmentsOf } from "../projects/project-environments.ts";
import {
  copyFeatureEnvironments,
  ensureFeatureEnvironment,
  type FeatureScope,
  isArchived,
  type Scope,
  setEnabled,
} from "./feature-environments-store.ts";
import { insertStrategySegment, requireSegments, setStrategySegments } from "./strategy-segments.ts";

type Row = Stored<Strategy>;

const COLUMNS = `strategies.id, strategies.name, title, disabled, feature AS featureName, sort_order AS sortOrder,
  (SELECT json_group_array(segment ORDER BY segment) FROM strategy_segments WHERE strategy = strategies.id)
    AS segments,
  constraints, variants, parameters`;

const inOrder = query<FeatureScope, Row>(`
  SELECT ${COLUMNS}
  FROM strategies WHERE feature = :feature AND environment = :environment
  ORDER BY sort_order, id`);

/** A flag's strategies in an environment, in order. */
export const strategiesOf = (db: Database, { feature, environment }: FeatureScope): Strategy[] =>
  inOrder(db)
    .all({ feature, environment })
    .map((row) => toStrategy(row));

/** A row with its stored parts as values. */
export const toStrategy = fromStored(Strategy);

const byId = query<{ id: string }, Row & { project: string; environment: string }>(`
  SELECT ${COLUMNS}, project, environment
  FROM strategies JOIN features ON features.name = feature WHERE strategies.id = :id`);

/**
 * The strategy with this id.
 * @throws ApiError `NotFoundError` if there is none in the project, `InvalidOperationError` if it is elsewhere in it
 */
export function requireStrategy(db: Database, scope: Scope, id: string): Strategy {
  const row = byId(db).get({ id });
  const here = found(row?.project === scope.project ? row : undefined, `strategy ${id}`);
  const { project: _, environment, ...strategy } = toStrategy(here);
  if (strategy.featureName === scope.feature && environment === scope.environment) return strategy;
  throw new ApiError(
    "InvalidOperationError",
    `The strategy ${id} does not belong to this flag and environment`,
  );
}

/** Whether a strategy has this id. */
export const isStrategy = (db: Database, id: string) => byId(db).get({ id }) !== undefined;

/** The same of a flag that is not archived. @throws ApiError `NotFoundError`, `InvalidOperationError` (original) */
export function requireStrategyOfLive(db: Database, scope: Scope, id: string): Strategy {
  const strategy = requireStrategy(db, scope, id);
  if (isArchived(db, scope)) throw new ApiError("NotFoundError", `The flag ${scope.feature} is archived`);
  return strategy;
}

/** The columns that don't say where a strategy is. */
type StrategyRow = Omit<Row, "featureName" | "segments">;

export const insertStrategy = command<FeatureScope & StrategyRow>(`
  INSERT INTO strategies (id, feature, environment, name, title, disabled, sort_order, constraints, variants,
    parameters)
  VALUES (:id, :feature, :environment, :name, :title, :disabled, :sortOrder, :constraints, :variants,
    :parameters)`);

const update = command<StrategyRow>(`
  UPDATE strategies SET name = :name, title = :title, disabled = :disabled, sort_order = :sortOrder,
    constraints = :constraints, variants = :variants, parameters = :parameters
  WHERE id = :id`);

const setOrder = command<{ id: string; sortOrder: number }>(`
  UPDATE strategies SET sort_order = :sortOrder WHERE id = :id`);

const remove = command<{ id: string }>(`DELETE FROM strategies WHERE id = :id`);

/** A complete, validated strategy; without a sort order, it goes last. */
type NewStrategy = Omit<Strategy, "id" | "featureName" | "sortOrder"> & {
  sortOrder?: number | undefined;
};

/** Adds a strategy to a flag in an environment of its project. */
export function addStrategy(tx: Tx, scope: Scope, strategy: NewStrategy): Strategy {
  const { feature, environment } = scope;
  const last = strategiesOf(tx.db, scope).at(-1)?.sortOrder ?? -1;
  const { sortOrder = last + 1 } = strategy;
  const added = { ...strategy, id: crypto.randomUUID(), featureName: feature, sortOrder };
  ensureFeatureEnvironment(tx).run({ feature, environment });
  insertStrategy(tx).run(toStored({ ...added, feature, environment }));
  for (const segment of added.segments) insertStrategySegment(tx).run({ strategy: added.id, segment });
  recordStrategy(tx, "feature-strategy-add", scope, { data: toData(added) });
  return added;
}

/** Changes a strategy; the change has been validated. Disables the flag if no strategy is left enabled. */
export function updateStrategy(tx: Tx, scope: Scope, before: Strategy, change: UpdateStrategy): Strategy {
  const updated: Strategy = {
    ...before,
    name: change.name ?? before.name,
    title: change.title === undefined ? before.title : change.title,
    disabled: change.disabled ?? before.disabled,
    sortOrder: change.sortOrder ?? before.sortOrder,
    constraints: change.constraints ?? [],
    variants: change.variants ?? [],
    parameters: change.parameters ?? before.parameters,
    segments: change.segments ? distinct(change.segments) : before.segments,
  };
  update(tx).run(toStored(updated));
  if (change.segments) setStrategySegments(tx, before.id, updated.segments);
  recordStrategy(tx, "feature-strategy-update", scope, { data: toData(updated), preData: toData(before) });
  disableIfNoneEnabled(tx, scope);
  return updated;
}

/** Deletes a strategy. Disables the flag if no strategy is left enabled. */
export function removeStrategy(tx: Tx, scope: Scope, strategy: Strategy) {
  remove(tx).run({ id: strategy.id });
  recordStrategy(tx, "feature-strategy-remove", scope, { preData: toData(strategy) });
  disableIfNoneEnabled(tx, scope);
}

/** Changes the sort order of a flag's strategies in an environment. */
export function sortStrategies(tx: Tx, scope: Scope, order: StrategyOrder) {
  const idsInOrder = () => ({ strategyIds: strategiesOf(tx.db, scope).map(({ id }) => id) });
  const preData = idsInOrder();
  for (const one of order) setOrder(tx).run(one);
  recordStrategy(tx, "strategy-order-changed", scope, { data: idsInOrder(), preData });
}

const recordStrategy = (
  tx: Tx,
  type: `feature-strategy-${"add" | "update" | "remove"}` | "strategy-order-changed",
  { project, feature, environment }: Scope,
  change: Pick<NewEvent, "data" | "preData">,
) => tx.record({ type, project, environment, featureName: feature, ...change });

/** A strategy in events, with keys in the original's order. */
const toData = (strategy: Strategy) => ({
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

/** Segment ids in their wire form: without duplicates, in ascending order. */
export const distinct = (ids: readonly number[]) => [...new Set(ids)].toSorted((a, b) => a - b);

function disableIfNoneEnabled(tx: Tx, scope: Scope) {
  if (!hasStrategy(tx.db, scope, { enabled: true })) setEnabled(tx, scope, false);
}

const firstStrategy = query<FeatureScope & { onlyEnabled: 0 | 1 }>(`
  SELECT 1 FROM strategies
  WHERE feature = :feature AND environment = :environment AND (NOT :onlyEnabled OR NOT disabled) LIMIT 1`);

/** Whether a flag has any strategy in an environment, or any that is enabled. */
const hasStrategy = (db: Database, { feature, environment }: FeatureScope, { enabled = false } = {}) =>
  firstStrategy(db).get({ feature, environment, onlyEnabled: bit(enabled) }) !== undefined;

/**
 * Whether a flag gets the default strategy when it is enabled: if it has no enabled strategy, unless its disabled ones
 * are to be enabled (original).
 */
export const getsDefaultStrategy = (db: Database, scope: FeatureScope, enablesStrategies: boolean): boolean =>
  !hasStrategy(db, scope, { enabled: !enablesStrategies });

/** Enables a flag in an environment of its project; `getsDefaultStrategy` says if it gets the default strategy. */
export function enableFeature(tx: Tx, scope: Scope, { enablesStrategies = false } = {}) {
  if (getsDefaultStrategy(tx.db, scope, enablesStrategies)) addDefaultStrategy(tx, scope);
  else if (enablesStrategies) enableStrategies(tx, scope);
  setEnabled(tx, scope, true);
}

function enableStrategies(tx: Tx, scope: Scope) {
  for (const before of strategiesOf(tx.db, scope).filter(({ disabled }) => disabled)) {
    const enabled = { ...before, disabled: false };
    update(tx).run(toStored(enabled));
    recordStrategy(tx, "feature-strategy-update", scope, { data: toData(enabled), preData: toData(before) });
  }
}

/** An environment of a project. */
type ProjectScope = Pick<Scope, "project" | "environment">;

/** A project's default strategy for flags without any, as JSON, and its default stickiness. */
const defaultsOf = query<ProjectScope, { strategy: string | null; stickiness: string }>(`
  SELECT default_strategy AS strategy, default_stickiness AS stickiness
  FROM project_environments JOIN projects ON projects.id = project
  WHERE project = :project AND environment = :environment`);

const storeDefault = command<ProjectScope & { strategy: string }>(`
  UPDATE project_environments SET default_strategy = :strategy
  WHERE project = :project AND environment = :environment`);

/** Sets a project's default strategy in an environment; it has been validated. */
export function setDefaultStrategy(
  tx: Tx,
  { project, environment }: ProjectScope,
  strategy: DefaultStrategy,
) {
  const preData = defaultStrategy(tx.db, { project, environment });
  storeDefault(tx).run({ project, environment, strategy: JSON.stringify(strategy) });
  tx.record({ type: "default-strategy-updated", project, environment, data: strategy, preData });
}

function defaultStrategy(db: Database, { project, environment }: ProjectScope): DefaultStrategy | null {
  const { strategy } = defaultsOf(db).get({ project, environment })!;
  return strategy === null ? null : JSON.parse(strategy);
}

/** The strategy that a flag without any gets: its project's default one; on for everyone if the project has not set one. */
export function defaultStrategyFor(db: Database, scope: Scope): NewStrategy {
  const own = defaultStrategy(db, scope) ?? { name: "flexibleRollout" };
  // The default strategy can't name the flag.
  const groupId = own.parameters?.groupId || scope.feature;
  return withDefaults(db, scope, { ...own, parameters: { ...own.parameters, groupId } });
}

/** @throws ApiError `NotFoundError` if the default strategy names a segment that has since been deleted */
function addDefaultStrategy(tx: Tx, scope: Scope) {
  const strategy = defaultStrategyFor(tx.db, scope);
  requireSegments(tx, scope.project, strategy.segments);
  addStrategy(tx, scope, strategy);
}

/** The strategy with defaults filled in. */
export const withDefaults = (db: Database, scope: Scope, strategy: CreateStrategy): NewStrategy => ({
  name: strategy.name,
  title: strategy.title ?? null,
  disabled: strategy.disabled ?? false,
  sortOrder: strategy.sortOrder,
  constraints: strategy.constraints ?? [],
  variants: strategy.variants ?? [],
  segments: distinct(strategy.segments ?? []),
  parameters:
    strategy.name === "flexibleRollout"
      ? rolloutParameters(db, scope, strategy)
      : (strategy.parameters ?? {}),
});

/** The default parameters: on for everyone. */
function rolloutParameters(db: Database, { project, environment, feature }: Scope, strategy: CreateStrategy) {
  const { rollout = "100", groupId = feature, stickiness, ...rest } = strategy.parameters ?? {};
  const defaultStickiness = () => defaultsOf(db).get({ project, environment })!.stickiness;
  return { groupId, rollout, stickiness: stickiness || defaultStickiness(), ...rest };
}

interface Copy {
  project: string;
  /** The flag to copy, and its copy. */
  from: string;
  to: string;
  /** Strategies that use the flag's name as their groupId get the copy's name instead. */
  replacesGroupId: boolean;
}

/** Gives a new flag the variants and strategies of another in all environments of its project, off everywhere. */
export function copyStrategies(tx: Tx, { project, from, to, replacesGroupId }: Copy) {
  copyFeatureEnvironments(tx).run({ from, to, project });
  for (const environment of environmentsOf(tx.db, project)) {
    for (const strategy of strategiesOf(tx.db, { feature: from, environment })) {
      const { groupId } = strategy.parameters;
      const parameters = {
        ...strategy.parameters,
        ...(replacesGroupId && groupId !== undefined && { groupId: to }),
      };
      const title = strategy.title ?? ""; // (original)
      addStrategy(tx, { project, feature: to, environment }, { ...strategy, title, parameters });
    }
  }
}
