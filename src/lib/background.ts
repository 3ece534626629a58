import type { Log } from "./logger.ts";

/** @param isStopped whether it should end early */
type Work = (isStopped: () => boolean) => Promise<unknown>;

/** Runs work in the background, one piece after another. A failure is only logged. */
interface Background {
  /** Resolves when this and everything before it has ended. */
  run(work: Work): Promise<void>;
  /** What is due while it still runs is run once more after it. */
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
    every(ms, work) {
      const again = oneAtATime(async () => {
        if (!isStopped) await run(work);
      });
      timers.push(setInterval(again, ms).unref());
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
      return running;
    },
  };
}

/*
 * Work is split into event-loop turns of limited length. Node accepts one connection per turn: with a thousand busy
 * connections an unlimited turn would last half a second, and new ones would wait for minutes. Requests, pieces of
 * long responses and slices of searches share one budget and one queue, first come, first served.
 */

/** The time for work in one turn of the event loop, in milliseconds. */
const BUDGET_MS = 2;

const waiting: Array<() => void> = [];
let isTurn = false;
let end = 0;
/** Resolves with the turn. */
let turnEnd = Promise.withResolvers<void>();

/** Runs a piece of work at once if this turn has time left and nothing is waiting, otherwise in order. */
export function inTurn(work: () => void) {
  if (!isTurn) begin();
  if (waiting.length === 0 && performance.now() < end) work();
  else waiting.push(work);
}

/** Resolves when there is time for a piece of work of a few milliseconds, which must follow immediately. */
export function nextTurn(): Promise<void> {
  if (!isTurn) begin();
  return new Promise((resolve) => waiting.push(resolve));
}

/**
 * Resolves when the work of this turn is done, so that responses go out together: a client that waits for many, such as a
 * proxy, is woken once instead of for each.
 */
export function endOfTurn(): Promise<void> {
  if (!isTurn) begin();
  return turnEnd.promise;
}

function begin() {
  end = performance.now() + BUDGET_MS;
  isTurn = true;
  setImmediate(next);
}

function next() {
  isTurn = false;
  turnEnd.resolve();
  turnEnd = Promise.withResolvers();
  if (waiting.length === 0) return;
  begin();
  queueMicrotask(workOn);
}

/** As a microtask, so that any continuations the work has triggered run, and count, before the next piece. */
function workOn() {
  waiting.shift()?.();
  if (waiting.length > 0 && performance.now() < end) queueMicrotask(workOn);
}

/**
 * Runs `act` one call at a time; calls during a run cause one more run after it. Resolves when no run is left. `act`
 * must handle its errors.
 */
export function oneAtATime(act: () => Promise<void>): () => Promise<void> {
  let isWanted = false;
  let running: Promise<void> | undefined;
  const run = async () => {
    while (isWanted) {
      isWanted = false;
      await act();
    }
    running = undefined;
  };
  return () => {
    isWanted = true;
    running ??= run();
    return running;
  };
}
