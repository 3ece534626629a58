import { explainError } from "../db/error.ts";
import { inGroup } from "../db/group-commit.ts";
import { requireInPlace } from "../db/place.ts";
import type { Writing } from "../db/transaction.ts";
import { type Attempt, recordAttempt } from "../resources/integrations/changes-deliveries.ts";
import {
  type Delivery,
  failuresOf,
  oldestDeliveries,
  type Target,
  targetById,
} from "../resources/integrations/delivery-store.ts";
import { type AttemptContext, attempt } from "./attempt.ts";
import { FAILURES_TO_OPEN } from "./backoff.ts";
import type { Turn } from "./pace.ts";

/** The deliveries of one integration, one by one in the order of events. */
export interface Lane {
  /** Checks for deliveries: one may have become due, or be due earlier than expected. */
  wake(): void;
  /** Resolves when everything in progress has been recorded. */
  drain(): Promise<void>;
}

export interface LaneContext extends AttemptContext {
  turn: Turn;
  isStopped(): boolean;
}

/** How many deliveries are read and recorded together; after a crash, as many may be repeated. */
const WINDOW = 64;

/** The wait after a failed write to the data file, in milliseconds: deliveries that are not recorded are repeated. */
const AFTER_ERROR_MS = 10_000;

export function createLane(context: LaneContext, id: number): Lane {
  const { clock, db, log } = context;
  let running: Promise<void> | undefined;
  let isWakePending = false;
  let limit = WINDOW;
  let cancelTimer = () => {};
  const wakeIn = (ms: number) => {
    cancelTimer();
    cancelTimer = clock.after(ms, wake);
  };
  const work = async () => {
    do {
      isWakePending = false;
      const waitMs = await deliverDue(context, id, limit);
      limit = WINDOW;
      if (waitMs !== undefined && !context.isStopped()) wakeIn(waitMs);
    } while (isWakePending && !context.isStopped());
  };
  function wake() {
    cancelTimer();
    isWakePending = true;
    if (context.isStopped()) return;
    running ??= work()
      .catch((error: unknown) => {
        const { message } = explainError(error, db.name) as Error;
        log({ level: "warn", message: `deliveries of integration ${id} are waiting: ${message}` });
        limit = 1;
        isWakePending = false;
        if (!context.isStopped()) wakeIn(AFTER_ERROR_MS);
      })
      .finally(() => {
        running = undefined;
        if (isWakePending) wake(); // woken just as it finished
      });
  }
  return {
    wake,
    async drain() {
      cancelTimer();
      await running;
    },
  };
}

/** Delivers whatever is due. @returns milliseconds until the next delivery is due; undefined if none is waiting */
async function deliverDue(context: LaneContext, id: number, limit: number): Promise<number | undefined> {
  for (;;) {
    if (!activeTarget(context, id) || context.isStopped()) return undefined;
    const { failures = 0, retryAt = "" } = failuresOf(context.db, id) ?? {};
    // A failing receiver gets one event at a time.
    const deliveries = oldestDeliveries(context.db, id, failures > 0 ? 1 : limit);
    if (deliveries.length === 0) return undefined;
    const isOpen = failures >= FAILURES_TO_OPEN;
    const waitMs = Math.max(msUntil(context, deliveries[0]!.dueAt), isOpen ? msUntil(context, retryAt) : 0);
    if (waitMs > 0) return waitMs;
    await deliverAll(context, id, deliveries, failures);
  }
}

const msUntil = ({ clock }: LaneContext, time: string) => Date.parse(time) - clock.now();

function activeTarget({ db }: LaneContext, id: number): Target | undefined {
  const target = targetById(db, id);
  return target?.isActive ? target : undefined;
}

/** Delivers up to the first failure. Finished attempts are recorded meanwhile, many per commit. */
async function deliverAll(context: LaneContext, id: number, deliveries: Delivery[], failures: number) {
  requireInPlace(context.db); // what can't be recorded would be sent again and again
  const recorder = createRecorder(context);
  try {
    for (const delivery of deliveries) {
      await context.turn();
      const target = activeTarget(context, id);
      if (!target || msUntil(context, delivery.dueAt) > 0) break;
      const done = await attempt(context, target, { ...delivery, failures });
      if (!done || context.outside.signal.aborted) break; // an interrupted delivery is repeated
      recorder.add(done);
      if (recorder.hasFailed()) break;
      if (done.state === "failed" || done.retryAt !== undefined || context.isStopped()) break;
    }
  } finally {
    await recorder.finish();
  }
}

/** The longest that recording an attempt is delayed, in milliseconds: each commit waits for the disk, and blocks the rest. */
const FLUSH_MS = 40;

function createRecorder({ db }: LaneContext) {
  const recorded: Array<Promise<unknown>> = [];
  const errors: unknown[] = [];
  let pending: Attempt[] = [];
  let since = performance.now();
  const flush = () => {
    const attempts = pending;
    pending = [];
    since = performance.now();
    const recordAll = (tx: Writing) => {
      for (const entry of attempts) recordAttempt(tx, entry);
    };
    if (attempts.length === 0) return;
    recorded.push(inGroup(db, undefined, recordAll).catch((error) => errors.push(error)));
  };
  return {
    add(entry: Attempt) {
      pending.push(entry);
      if (performance.now() - since >= FLUSH_MS) flush();
    },
    /** If so, anything delivered from now on would be sent again as well. */
    hasFailed: () => errors.length > 0,
    async finish() {
      flush();
      await Promise.all(recorded);
      if (errors.length > 0) throw errors[0];
    },
  };
}
