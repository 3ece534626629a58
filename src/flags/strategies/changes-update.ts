import { command } from "../../db/statement.ts";
import type { Strategy, StrategyOrder, UpdateStrategy } from "../../evaluation/strategy.ts";
import type { Tx } from "../../events/write.ts";
import { distinct, insertStrategySegment, type Place, type StrategyRow, toData, toRow } from "./changes.ts";
import { disableFeature } from "./changes-enabled.ts";
import { strategiesAsValues } from "./store.ts";

const setRow = command<StrategyRow>(`
  UPDATE strategies SET name = :name, title = :title, disabled = :disabled, sort_order = :sortOrder,
    constraints = :constraints, variants = :variants, parameters = :parameters
  WHERE id = :id`);

const setOrder = command<{ id: string; sortOrder: number }>(`
  UPDATE strategies SET sort_order = :sortOrder WHERE id = :id`);

const remove = command<{ id: string }>(`DELETE FROM strategies WHERE id = :id`);

const removeSegments = command<{ id: string }>(`DELETE FROM strategy_segments WHERE strategy = :id`);

/** Changes a strategy; the change has been validated. Disables the flag if no strategy is left enabled. */
export function updateStrategy(tx: Tx, place: Place, before: Strategy, change: UpdateStrategy): Strategy {
  const updated = toUpdated(before, change);
  setRow(tx).run(toRow(updated));
  if (change.segments) {
    removeSegments(tx).run({ id: before.id });
    for (const segment of updated.segments) insertStrategySegment(tx).run({ strategy: before.id, segment });
  }
  const { project, environment, feature: featureName } = place;
  const [data, preData] = [toData(updated), toData(before)];
  tx.record({ type: "feature-strategy-update", project, environment, featureName, data, preData });
  disableIfNoneEnabled(tx, place);
  return updated;
}

/** Deletes a strategy. Disables the flag if no strategy is left enabled. */
export function removeStrategy(tx: Tx, place: Place, strategy: Strategy) {
  remove(tx).run({ id: strategy.id });
  const { project, environment, feature: featureName } = place;
  const preData = toData(strategy);
  tx.record({ type: "feature-strategy-remove", project, environment, featureName, preData });
  disableIfNoneEnabled(tx, place);
}

/** Changes the sort order of a flag's strategies in an environment. */
export function sortStrategies(tx: Tx, place: Place, order: StrategyOrder) {
  const { project, feature, environment } = place;
  const idsInOrder = () => strategiesAsValues(tx.db, feature, environment).map(({ id }) => id);
  const before = idsInOrder();
  for (const one of order) setOrder(tx).run(one);
  tx.record({
    type: "strategy-order-changed",
    project,
    environment,
    featureName: feature,
    data: { strategyIds: idsInOrder() },
    preData: { strategyIds: before },
  });
}

const toUpdated = (before: Strategy, change: UpdateStrategy): Strategy => ({
  ...before,
  name: change.name ?? before.name,
  title: change.title === undefined ? before.title : change.title,
  disabled: change.disabled ?? before.disabled,
  sortOrder: change.sortOrder ?? before.sortOrder,
  constraints: change.constraints ?? [],
  variants: change.variants ?? [],
  parameters: change.parameters ?? before.parameters,
  segments: change.segments ? distinct(change.segments) : before.segments,
});

function disableIfNoneEnabled(tx: Tx, place: Place) {
  const strategies = strategiesAsValues(tx.db, place.feature, place.environment);
  if (strategies.every(({ disabled }) => disabled)) disableFeature(tx, place);
}
