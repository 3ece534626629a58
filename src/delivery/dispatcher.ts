import type { Database } from "../db/statement.ts";
import { onQueued } from "../events/deliveries.ts";
import type { Log } from "../log.ts";
import { activeIntegrations } from "../resources/integrations/delivery-store.ts";
import { createAgents, proxiesIn } from "./agents.ts";
import type { Attempting } from "./attempt.ts";
import { type Clock, systemClock } from "./clock.ts";
import { createGuard } from "./guard.ts";
import { createLane, type Lane } from "./lane.ts";
import { createPost } from "./post.ts";

export interface DispatcherOptions {
  db: Database;
  log: Log;
  /** Where people find this server, the base path included. */
  publicUrl: string;
  /** Private targets that are allowed; see guard.ts. */
  allowed?: readonly string[];
  /** Where files are written. */
  folder?: string | undefined;
  /** The environment, for settings of a proxy. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Authorities that are trusted, in PEM. */
  ca?: readonly string[] | undefined;
  slackApi?: string;
  /** How long one request may take, in milliseconds. */
  timeoutMs?: number;
  clock?: Clock;
}

export interface Dispatcher {
  /** What a single attempt is made with. */
  readonly context: Attempting;
  /** Resolves when all that was under way is recorded. */
  stop(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

/** How long what is under way may take once it stops, in milliseconds; it is begun anew at the next start. */
const GRACE_MS = 4000;

/** How often commits of other processes are looked for, in milliseconds; it takes a few microseconds. */
const POLL_MS = 25;

const running = new WeakMap<Database, Dispatcher>();

/** The one that delivers what this file queues; undefined where nobody does. */
export const dispatcherOf = (db: Database) => running.get(db);

/**
 * Delivers events to integrations, at least once, each integration's in the order of events; none waits for another's
 * receiver. It goes on with what was queued before it started.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, log, clock = systemClock } = options;
  const ending = new AbortController();
  let isStopped = false;
  const { outside, destroy } = toOutside(options, ending.signal);
  const context: Attempting = { db, log, clock, outside, decrypted: new Map() };
  const lanes = new Map<number, Lane>();
  const wake = (ids: Iterable<number>) => {
    for (const id of ids) {
      const lane = lanes.get(id) ?? createLane({ ...context, isStopped: () => isStopped }, id);
      lanes.set(id, lane);
      lane.wake();
    }
  };
  const wakeAll = () => wake(activeIntegrations(db));
  onQueued(db, wake);
  const stopPolling = pollOthers(db, wakeAll);
  wakeAll();
  const dispatcher = {
    context,
    async stop() {
      isStopped = true;
      stopPolling();
      onQueued(db, undefined);
      running.delete(db);
      const grace = setTimeout(() => ending.abort(), GRACE_MS);
      await Promise.all([...lanes.values()].map((lane) => lane.rest()));
      clearTimeout(grace);
      destroy();
    },
  };
  running.set(db, dispatcher);
  return dispatcher;
}

function toOutside(options: DispatcherOptions, signal: AbortSignal) {
  const { publicUrl, allowed = [], folder, env = {}, ca, timeoutMs = TIMEOUT_MS } = options;
  const guard = createGuard({ allowed, proxies: proxiesIn(env) });
  const agents = createAgents({ guard, env, ca });
  const post = createPost({ guard, agents, timeoutMs, signal });
  const { slackApi = "https://slack.com/api" } = options;
  return {
    outside: { post, publicUrl, folder, slackApi, signal },
    destroy() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Calls when another process has committed. A database in memory is nobody else's. */
function pollOthers(db: Database, act: () => void): () => void {
  if (db.memory) return () => {};
  const version = () => db.pragma("data_version", { simple: true });
  let last = version();
  const look = () => {
    const now = version();
    if (now !== last) act();
    last = now;
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // A file that can't be read now is looked at again.
    }
  }, POLL_MS).unref();
  return () => clearInterval(timer);
}
