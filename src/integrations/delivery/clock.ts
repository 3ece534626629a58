/** A clock that tests can control. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back later. @returns a function that cancels it */
  after(ms: number, act: () => void): () => void;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

/** The longest delay of a timer in Node, in milliseconds; callers that wake early check again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  after(ms, act) {
    const timer = setTimeout(act, Math.min(ms, MAX_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
