import crypto from "node:crypto";
import { dataVersion } from "../../db/data-version.ts";
import { changesSoFar, isCurrent, onChange, type Stamp, stampOf } from "../../db/revision.ts";
import { snapshot } from "../../db/snapshot.ts";
import type { Database } from "../../db/statement.ts";
import { noteRead, watchReads } from "../../db/watch.ts";
import {
  byName,
  type Change,
  type Flags,
  flagChanges,
  merged,
  namesIn,
  type Segments,
  segmentChanges,
} from "./compare.ts";
import { flags, newestEvent, recordedAfter, revision, segmentTexts } from "./store.ts";

/*
 * The flags of each environment are kept in memory, and changed ones are generated again: the log tells which flags
 * these are. If it doesn't, all flags are generated and compared. Changes are remembered for clients that request only
 * these.
 */

/** The live flags of all projects in an environment. */
export interface State {
  readonly environment: string;
  /** Random: what its positions are told from those of another by. */
  readonly epoch: string;
  flags: Flags;
  segments: Segments;
  /** Grows with every change to an answer; usually the id of the event. */
  revision: number;
  /** The revision from which on all changes are remembered. */
  since: number;
  /** Oldest first. */
  changes: Change[];
  /** The newest event that has been taken into account. */
  event: number;
  stamp: Stamp;
  /** The state of other processes' changes. */
  version: unknown;
  /** Something has changed that is not in the log. */
  isVague: boolean;
}

/** How many changes are remembered; clients with an older state get everything. */
const REMEMBERED = 10_000;

/** The most environments kept, since a service token can request any name. */
const MOST = 30;

const LOG = "events";

const kept = new WeakMap<Database, Map<string, State>>();

/** The current flags of an environment. */
export function stateOf(db: Database, environment: string): State {
  const states = kept.get(db) ?? begin(db);
  const state = snapshot(db, () => upToDate(db, states.get(environment), environment));
  states.delete(environment);
  states.set(environment, state);
  if (states.size > MOST) states.delete(states.keys().next().value!);
  noteRead({ tables: state.stamp.keys }); // for whatever is derived from it as well
  return state;
}

/** Watches for changes without an event, such as to a strategy's segments. */
function begin(db: Database) {
  const states = new Map<string, State>();
  kept.set(db, states);
  onChange(db, (written) => {
    const tables = new Set(written);
    if (tables.has(LOG)) return;
    for (const state of states.values())
      state.isVague ||= state.stamp.keys.some((table) => tables.has(table));
  });
  return states;
}

function upToDate(db: Database, state: State | undefined, environment: string): State {
  const version = dataVersion(db);
  if (state && state.version === version && isCurrent(db, state.stamp)) return state;
  const since = changesSoFar();
  const { result: found, readings } = watchReads(() =>
    !state ? load(db, environment) : refresh(db, state, state.isVague || state.version !== version),
  );
  const tables = new Set([...(state?.stamp.keys ?? []), ...[...readings].flatMap((one) => one.tables)]);
  tables.delete(LOG); // it only tells where to look
  return Object.assign(found, { version, stamp: stampOf(tables, since), isVague: false });
}

const load = (db: Database, environment: string) => ({
  environment,
  epoch: crypto.randomBytes(4).toString("hex"),
  flags: byName(flags(db, environment)),
  segments: segmentTexts(db),
  revision: revision(db),
  since: revision(db),
  changes: [],
  event: newestEvent(db),
});

/** @param isVague the log doesn't tell what has changed */
function refresh(db: Database, state: State, isVague: boolean): State {
  const { environment } = state;
  const names = isVague ? undefined : namesIn(recordedAfter(db, state.event));
  const event = newestEvent(db);
  const next = Math.max(isVague ? event + 1 : event, state.revision + 1);
  const now = flags(db, environment, names);
  const segments = segmentTexts(db);
  const changes = [
    ...segmentChanges(state.segments, segments, next),
    ...flagChanges(state.flags, names ?? state.flags.keys(), now, next),
  ];
  state.event = event;
  if (changes.length === 0) return state;
  state.flags = merged(state.flags, names, now);
  state.segments = segments;
  state.revision = next;
  remember(state, changes);
  return state;
}

function remember(state: State, changes: readonly Change[]) {
  state.changes.push(...changes);
  const tooMany = state.changes.length - REMEMBERED;
  if (tooMany <= 0) return;
  state.since = state.changes[tooMany - 1]!.revision;
  state.changes = state.changes.filter(({ revision }) => revision > state.since);
}
