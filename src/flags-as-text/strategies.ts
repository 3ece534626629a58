import { isDeepStrictEqual } from "node:util";
import type { Database } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import { requireWeights, type Variant } from "../evaluation/variant.ts";
import { disable, enable } from "../flags/feature-environments.ts";
import { isEnabled, type Scope } from "../flags/feature-environments-store.ts";
import { usableSegments } from "../flags/segments.ts";
import { addStrategyOperation, deleteStrategy, replaceStrategy, setSortOrder } from "../flags/strategies.ts";
import { strategiesOf, withDefaults } from "../flags/strategies-store.ts";
import { type Performing, performIn } from "../http/perform.ts";
import { invalid } from "../lib/api-error.ts";
import type { NamedStrategy } from "./state.ts";
import { type Change, type Differences, differences, type Step } from "./step.ts";
import type { TextEnvironment, TextStrategy } from "./text.ts";

/** A flag in an environment, as it is and as it should be. */
interface Environment {
  scope: Scope;
  current: { enabled: boolean; strategies: NamedStrategy[] };
  wanted: TextEnvironment;
}

/**
 * Changes the strategies first, then enables or disables the flag.
 * @throws DataError if it is to be on without an enabled strategy
 */
export function* changesOfEnvironment(
  db: Database,
  { scope, current, wanted }: Environment,
): Generator<Change> {
  const { enabled } = wanted;
  const strategies = wanted.strategies?.map((strategy) => completeStrategy(db, scope, strategy));
  const change = strategies && changeOfStrategies(scope, current.strategies, strategies);
  const isSwitched = enabled !== undefined && enabled !== current.enabled;
  const changes = { enabled: { from: current.enabled, to: enabled } };
  if (enabled && (change || isSwitched)) requireEnabledStrategy(scope, strategies);
  if (change) yield change;
  // Changing its strategies may have turned it off.
  if (enabled !== undefined && (change || isSwitched))
    yield {
      where: describeScope(scope),
      steps: isSwitched ? [{ action: "change", kind: "state", ...placeOf(scope), changes }] : [],
      act: (tx) => setEnabled(tx, scope, enabled),
    };
}

/** Its name in errors. */
const describeScope = ({ feature, environment }: Scope) => `flag ${feature} in ${environment}`;

/** As a step says it. */
const placeOf = ({ feature, environment }: Scope) => ({ name: feature, environment });

function requireEnabledStrategy(scope: Scope, strategies: readonly Wanted[] | undefined) {
  if (strategies?.every(({ disabled }) => disabled))
    throw new DataError(`${describeScope(scope)}: to be on, it needs a strategy that is not disabled`);
}

function setEnabled(tx: Performing, scope: Scope, enabled: boolean) {
  if (isEnabled(tx.db, scope) === enabled) return;
  performIn(tx, enabled ? enable : disable, paramsOf(scope));
}

/** As path parameters of the API. */
const paramsOf = ({ project, feature, environment }: Scope) => ({
  projectId: project,
  featureName: feature,
  environment,
});

