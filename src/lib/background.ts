import type { Log } from "./logger.ts";

/** @param isStopped whether it should end early */
type Work = (isStopped: () => boolean) => Promise<unknown>;

/** Runs work in the background, one piece after another. A failure is only logged. */
export interface Background {
  /** Resolves when this and everything before it has ended. */
  run(work: Work): Promise<void>;
  every(ms: number, work: Work): void;
  /** Ends the repetition; resolves when nothing runs any more. */
  stop(): Promise<void>;
}

/** @param what begins the log line of a failure */
export function createBackground(log: Log, what: string): Background {
  let isStopped = false;
  let running = Promise.resolve();
  const timers: NodeJS.Timeout[] = [];
  const warn = ({ message }: Error) => log({ level: "warn", message: `${what}: ${message}` });
  const run = (work: Work) => {
    running = running.then(() => work(() => isStopped)).then(() => {}, warn);
    return running;
  };
  return {
    run,
    every: (ms, work) => void timers.push(setInterval(run, ms, work).unref()),
    stop() {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
      return running;
    },
  };
}
