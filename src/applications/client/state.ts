import crypto from "node:crypto";
import { dataVersion } from "../../db/data-version.ts";
import { perDatabase } from "../../db/per-database.ts";
import { changesSoFar, isCurrent, onChange, type Stamp, stampOf } from "../../db/revision.ts";
import { snapshot } from "../../db/snapshot.ts";
import type { Database } from "../../db/statement.ts";
import { noteRead, watchReads } from "../../db/watch.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import { newestEvent } from "../../log/stream.ts";
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
import { flags, recordedAfter, revision, segmentsInUse } from "./store.ts";

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

/** The current flags of an environment. */
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
  segments: segmentsInUse(db),
  revision: revision(db),
  since: revision(db),
  changes: [],
  event: newestEvent(db),
});

/** @param isUnlogged whether something has changed that the log doesn't name */
function refresh(db: Database, state: State, isUnlogged: boolean): State {
  const { environment } = state;
  const names = isUnlogged ? undefined : namesIn(recordedAfter(db, state.event));
  const event = newestEvent(db);
  const next = Math.max(isUnlogged ? event + 1 : event, state.revision + 1);
  const current = flags(db, environment, names);
  const segments = segmentsInUse(db);
  const changes = [
    ...segmentChanges(state.segments, segments, next),
    ...flagChanges(state.flags, names ?? state.flags.keys(), current, next),
  ];
  state.event = event;
  if (changes.length === 0) return state;
  state.flags = merged(state.flags, names, current);
  state.segments = segments;
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
