import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { type FeaturePlace, type Place, toData } from "./changes.ts";
import { addDefaultStrategy } from "./changes-default.ts";
import { getsStrategy, isEnabled, strategiesAsValues } from "./store.ts";

const setEnabled = command<FeaturePlace & { enabled: 0 | 1 }>(`
  INSERT INTO feature_environments (feature, environment, enabled) VALUES (:feature, :environment, :enabled)
  ON CONFLICT DO UPDATE SET enabled = :enabled`);

const enableStrategy = command<{ id: string }>(`UPDATE strategies SET disabled = 0 WHERE id = :id`);

/** Enables a flag in an environment of its project; `getsStrategy` says if it gets the default strategy. */
export function enableFeature(tx: Tx, place: Place, { enablesStrategies = false } = {}) {
  const { project, feature, environment } = place;
  if (getsStrategy(tx.db, place, enablesStrategies)) addDefaultStrategy(tx, place);
  else if (enablesStrategies) enableStrategies(tx, place);
  if (isEnabled(tx.db, feature, environment)) return;
  setEnabled(tx).run({ feature, environment, enabled: 1 });
  tx.record({ type: "feature-environment-enabled", project, environment, featureName: feature });
}

/** Disables a flag in an environment of its project. */
export function disableFeature(tx: Tx, { project, feature, environment }: Place) {
  if (!isEnabled(tx.db, feature, environment)) return;
  setEnabled(tx).run({ feature, environment, enabled: 0 });
  tx.record({ type: "feature-environment-disabled", project, environment, featureName: feature });
}

function enableStrategies(tx: Tx, { project, feature, environment }: Place) {
  for (const strategy of strategiesAsValues(tx.db, feature, environment)) {
    if (!strategy.disabled) continue;
    enableStrategy(tx).run({ id: strategy.id });
    const [data, preData] = [toData({ ...strategy, disabled: false }), toData(strategy)];
    tx.record({ type: "feature-strategy-update", project, environment, featureName: feature, data, preData });
  }
}
