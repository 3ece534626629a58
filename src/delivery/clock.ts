/** Time, as something that can be moved in tests. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Does something later. @returns what calls it off */
  after(ms: number, act: () => void): () => void;
  /** From 0 to 1, the latter excluded. */
  random(): number;
}

/** What a timer of Node can wait for at the most, in milliseconds; who wakes early looks again. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  after(ms, act) {
    const timer = setTimeout(act, Math.min(ms, LONGEST_MS)).unref();
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
