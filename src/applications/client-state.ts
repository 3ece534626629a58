import crypto from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Database, dataVersion, perDatabase, snapshot } from "../db/database.ts";
import { changesSoFar, isCurrent, onChange, type Stamp, stampOf } from "../db/revision.ts";
import { compare, noteRead, watchReads } from "../db/statement.ts";
import { type EventType, leavesFlags } from "../events/schema.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { newestEvent } from "../log/stream.ts";
import {
  type Flag,
  flags,
  foreignFlags,
  recordedAfter,
  revision,
  type Segment,
  segmentsInUse,
} from "./client-store.ts";

/*
 * The flags of each environment are cached, and only changed ones are generated again: the log says which. If it
 * doesn't, all flags are generated and compared. Recent changes are kept for clients that request only those.
 */

/** The live flags of all projects in an environment. */
export interface State {
  readonly environment: string;
  /** Random: distinguishes its positions from those of another state. */
  readonly epoch: string;
  flags: Flags;
  /** The same map for as long as no segment changes. */
  segments: Segments;
  /** Grows with every change to a response; usually the id of the event. */
  revision: number;
  /** All changes after this revision are kept. */
  since: number;
  /** Oldest first. */
  changes: Change[];
  /** The newest event taken into account. */
  event: number;
  stamp: Stamp;
  /** The state of other processes' changes. */
  version: unknown;
  /** Something has changed without an event in the log. */
  isUnlogged: boolean;
}

/** By name, in that order. */
type Flags = Map<string, Flag>;

/** By id. */
type Segments = ReadonlyMap<number, Segment>;

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

/** How many changes are kept; clients with an older state get everything. */
const MAX_CHANGES = 10_000;

/** The number of environments is limited, since a service token can request any name. */
const MAX_STATES = 30;

const LOG = "events";

/** By environment; watches for changes without an event, such as to a strategy's segments. */
const statesOf = perDatabase((db) => {
  const states = new BoundedMap<string, State>(MAX_STATES);
  onChange(db, (written) => {
    const tables = new Set(written);
    if (tables.has(LOG)) return;
    for (const state of states.values())
      state.isUnlogged ||= state.stamp.tables.some((table) => tables.has(table));
  });
  return states;
});

export function stateOf(db: Database, environment: string): State {
  const states = statesOf(db);
  const state = snapshot(db, () => upToDate(db, states.get(environment), environment));
  states.set(environment, state);
  noteRead({ tables: state.stamp.tables }); // for anything derived from it as well
  return state;
}

function upToDate(db: Database, state: State | undefined, environment: string): State {
  const version = dataVersion(db);
  if (state && state.version === version && isCurrent(db, state.stamp)) return state;
  const since = changesSoFar();
  const { result: found, readings } = watchReads(() =>
    !state ? load(db, environment) : refresh(db, state, state.isUnlogged || state.version !== version),
  );
  const tables = new Set([
    ...(state?.stamp.tables ?? []),
    ...[...readings].flatMap((reading) => reading.tables),
  ]);
  tables.delete(LOG); // it only says where to look
  return Object.assign(found, { version, stamp: stampOf(tables, since), isUnlogged: false });
}

const load = (db: Database, environment: string) => ({
  environment,
  epoch: crypto.randomBytes(4).toString("hex"),
  flags: byName(flags(db, environment)),
  segments: segmentsInUse(db, environment),
  revision: revision(db, environment),
  since: revision(db, environment),
  changes: [],
  event: newestEvent(db),
});

/** @param isUnlogged whether something has changed that the log doesn't name */
function refresh(db: Database, state: State, isUnlogged: boolean): State {
  const { environment } = state;
  const names = isUnlogged ? undefined : namesIn(recordedAfter(db).all({ id: state.event }));
  const event = newestEvent(db);
  const others = foreignFlags(db, environment)?.revision;
  const newest = others ?? (isUnlogged ? event + 1 : event);
  const next = Math.max(newest, state.revision + 1);
  const current = flags(db, environment, names);
  const segments = segmentsInUse(db, environment);
  const changes = [
    ...segmentChanges(state.segments, segments, next),
    ...flagChanges(state.flags, names ?? state.flags.keys(), current, next),
  ];
  state.event = event;
  if (changes.length === 0) {
    state.revision = Math.max(state.revision, others ?? 0); // changes there may have taken each other back
    return state;
  }
  state.flags = merged(state.flags, names, current);
  if (changes.some(({ kind }) => kind === "segment")) state.segments = segments;
  state.revision = next;
  remember(state, changes);
  return state;
}

function remember(state: State, changes: readonly Change[]) {
  state.changes.push(...changes);
  const tooMany = state.changes.length - MAX_CHANGES;
  if (tooMany <= 0) return;
  state.since = state.changes[tooMany - 1]!.revision;
  state.changes = state.changes.filter(({ revision }) => revision > state.since);
}

/** With more flags than this, reading all of them is faster. */
const MAX_NAMES = 500;

/** The names of changed flags; undefined if events don't name them, or name too many. */
function namesIn(events: ReadonlyArray<{ type: EventType; featureName: string | null }>) {
  const names = new Set<string>();
  for (const { type, featureName } of events) {
    if (featureName !== null) names.add(featureName);
    else if (!leavesFlags(type)) return undefined;
  }
  return names.size > MAX_NAMES ? undefined : names;
}

const byName = (list: readonly Flag[]) => new Map(list.map((flag) => [flag.name, flag]));

/** @param names the flags that may have changed or been removed; others in `current` are new */
function flagChanges(
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

const segmentChanges = (before: Segments, current: Segments, next: number): Change[] =>
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
function merged(flags: Flags, names: ReadonlySet<string> | undefined, current: readonly Flag[]): Flags {
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
