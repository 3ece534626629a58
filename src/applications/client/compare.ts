import { isDeepStrictEqual } from "node:util";
import { compare } from "../../db/order.ts";
import type { EventType } from "../../events/schema.ts";
import type { Flag, Segment } from "./store.ts";

/*
 * The differences between two states of an environment's flags.
 */

/** By name, in that order. */
export type Flags = Map<string, Flag>;

/** By id. */
export type Segments = ReadonlyMap<number, Segment>;

/** A flag or segment that was added, changed or removed. */
export interface Change {
  /** The revision with which it changed. */
  readonly revision: number;
  readonly kind: "flag" | "segment";
  readonly key: string | number;
  /** The flag's project before the change, if it existed. */
  readonly project?: string | undefined;
  /** The projects for which a segment changed; null for all. */
  readonly projects?: Segment["projects"];
}

/** With more flags than this, reading all of them is faster. */
const MAX_NAMES = 500;

/** Types of events that change no flags unless they name one. */
const NEUTRAL =
  /^(user|group|role|pat|api-token|service-account|public-signup|setting|addon|banner|application|context-field|tag|signal|actions|project-(access|user|group|favorited|unfavorited|created|updated)|segment-(created|updated)|client|features-exported|feature-type)/;

/** The names of changed flags; undefined if events don't name them, or name too many. */
export function namesIn(events: ReadonlyArray<{ type: EventType; featureName: string | null }>) {
  const names = new Set<string>();
  for (const { type, featureName } of events) {
    if (featureName !== null) names.add(featureName);
    else if (!NEUTRAL.test(type)) return undefined;
  }
  return names.size > MAX_NAMES ? undefined : names;
}

export const byName = (list: readonly Flag[]) => new Map(list.map((flag) => [flag.name, flag]));

/** @param names the flags that may have changed or been removed; others in `current` are new */
export function flagChanges(
  before: Flags,
  names: Iterable<string>,
  current: readonly Flag[],
  next: number,
): Change[] {
  const found = byName(current);
  return [...new Set([...names, ...found.keys()])]
    .filter((name) => before.get(name)?.text !== found.get(name)?.text)
    .map((name) => ({ revision: next, kind: "flag", key: name, project: before.get(name)?.project }));
}

export const segmentChanges = (before: Segments, current: Segments, next: number): Change[] =>
  [...new Set([...before.keys(), ...current.keys()])].flatMap((key) => {
    const [one, other] = [before.get(key), current.get(key)];
    if (isDeepStrictEqual(one, other)) return [];
    return [{ revision: next, kind: "segment", key, projects: union(one, other) }];
  });

/** The projects of either; null for all. */
export function union(one: Pick<Change, "projects"> = {}, other: Pick<Change, "projects"> = {}) {
  if (one.projects === null || other.projects === null) return null;
  return [...new Set([...(one.projects ?? []), ...(other.projects ?? [])])];
}

/** Replaces the flags with these names, in place unless there are new ones; undefined for all. */
export function merged(
  flags: Flags,
  names: ReadonlySet<string> | undefined,
  current: readonly Flag[],
): Flags {
  if (!names) return byName(current);
  const found = byName(current);
  const isNew = current.some(({ name }) => !flags.has(name));
  for (const name of names) {
    const flag = found.get(name);
    if (flag) flags.set(name, flag);
    else flags.delete(name);
  }
  return isNew ? new Map([...flags].sort(([a], [b]) => compare(a, b))) : flags;
}
