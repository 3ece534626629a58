import { explainError } from "../db/error.ts";
import { inGroup } from "../db/group-commit.ts";
import { requireInPlace } from "../db/place.ts";
import type { Writing } from "../db/transaction.ts";
import { type AttemptContext, attempt, FAILURES_TO_OPEN } from "./attempt.ts";
import {
  type Attempt,
  type Delivery,
  oldestDeliveries,
  recordAttempt,
  type Target,
  targetById,
  troubleOf,
} from "./deliveries.ts";

/** The deliveries of one integration, one by one in the order of events. */
export interface Lane {
  /** Checks for deliveries: one may have become due, or be due earlier than expected. */
  wake(): void;
  /** Resolves when everything in progress has been recorded. */
  drain(): Promise<void>;
}

export interface LaneContext extends AttemptContext {
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
    const { failures, retryAt } = troubleOf(context.db, id);
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
    for (const delivery of deliveries)
      if (!(await deliver(context, recorder, id, { ...delivery, failures }))) break;
  } finally {
    await recorder.finish();
  }
}

/** @returns whether the next one may follow */
async function deliver(
  context: LaneContext,
  recorder: Recorder,
  id: number,
  delivery: Delivery & { failures: number },
): Promise<boolean> {
  const slot = await context.takeSlot(delivery.failures);
  let recorded: Promise<void> | undefined;
  try {
    const target = activeTarget(context, id);
    if (!target || msUntil(context, delivery.dueAt) > 0 || context.isStopped()) return false;
    const done = await attempt(context, target, { ...delivery, slot });
    if (!done || context.outside.signal.aborted) return false; // an interrupted delivery is repeated
    recorded = recorder.add(done);
    return !recorder.hasFailed() && done.state !== "failed" && done.retryAt === undefined;
  } finally {
    void Promise.resolve(recorded).then(slot.release);
  }
}

/** The longest that recording an attempt is delayed, in milliseconds: each commit waits for the disk, and blocks the rest. */
const FLUSH_MS = 40;

type Recorder = ReturnType<typeof createRecorder>;

function createRecorder({ db }: LaneContext) {
  const recorded: Array<Promise<unknown>> = [];
  const errors: unknown[] = [];
  let pending: Attempt[] = [];
  let batch = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    const [attempts, { resolve }] = [pending, batch];
    [pending, batch, timer] = [[], Promise.withResolvers(), undefined];
    const recordAll = (tx: Writing) => {
      for (const entry of attempts) recordAttempt(tx, entry);
    };
    if (attempts.length === 0) return;
    const commit = inGroup(db, recordAll).catch((error) => void errors.push(error));
    recorded.push(commit.then(resolve));
  };
  return {
    /** Resolves once it is recorded, or can't be. */
    add(entry: Attempt): Promise<void> {
      pending.push(entry);
      timer ??= setTimeout(flush, FLUSH_MS);
      return batch.promise;
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
