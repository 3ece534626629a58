import { DataError } from "../../db/error.ts";
import type { Database } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { Place } from "../../flags/strategies/changes.ts";
import { disable, enable } from "../../flags/strategies/routes-environment.ts";
import { isEnabled } from "../../flags/strategies/store.ts";
import { performIn } from "./perform.ts";
import type { Plan } from "./plan.ts";
import { planStrategies } from "./plan-strategies.ts";
import type { TextEnvironment } from "./schema.ts";
import type { NamedStrategy } from "./state.ts";
import { completeStrategy, type Wanted } from "./strategies.ts";

/** A flag in an environment, as it is and as it should be. */
interface Environment {
  place: Place;
  current: { enabled: boolean; strategies: NamedStrategy[] };
  wanted: TextEnvironment;
}

/**
 * Plans the strategies first, then enabling or disabling the flag.
 * @throws DataError if it is to be on without an enabled strategy
 */
export function planEnvironment(db: Database, plan: Plan, { place, current, wanted }: Environment) {
  const { enabled } = wanted;
  const strategies = wanted.strategies?.map((strategy) => completeStrategy(db, place, strategy));
  const isChanged = strategies !== undefined && planStrategies(plan, place, current.strategies, strategies);
  const isSwitched = enabled !== undefined && enabled !== current.enabled;
  if (enabled && (isChanged || isSwitched)) requireEnabledStrategy(place, strategies);
  if (isSwitched) {
    const at = { name: place.feature, environment: place.environment };
    const changes = { enabled: { from: current.enabled, to: enabled } };
    plan.steps.push({ action: "change", kind: "state", ...at, changes });
  }
  // Changing its strategies may have turned it off.
  if (enabled !== undefined && (isChanged || isSwitched))
    plan.actions.push({ where: describePlace(place), act: (tx) => setEnabled(tx, place, enabled) });
}

/** Its name in errors. */
export const describePlace = ({ feature, environment }: Place) => `flag ${feature} in ${environment}`;

function requireEnabledStrategy(place: Place, strategies: readonly Wanted[] | undefined) {
  if (strategies?.every(({ disabled }) => disabled))
    throw new DataError(`${describePlace(place)}: to be on, it needs a strategy that is not disabled`);
}

function setEnabled(tx: Tx, place: Place, enabled: boolean) {
  if (isEnabled(tx.db, place.feature, place.environment) === enabled) return;
  performIn(tx, enabled ? enable : disable, paramsOf(place));
}

/** As path parameters of the API. */
export const paramsOf = ({ project, feature, environment }: Place) => ({
  projectId: project,
  featureName: feature,
  environment,
});
