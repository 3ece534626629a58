import type { Tx } from "../../events/write.ts";
import type { Place } from "../../flags/strategies/changes.ts";
import * as routes from "../../flags/strategies/routes.ts";
import { strategiesAsValues } from "../../flags/strategies/store.ts";
import { invalid } from "../../lib/api-error.ts";
import { performIn } from "./perform.ts";
import type { Plan } from "./plan.ts";
import { describePlace, paramsOf } from "./plan-environment.ts";
import { type NamedStrategy, segmentIds } from "./state.ts";
import type { Step } from "./step.ts";
import { matchStrategies, type Pair, type Wanted } from "./strategies.ts";

/** Adds and changes before removing, so that the flag stays on. @returns whether there is anything to do */
export function planStrategies(
  plan: Plan,
  place: Place,
  current: readonly NamedStrategy[],
  wanted: readonly Wanted[],
) {
  const pairs = matchStrategies(current, wanted);
  const before = plan.steps.length;
  const addStep = (action: Step["action"], { title, name }: Wanted, rest: Partial<Step> = {}) => {
    const at = { name: place.feature, environment: place.environment };
    plan.steps.push({ action, kind: "strategy", ...at, strategy: title ?? name, ...rest });
  };
  const changed = pairs.filter(({ current, changes }) => current && Object.keys(changes).length > 0);
  const removed = current.filter((one) => !pairs.some((pair) => pair.current === one));
  for (const { wanted } of pairs.filter(({ current }) => !current)) addStep("add", wanted);
  for (const { wanted, changes } of changed) addStep("change", wanted, { changes });
  for (const one of removed) addStep("remove", one);
  if (isMoved(current, pairs))
    plan.steps.push({ action: "change", kind: "order", name: place.feature, environment: place.environment });
  if (plan.steps.length === before) return false;
  plan.actions.push({
    where: describePlace(place),
    act: (tx) => change(tx, place, { pairs, changed, removed }),
  });
  return true;
}

/** Whether the remaining strategies in their current order, followed by the new ones, are not in the wanted order. */
function isMoved(current: readonly NamedStrategy[], pairs: readonly Pair[]) {
  const places = pairs.map((pair) => (pair.current ? current.indexOf(pair.current) : current.length));
  return places.some((at, index) => index > 0 && at < places[index - 1]!);
}

interface Changes {
  pairs: readonly Pair[];
  changed: readonly Pair[];
  removed: readonly NamedStrategy[];
}

function change(tx: Tx, place: Place, { pairs, changed, removed }: Changes) {
  const ids = pairs.map(({ current, wanted }) => current?.id ?? add(tx, place, wanted));
  // Enabling comes first, so that the flag stays on.
  for (const { current, wanted } of changed.toSorted(
    (a, b) => Number(a.wanted.disabled) - Number(b.wanted.disabled),
  ))
    performIn(
      tx,
      routes.replaceStrategy,
      { ...paramsOf(place), strategyId: current!.id },
      bodyOf(tx, place, wanted),
    );
  for (const { id } of removed) performIn(tx, routes.deleteStrategy, { ...paramsOf(place), strategyId: id });
  const order = strategiesAsValues(tx.db, place.feature, place.environment).map(({ id }) => id);
  if (order.every((id, index) => id === ids[index])) return;
  const body = ids.map((id, sortOrder) => ({ id, sortOrder }));
  performIn(tx, routes.setSortOrder, paramsOf(place), body);
}

/** @returns the id of the new strategy */
function add(tx: Tx, place: Place, wanted: Wanted): string {
  performIn(tx, routes.addStrategy, paramsOf(place), bodyOf(tx, place, wanted));
  return strategiesAsValues(tx.db, place.feature, place.environment).at(-1)!.id;
}

/** @throws ApiError `ValidationError` for an unknown segment */
function bodyOf({ db }: Tx, { project }: Place, { segments, ...strategy }: Wanted) {
  const known = segmentIds(db, project);
  const toId = (name: string) => {
    const id = known.get(name);
    if (id === undefined) throw invalid({ path: "segments", message: `there is no segment ${name}` });
    return id;
  };
  return { ...strategy, segments: segments.map(toId) };
}
