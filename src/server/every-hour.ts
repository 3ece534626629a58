import { HOUR_MS } from "../lib/hour.ts";
import type { Log } from "../lib/logger.ts";

/**
 * Runs work at once and every hour, one run at a time. A failure is only logged.
 * @param what begins the log line of a failure
 * @param work told by its argument whether it should end early
 * @returns a function that stops it; resolves once it is idle
 */
export function everyHour(
  log: Log,
  what: string,
  work: (isStopped: () => boolean) => Promise<void>,
): () => Promise<void> {
  let isStopped = false;
  let running = Promise.resolve();
  const run = () => {
    running = running
      .then(() => work(() => isStopped))
      .catch((error: Error) => log({ level: "warn", message: `${what}: ${error.message}` }));
  };
  run();
  const timer = setInterval(run, HOUR_MS).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
    return running;
  };
}
