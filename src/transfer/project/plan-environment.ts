import { DataError } from "../../db/error.ts";
import type { Database } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { NamedStrategy } from "../../resources/projects/state-store.ts";
import type { Place } from "../../resources/strategies/changes.ts";
import { disable, enable } from "../../resources/strategies/routes-environment.ts";
import { isEnabled } from "../../resources/strategies/store.ts";
import { performIn } from "./perform.ts";
import type { Plan } from "./plan.ts";
import { planStrategies } from "./plan-strategies.ts";
import type { TextEnvironment } from "./schema.ts";
import { type Wanted, whole } from "./strategies.ts";

/** A flag in an environment, as it is and as it should be. */
interface Environment {
  place: Place;
  had: { enabled: boolean; strategies: NamedStrategy[] };
  wanted: TextEnvironment;
}

/**
 * Plans the strategies first, then whether the flag is on.
 * @throws DataError if it is to be on without an enabled strategy
 */
export function planEnvironment(db: Database, plan: Plan, { place, had, wanted }: Environment) {
  const { enabled } = wanted;
  const strategies = wanted.strategies?.map((strategy) => whole(db, place, strategy));
  const isChanged = strategies !== undefined && planStrategies(plan, place, had.strategies, strategies);
  const isSwitched = enabled !== undefined && enabled !== had.enabled;
  if (enabled && (isChanged || isSwitched)) requireSomethingOn(place, strategies);
  if (isSwitched) {
    const at = { name: place.feature, environment: place.environment };
    const changes = { enabled: { from: had.enabled, to: enabled } };
    plan.steps.push({ action: "change", kind: "state", ...at, changes });
  }
  // Changing its strategies may have turned it off.
  if (enabled !== undefined && (isChanged || isSwitched))
    plan.actions.push({ where: toWords(place), act: (tx) => settle(tx, place, enabled) });
}

/** Its name in errors. */
export const toWords = ({ feature, environment }: Place) => `flag ${feature} in ${environment}`;

function requireSomethingOn(place: Place, strategies: readonly Wanted[] | undefined) {
  if (strategies?.every(({ disabled }) => disabled))
    throw new DataError(`${toWords(place)}: to be on it needs a strategy that is not disabled`);
}

function settle(tx: Tx, place: Place, enabled: boolean) {
  if (isEnabled(tx.db, place.feature, place.environment) === enabled) return;
  performIn(tx, enabled ? enable : disable, paramsOf(place));
}

/** As path parameters of the API. */
export const paramsOf = ({ project, feature, environment }: Place) => ({
  projectId: project,
  featureName: feature,
  environment,
});
