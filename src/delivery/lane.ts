import { explainError } from "../db/error.ts";
import { inGroup } from "../db/group-commit.ts";
import type { Writing } from "../db/transaction.ts";
import { type Attempt, recordAttempt } from "../resources/integrations/changes-deliveries.ts";
import {
  type Delivery,
  failuresOf,
  oldestDeliveries,
  type Target,
  targetById,
} from "../resources/integrations/delivery-store.ts";
import { type Attempting, attempt } from "./attempt.ts";
import { FAILURES_TO_OPEN } from "./backoff.ts";
import type { Turn } from "./pace.ts";

/** The deliveries of one integration, one by one in the order of events. */
export interface Lane {
  /** Checks for deliveries; there may be one now, or earlier than expected. */
  wake(): void;
  /** Resolves when everything in progress has been recorded. */
  rest(): Promise<void>;
}

export interface LaneContext extends Attempting {
  turn: Turn;
  isStopped(): boolean;
}

/** How many are read at a time and recorded together; after a crash, this many may be repeated. */
const WINDOW = 64;

/** The wait after a failed write to the file, in milliseconds: whatever is not recorded is sent again. */
const AFTER_ERROR_MS = 10_000;

export function createLane(context: LaneContext, id: number): Lane {
  const { clock, db, log } = context;
  let running: Promise<void> | undefined;
  let isWokenAgain = false;
  let limit = WINDOW;
  let callOff = () => {};
  const wakeIn = (ms: number) => {
    callOff();
    callOff = clock.after(ms, wake);
  };
  const work = async () => {
    do {
      isWokenAgain = false;
      const waitMs = await deliverDue(context, id, limit);
      limit = WINDOW;
      if (waitMs !== undefined && !context.isStopped()) wakeIn(waitMs);
    } while (isWokenAgain && !context.isStopped());
  };
  function wake() {
    callOff();
    isWokenAgain = true;
    if (context.isStopped()) return;
    running ??= work()
      .catch((error: unknown) => {
        const { message } = explainError(error, db.name) as Error;
        log({ level: "warn", message: `deliveries of integration ${id} are waiting: ${message}` });
        limit = 1;
        isWokenAgain = false;
        if (!context.isStopped()) wakeIn(AFTER_ERROR_MS);
      })
      .finally(() => {
        running = undefined;
        if (isWokenAgain) wake(); // just as it finished
      });
  }
  return {
    wake,
    async rest() {
      callOff();
      await running;
    },
  };
}

/** Delivers whatever is due. @returns milliseconds until the next delivery is due; undefined if none is waiting */
async function deliverDue(context: LaneContext, id: number, limit: number): Promise<number | undefined> {
  for (;;) {
    if (!activeTarget(context, id) || context.isStopped()) return undefined;
    const { failures = 0, retryAt = "" } = failuresOf(context.db, id) ?? {};
    // A failing receiver is tried with a single event.
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

/** The longest delay of recording an attempt, in milliseconds: each commit waits for the disk, and blocks the rest. */
const LATE_MS = 40;

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
      for (const one of attempts) recordAttempt(tx, one);
    };
    if (attempts.length === 0) return;
    recorded.push(inGroup(db, undefined, recordAll).catch((error) => errors.push(error)));
  };
  return {
    add(one: Attempt) {
      pending.push(one);
      if (performance.now() - since >= LATE_MS) flush();
    },
    /** Anything delivered after this would be sent again as well. */
    hasFailed: () => errors.length > 0,
    async finish() {
      flush();
      await Promise.all(recorded);
      if (errors.length > 0) throw errors[0];
    },
  };
}
