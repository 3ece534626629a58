import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";

/** While the event loop is busy, so many deliveries begin in a window: 600 a second, of all integrations together. */
const MOST = 6;
const WINDOW_MS = 10;

/** From what share of its time on the event loop is busy, whether with requests or with deliveries. */
const BUSY = 0.5;

/** Resolves when the next delivery may begin: a long queue must not slow down requests. */
export type Turn = () => Promise<void>;

export function createTurn(): Turn {
  let measured = performance.eventLoopUtilization();
  let [begin, begun, isBusy] = [performance.now(), 0, false];
  const look = () => {
    const now = performance.now();
    if (now - begin < WINDOW_MS) return;
    const before = measured;
    measured = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(measured, before).utilization > BUSY;
    [begin, begun] = [now, 0];
  };
  return async () => {
    for (;;) {
      look();
      if (!isBusy || begun < MOST) break;
      await setTimeout(Math.max(1, WINDOW_MS - (performance.now() - begin)));
    }
    begun++;
  };
}