/** Adds and changes before removing, so that the flag stays on. @returns undefined if there is nothing to do */
function changeOfStrategies(
  scope: Scope,
  current: readonly NamedStrategy[],
  wanted: readonly Wanted[],
): Change | undefined {
  const pairs = matchStrategies(current, wanted);
  const changed = pairs.filter(({ current, changes }) => current && Object.keys(changes).length > 0);
  const removed = current.filter((one) => !pairs.some((pair) => pair.current === one));
  const at = placeOf(scope);
  const step = (action: Step["action"], { title, name }: Wanted): Step => ({
    action,
    kind: "strategy",
    ...at,
    strategy: title ?? name,
  });
  const steps: Step[] = [
    ...pairs.filter(({ current }) => !current).map(({ wanted }) => step("add", wanted)),
    ...changed.map(({ wanted, changes }) => ({ ...step("change", wanted), changes })),
    ...removed.map((one) => step("remove", one)),
  ];
  if (isMoved(current, pairs)) steps.push({ action: "change", kind: "order", ...at });
  if (steps.length === 0) return undefined;
  return {
    where: describeScope(scope),
    steps,
    act: (tx) => changeStrategies(tx, scope, { pairs, changed, removed }),
  };
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

function changeStrategies(tx: Performing, scope: Scope, { pairs, changed, removed }: Changes) {
  const ids = pairs.map(({ current, wanted }) => current?.id ?? add(tx, scope, wanted));
  // Enabling comes first, so that the flag stays on.
  for (const { current, wanted } of changed.toSorted(
    (a, b) => Number(a.wanted.disabled) - Number(b.wanted.disabled),
  ))
    performIn(
      tx,
      replaceStrategy,
      { ...paramsOf(scope), strategyId: current!.id },
      bodyOf(tx, scope, wanted),
    );
  for (const { id } of removed) performIn(tx, deleteStrategy, { ...paramsOf(scope), strategyId: id });
  const order = strategiesOf(tx.db, scope).map(({ id }) => id);
  if (order.every((id, index) => id === ids[index])) return;
  const body = ids.map((id, sortOrder) => ({ id, sortOrder }));
  performIn(tx, setSortOrder, paramsOf(scope), body);
}

/** @returns the id of the new strategy */
function add(tx: Performing, scope: Scope, wanted: Wanted): string {
  performIn(tx, addStrategyOperation, paramsOf(scope), bodyOf(tx, scope, wanted));
  return strategiesOf(tx.db, scope).at(-1)!.id;
}

/** @throws ApiError `ValidationError` for an unknown segment */
function bodyOf({ db }: Performing, { project }: Scope, { segments, ...strategy }: Wanted) {
  const known = usableSegments(db, project);
  const toId = (name: string) => {
    const id = known.get(name);
    if (id === undefined) throw invalid({ path: "segments", message: `there is no segment ${name}` });
    return id;
  };
  return { ...strategy, segments: segments.map(toId) };
}

/** A complete strategy as it should be. */
type Wanted = Omit<NamedStrategy, "id">;

/** A wanted strategy and the existing one to change; undefined for a new one. */
interface Pair {
  wanted: Wanted;
  current: NamedStrategy | undefined;
  /** Empty if there is nothing to do. */
  changes: Differences;
}

/** The strategy in a text, with defaults for everything it leaves out. */
function completeStrategy(db: Database, scope: Scope, { segments = [], ...given }: TextStrategy): Wanted {
  const { name, title, disabled, constraints, variants, parameters } = withDefaults(db, scope, given);
  return {
    name,
    title,
    disabled,
    segments: [...new Set(segments)].toSorted(),
    constraints,
    variants,
    parameters,
  };
}

/**
 * Matches each wanted strategy with an existing one: first equal ones, then those with the same name and title, then
 * any with the same name.
 */
function matchStrategies(current: readonly NamedStrategy[], wanted: readonly Wanted[]): Pair[] {
  const left = new Set(current);
  const found = new Map<Wanted, NamedStrategy>();
  for (const isSame of [isAlike, hasSameTitle, hasSameName]) {
    for (const one of wanted) {
      if (found.has(one)) continue;
      const match = [...left].find((other) => isSame(other, one));
      if (!match) continue;
      left.delete(match);
      found.set(one, match);
    }
  }
  return wanted.map((one) => {
    const match = found.get(one);
    return { wanted: one, current: match, changes: match ? changesBetween(match, one) : {} };
  });
}

/** Variants whose adjusted weights are equal count as equal. */
function changesBetween(current: NamedStrategy, wanted: Wanted): Differences {
  const { variants, ...others } = differences(current, wanted);
  const isSame =
    !variants || isDeepStrictEqual(withStoredWeights(current.variants), withStoredWeights(wanted.variants));
  return isSame ? others : { ...others, variants };
}

/** As they would be stored; imported ones may be invalid. */
function withStoredWeights(variants: readonly Variant[]) {
  try {
    return requireWeights(variants, "variants");
  } catch {
    return variants;
  }
}

const isAlike = (current: NamedStrategy, wanted: Wanted) =>
  Object.keys(changesBetween(current, wanted)).length === 0;

const hasSameName = (current: NamedStrategy, wanted: Wanted) => current.name === wanted.name;

const hasSameTitle = (current: NamedStrategy, wanted: Wanted) =>
  hasSameName(current, wanted) && current.title === wanted.title;
