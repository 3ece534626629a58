import { compare } from "../../db/order.ts";
import type { EventType } from "../../events/types.ts";
import type { Flag } from "./store.ts";

/*
 * What has changed between two states of an environment's flags.
 */

/** By name, in that order. */
export type Flags = ReadonlyMap<string, Flag>;

/** By id, as JSON. */
export type Segments = ReadonlyMap<number, string>;

/** A flag or a segment that has become another, or has come or gone. */
export interface Change {
  /** The revision by which it was so. */
  readonly revision: number;
  readonly kind: "flag" | "segment";
  readonly key: string | number;
  /** Of the flag before, where there was one. */
  readonly project?: string | undefined;
}

/** From so many flags on it is faster to read all. */
const MANY = 500;

/** Without a flag's name these change no flag. */
const HARMLESS =
  /^(user|group|role|pat|api-token|service-account|public-signup|setting|addon|banner|application|context-field|tag|signal|actions|project-(access|user|group|favorited|unfavorited|created|updated)|segment-(created|updated)|client|features-exported|feature-type)/;

/** The flags that were changed; undefined where events do not name them, or too many. */
export function namesIn(events: ReadonlyArray<{ type: EventType; featureName: string | null }>) {
  const names = new Set<string>();
  for (const { type, featureName } of events) {
    if (featureName !== null) names.add(featureName);
    else if (!HARMLESS.test(type)) return undefined;
  }
  return names.size > MANY ? undefined : names;
}

export const byName = (list: readonly Flag[]) => new Map(list.map((flag) => [flag.name, flag]));

/** @param names those that may have changed or gone; others in `now` have come */
export function flagChanges(
  before: Flags,
  names: Iterable<string>,
  now: readonly Flag[],
  next: number,
): Change[] {
  const found = byName(now);
  return [...new Set([...names, ...found.keys()])]
    .filter((name) => before.get(name)?.text !== found.get(name)?.text)
    .map((name) => ({ revision: next, kind: "flag", key: name, project: before.get(name)?.project }));
}

export const segmentChanges = (before: Segments, now: Segments, next: number): Change[] =>
  [...new Set([...before.keys(), ...now.keys()])]
    .filter((id) => before.get(id) !== now.get(id))
    .map((id) => ({ revision: next, kind: "segment", key: id }));

/** With some flags in the place of those of the same names. */
export function merged(before: Flags, names: ReadonlySet<string> | undefined, now: readonly Flag[]): Flags {
  if (!names) return byName(now);
  const flags = new Map(before);
  const found = byName(now);
  const isNew = now.some(({ name }) => !before.has(name));
  for (const name of names) {
    const flag = found.get(name);
    if (flag) flags.set(name, flag);
    else flags.delete(name);
  }
  return isNew ? new Map([...flags].sort(([a], [b]) => compare(a, b))) : flags;
}
