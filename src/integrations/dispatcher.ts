import { type Database, perDatabase } from "../db/database.ts";
import { watchOthers } from "../db/revision.ts";
import { onQueued } from "../events/deliveries.ts";
import { nextTurn, oneAtATime } from "../lib/background.ts";
import type { Log } from "../lib/logger.ts";
import { type AttemptContext, type Clock, systemClock } from "./attempt.ts";
import { activeIntegrations } from "./deliveries.ts";
import { createLane, type Lane } from "./lane.ts";
import { createPace, createSlots } from "./pace.ts";
import { createPost } from "./post.ts";

export interface DispatcherOptions {
  db: Database;
  log: Log;
  /** The server's public URL, including the base path. */
  publicUrl: string;
  /** Private targets that are allowed; see guard.ts. */
  allowed?: readonly string[];
  /** The folder for the file provider. */
  folder?: string | undefined;
  /** The environment, for proxy settings. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Additional trusted certificate authorities, in PEM. */
  ca?: readonly string[] | undefined;
  slackApi?: string;
  /** The timeout of one request, in milliseconds. */
  timeoutMs?: number;
  clock?: Clock;
}

export interface Dispatcher {
  /** The context of a single attempt. */
  readonly context: AttemptContext;
  /** Resolves when everything in progress has been recorded. */
  stop(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

/** How long `stop` waits for deliveries in progress, in milliseconds; unfinished ones are repeated after a restart. */
const GRACE_MS = 4000;

/** How often to check for commits by other processes, in milliseconds; a check takes a few microseconds. */
const POLL_MS = 10;

const running = perDatabase((): { dispatcher?: Dispatcher | undefined } => ({}));

/** The running dispatcher for this file; undefined if there is none. */
export const dispatcherOf = (db: Database) => running(db).dispatcher;

/**
 * Delivers events to integrations at least once, in the order of events for each integration; slow receivers don't
 * delay others. Resumes the queue that earlier runs left.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, log, clock = systemClock, publicUrl, folder, slackApi = "https://slack.com/api" } = options;
  const { allowed = [], env = {}, ca, timeoutMs = TIMEOUT_MS } = options;
  const aborter = new AbortController();
  let isStopped = false;
  const { signal } = aborter;
  const { post, disconnect } = createPost({ allowed, env, ca, timeoutMs, signal });
  const outside = { post, publicUrl, folder, slackApi, signal };
  const steady = createPace();
  const pace = () => (isStopped ? Promise.resolve() : steady()); // what still waits then is only dropped
  const [takeAny, takeForFailing] = [createSlots(pace), createSlots(pace)];
  const takeSlot = (failures: number) => (failures > 0 ? takeForFailing() : takeAny());
  const context: AttemptContext = { db, log, clock, outside, takeSlot };
  const lanes = new Map<number, Lane>();
  const laneContext = { ...context, isStopped: () => isStopped };
  const waking = new Set<number>();
  const wakeInTurns = oneAtATime(async () => {
    for (const id of waking) {
      await nextTurn();
      waking.delete(id);
      const lane = lanes.get(id) ?? createLane(laneContext, id);
      lanes.set(id, lane);
      lane.wake();
    }
  });
  const wake = (ids: Iterable<number>) => {
    for (const id of ids) waking.add(id);
    wakeInTurns();
  };
  const wakeAll = () => wake(activeIntegrations(db));
  onQueued(db, wake);
  const stopPolling = watchOthers(db, wakeAll, POLL_MS);
  wakeAll();
  const dispatcher: Dispatcher = {
    context,
    async stop() {
      isStopped = true;
      stopPolling();
      onQueued(db, undefined);
      running(db).dispatcher = undefined;
      const grace = setTimeout(() => aborter.abort(), GRACE_MS);
      await Promise.all([...lanes.values()].map((lane) => lane.drain()));
      clearTimeout(grace);
      disconnect();
    },
  };
  running(db).dispatcher = dispatcher;
  return dispatcher;
}
