import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { nextTurn, oneAtATime } from "../lib/background.ts";

/** While the event loop is busy, at most this many deliveries begin per window: 600 a second, for all integrations. */
const MAX_PER_WINDOW = 6;
const WINDOW_MS = 10;

/** The utilization above which the event loop counts as busy, with requests or with deliveries. */
const BUSY = 0.5;

/** What the attempts in progress may hold before others wait. In bytes. */
const MAX_BYTES = 16 * 2 ** 20;

/** What one holds at least: a connection, with its buffers. */
const ATTEMPT_BYTES = 64 * 1024;

/** An attempt's share of the memory for attempts in progress. */
export interface Slot {
  /** Counts what it holds besides: the event, and what is sent. */
  add(bytes: number): void;
  /** Lets others begin, once it holds nothing any more. */
  release(): void;
}

/** Resolves when an attempt may begin; the work up to its first wait must follow immediately. */
type TakeSlot = () => Promise<Slot>;

/** Attempts begin in the order of their calls, each in a turn of its own. */
export function createSlots(pace: Pace): TakeSlot {
  const waiting: Array<(slot: Slot) => void> = [];
  let held = 0;
  const beginAll = oneAtATime(async () => {
    while (waiting.length > 0 && held < MAX_BYTES) {
      waiting.shift()!(newSlot());
      await pace();
      await nextTurn();
    }
  });
  const newSlot = (): Slot => {
    let bytes = 0;
    const add = (more: number) => {
      bytes += more;
      held += more;
    };
    add(ATTEMPT_BYTES);
    return {
      add,
      release() {
        held -= bytes;
        beginAll();
      },
    };
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      beginAll();
    });
}

/** Resolves when the next delivery may begin: a long queue must not slow down requests. */
type Pace = () => Promise<void>;

export function createPace(): Pace {
  let measured = performance.eventLoopUtilization();
  let [windowStart, started, isBusy] = [performance.now(), 0, false];
  const updateWindow = () => {
    const now = performance.now();
    if (now - windowStart < WINDOW_MS) return;
    const before = measured;
    measured = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(measured, before).utilization > BUSY;
    [windowStart, started] = [now, 0];
  };
  return async () => {
    for (;;) {
      updateWindow();
      if (!isBusy || started < MAX_PER_WINDOW) break;
      await setTimeout(Math.max(1, WINDOW_MS - (performance.now() - windowStart)));
    }
    started++;
  };
}
