import v8 from "node:v8";
import vm from "node:vm";
import { createBackground } from "./background.ts";
import type { Log } from "./logger.ts";

/** How often memory is looked at, in milliseconds. */
const LOOK_MS = 10_000;

/** There is little to do if a processor was used for less than this share of the time since the last look. */
const QUIET = 0.05;

/** Less than this, in bytes, is not worth a collection. */
const WORTHWHILE = 24 * 1024 * 1024;

/**
 * Makes V8 collect often instead of growing to fit the machine's memory, because a flag server shares it with other
 * programs. Costs a few per cent of CPU time under load, and saves half of the memory. Once there is little to do, memory
 * goes back to the system: V8 alone keeps what it has freed.
 * @param release lets go of more that is only kept for speed
 * @returns a function that ends this
 */
export function keepHeapSmall(log: Log, release = () => {}): () => Promise<void> {
  v8.setFlagsFromString("--semi-space-growth-factor=1"); // young generation: keep the initial size
  v8.setFlagsFromString("--heap-growing-percent=50"); // old generation: collect after growing by half
  let used = process.cpuUsage();
  let kept = 0;
  const look = async () => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    if (user + system > QUIET * LOOK_MS * 1000 || process.memoryUsage.rss() < kept + WORTHWHILE) return;
    release();
    collectAll();
    kept = process.memoryUsage.rss();
  };
  const background = createBackground(log, "giving memory back");
  background.every(LOOK_MS, look);
  return background.stop;
}

/** Collects everything, for which others wait tens of milliseconds; only this empties V8's pool of free pages. */
function collectAll() {
  v8.setFlagsFromString("--expose-gc"); // to contexts created from now on
  const gc = vm.runInNewContext("gc") as (options: object) => void;
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
}
