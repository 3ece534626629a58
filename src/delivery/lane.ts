import { inWords } from "../db/error.ts";
import { inGroup } from "../db/group-commit.ts";
import type { Writing } from "../db/transaction.ts";
import { type Attempt, recordAttempt } from "../resources/integrations/changes-deliveries.ts";
import { type Delivery, oldestDeliveries, troubleOf } from "../resources/integrations/delivery-store.ts";
import { integrationById, type StoredIntegration } from "../resources/integrations/store.ts";
import { type Attempting, attempt } from "./attempt.ts";
import { FAILURES_TO_OPEN } from "./backoff.ts";

/** The deliveries of one integration, one after the other in the order of events. */
export interface Lane {
  /** There may be something to deliver, now or sooner than before. */
  wake(): void;
  /** Resolves when what is under way has been recorded. */
  rest(): Promise<void>;
}

export interface LaneContext extends Attempting {
  isStopped(): boolean;
}

/** How many are read at a time, and recorded together; after a crash so many may come twice. */
const WINDOW = 64;

/** How soon it goes on after the file could not be written, in milliseconds: what is not recorded is sent again. */
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
        const { message } = inWords(error, db.name) as Error;
        log({ level: "warn", message: `deliveries of integration ${id} wait: ${message}` });
        limit = 1;
        isWokenAgain = false;
        if (!context.isStopped()) wakeIn(AFTER_ERROR_MS);
      })
      .finally(() => {
        running = undefined;
        if (isWokenAgain) wake(); // just as it came to rest
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

/** Delivers what is due. @returns when the next is, in milliseconds from now; undefined if nothing waits */
async function deliverDue(context: LaneContext, id: number, limit: number): Promise<number | undefined> {
  for (;;) {
    const integration = activeIntegration(context, id);
    if (!integration || context.isStopped()) return undefined;
    const { failures = 0, retryAt = "" } = troubleOf(context.db, id) ?? {};
    // One that fails is tried with one event, not with all that wait.
    const deliveries = oldestDeliveries(context.db, id, failures > 0 ? 1 : limit);
    if (deliveries.length === 0) return undefined;
    const isOpen = failures >= FAILURES_TO_OPEN;
    const waitMs = Math.max(msUntil(context, deliveries[0]!.dueAt), isOpen ? msUntil(context, retryAt) : 0);
    if (waitMs > 0) return waitMs;
    await deliverAll(context, id, deliveries, failures);
  }
}

const msUntil = ({ clock }: LaneContext, time: string) => Date.parse(time) - clock.now();

function activeIntegration({ db }: LaneContext, id: number): StoredIntegration | undefined {
  const integration = integrationById(db, id);
  return integration?.enabled && !integration.paused ? integration : undefined;
}

/** Up to the first that fails. What was done is recorded meanwhile, many in one commit. */
async function deliverAll(context: LaneContext, id: number, deliveries: Delivery[], failures: number) {
  const recorder = createRecorder(context);
  try {
    for (const delivery of deliveries) {
      const integration = activeIntegration(context, id);
      if (!integration || msUntil(context, delivery.dueAt) > 0) break;
      const done = await attempt(context, integration, { ...delivery, failures });
      if (!done || context.outside.signal.aborted) break; // what was broken off is done again
      recorder.add(done);
      if (recorder.hasFailed()) break;
      if (done.state === "failed" || done.retryAt !== undefined || context.isStopped()) break;
    }
  } finally {
    await recorder.finish();
  }
}

/** How late an attempt is recorded at the most, in milliseconds: a commit waits for the disk, and all wait with it. */
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
    /** What comes after it would be sent again as well. */
    hasFailed: () => errors.length > 0,
    async finish() {
      flush();
      await Promise.all(recorded);
      if (errors.length > 0) throw errors[0];
    },
  };
}
