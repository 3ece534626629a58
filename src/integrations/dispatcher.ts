import { type Database, perDatabase } from "../db/database.ts";
import { explainError } from "../db/error.ts";
import { requireInPlace } from "../db/file-in-place.ts";
import { inGroup } from "../db/group-commit.ts";
import { watchOthers } from "../db/revision.ts";
import { onQueued } from "../events/deliveries.ts";
import { nextTurn, oneAtATime } from "../lib/background.ts";
import type { Log } from "../lib/logger.ts";
import {
  type AttemptContext,
  attempt,
  type Clock,
  createParameterValues,
  FAILURES_TO_OPEN,
  systemClock,
} from "./attempt.ts";
import {
  activeIntegrations,
  type Delivery,
  oldestDeliveries,
  recordAttempt,
  type Target,
  targetById,
  troubleOf,
} from "./deliveries.ts";
import { createPace, createSlots, type Slot } from "./pace.ts";
import { createPost } from "./post.ts";

export interface DispatcherOptions {
  db: Database;
  log: Log;
  /** The server's public URL, including the base path. */
  publicUrl: string;
  /** Private targets that are allowed; see target-guard.ts. */
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

interface Dispatcher {
  /** The context of a single attempt. */
  readonly context: AttemptContext;
  /** Resolves when everything in progress has been recorded. */
  stop(): Promise<void>;
}

/** The default for `timeoutMs`. */
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
  const { signal } = aborter;
  let isStopped = false;
  const { post, disconnect } = createPost({ allowed, env, ca, timeoutMs, signal });
  const steady = createPace();
  const pace = () => (isStopped ? Promise.resolve() : steady()); // what still waits then is only dropped
  const [takeAny, takeForFailing] = [createSlots(pace), createSlots(pace)];
  const context: LaneContext = {
    db,
    log,
    clock,
    parameterValues: createParameterValues(db),
    outside: { post, publicUrl, folder, slackApi, signal },
    takeSlot: (failures) => (failures > 0 ? takeForFailing() : takeAny()),
    isStopped: () => isStopped,
  };
  /** By integration. */
  const lanes = new Map<number, Lane>();
  const wake = (ids: Iterable<number>) => {
    for (const id of ids) {
      const lane = lanes.get(id) ?? createLane(context, id);
      lanes.set(id, lane);
      void lane();
    }
  };
  const wakeAll = () => wake(activeIntegrations(db).all({}));
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
      await Promise.all([...lanes.values()].map((lane) => lane())); // to cancel its timer
      clearTimeout(grace);
      disconnect();
    },
  };
  running(db).dispatcher = dispatcher;
  return dispatcher;
}

/**
 * The deliveries of one integration, one by one in the order of events: when called, it delivers what is due, and resolves
 * once nothing is in progress.
 */
type Lane = () => Promise<void>;

interface LaneContext extends AttemptContext {
  isStopped(): boolean;
}

/** How many deliveries are read and recorded together; after a crash, as many may be repeated. */
const WINDOW = 64;

/** The wait after a failed write to the data file, in milliseconds: deliveries that are not recorded are repeated. */
const AFTER_ERROR_MS = 10_000;

function createLane(context: LaneContext, id: number): Lane {
  const { clock, db, log } = context;
  let limit = WINDOW;
  let cancelTimer = () => {};
  const wake = oneAtATime(async () => {
    cancelTimer();
    await nextTurn(); // many may be woken at once
    let waitMs: number | undefined;
    try {
      waitMs = await deliverDue(context, id, limit);
      limit = WINDOW;
    } catch (error) {
      const { message } = explainError(error, db.name) as Error;
      log({ level: "warn", message: `deliveries of integration ${id} are waiting: ${message}` });
      waitMs = AFTER_ERROR_MS;
      limit = 1;
    }
    if (waitMs !== undefined && !context.isStopped()) cancelTimer = clock.after(waitMs, wake);
  });
  return wake;
}

/** Delivers whatever is due. @returns milliseconds until the next delivery is due; undefined if none is waiting */
async function deliverDue(context: LaneContext, id: number, limit: number): Promise<number | undefined> {
  for (;;) {
    if (!activeTarget(context, id) || context.isStopped()) return undefined;
    const { failures, retryAt } = troubleOf(context.db, id);
    // A failing receiver gets one event at a time.
    const deliveries = oldestDeliveries(context.db).all({ id, limit: failures > 0 ? 1 : limit });
    if (deliveries.length === 0) return undefined;
    const isOpen = failures >= FAILURES_TO_OPEN;
    const waitMs = Math.max(msUntil(context, deliveries[0]!.dueAt), isOpen ? msUntil(context, retryAt) : 0);
    if (waitMs > 0) return waitMs;
    await deliverAll(context, id, deliveries, failures);
  }
}

const msUntil = ({ clock }: LaneContext, time: string) => Date.parse(time) - clock.now();

function activeTarget({ db }: LaneContext, id: number): Target | undefined {
  const target = targetById(db).get({ id });
  return target?.isActive ? target : undefined;
}

/** Delivers up to the first failure. Finished attempts are recorded meanwhile, many per commit. */
async function deliverAll(context: LaneContext, id: number, deliveries: Delivery[], failures: number) {
  requireInPlace(context.db); // what can't be recorded would be sent again and again
  const recorded: Array<Promise<void>> = [];
  const problems: unknown[] = [];
  for (const [index, delivery] of deliveries.entries()) {
    const slot = await context.takeSlot(failures);
    const options = { ...delivery, failures, slot };
    const done = await deliver(context, id, options).catch((error) => void problems.push(error));
    if (!done) {
      slot.release();
      break;
    }
    const isGood = done.state !== "failed" && done.retryAt === undefined;
    // If one can't be recorded, anything delivered from now on would be sent again as well.
    const mayFollow = isGood && problems.length === 0 && index + 1 < deliveries.length;
    const recording = inGroup(context.db, (tx) => recordAttempt(tx, done), mayFollow);
    recorded.push(recording.catch((error) => void problems.push(error)).finally(slot.release));
    if (!mayFollow) break;
  }
  await Promise.all(recorded);
  if (problems.length > 0) throw problems[0];
}

/** @returns the attempt to record; undefined if there is none, and the next must not follow */
async function deliver(
  context: LaneContext,
  id: number,
  delivery: Delivery & { failures: number; slot: Slot },
) {
  const target = activeTarget(context, id);
  if (!target || msUntil(context, delivery.dueAt) > 0 || context.isStopped()) return undefined;
  const done = await attempt(context, target, delivery);
  return context.outside.signal.aborted ? undefined : done; // an interrupted delivery is repeated
}
