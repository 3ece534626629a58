import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";

/** While the event loop is busy, at most this many deliveries begin per window: 600 a second, for all integrations. */
const MAX_PER_WINDOW = 6;
const WINDOW_MS = 10;

/** The utilization above which the event loop counts as busy, with requests or with deliveries. */
const BUSY = 0.5;

/** Resolves when the next delivery may begin: a long queue must not slow down requests. */
export type Turn = () => Promise<void>;

export function createTurn(): Turn {
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
