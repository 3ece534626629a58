import { isDeepStrictEqual } from "node:util";
import type { Database } from "../../db/statement.ts";
import type { Variant } from "../../evaluation/variant.ts";
import type { Place } from "../../flags/strategies/changes.ts";
import { withDefaults } from "../../flags/strategies/changes-default.ts";
import { requireWeights } from "../../flags/variants/require.ts";
import type { TextStrategy } from "./schema.ts";
import type { NamedStrategy } from "./state.ts";
import { type Differences, differences } from "./step.ts";

/** A complete strategy as it should be. */
export type Wanted = Omit<NamedStrategy, "id">;

/** A wanted strategy and the existing one to change; undefined for a new one. */
export interface Pair {
  wanted: Wanted;
  current: NamedStrategy | undefined;
  /** Empty if there is nothing to do. */
  changes: Differences;
}

/** The strategy in a text, with defaults for everything it leaves out. */
export function completeStrategy(
  db: Database,
  place: Place,
  { segments = [], ...given }: TextStrategy,
): Wanted {
  const { name, title, disabled, constraints, variants, parameters } = withDefaults(db, place, given);
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
export function matchStrategies(current: readonly NamedStrategy[], wanted: readonly Wanted[]): Pair[] {
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
