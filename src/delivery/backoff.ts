import type { Clock } from "./clock.ts";

/** How often a delivery is tried: over some twenty minutes. */
export const MOST_ATTEMPTS = 10;

const FIRST_MS = 1000;

/** A failure of one event may be the event's; of so many in a row it is the receiver's. */
export const FAILURES_TO_OPEN = 5;

/** How long a receiver that keeps failing is left alone at the most. */
const LONGEST_MS = 10 * 60_000;

/** The longest that a receiver may ask us to wait by Retry-After. */
const LONGEST_ASKED_MS = 60 * 60_000;

/**
 * How long to wait before the next attempt: twice as long each time, and up to a quarter less, so that those that failed
 * together don't come back together.
 * @param failures how many there were, 1 or more
 * @param askedMs what the receiver asked for
 */
export function delayMs(clock: Clock, failures: number, askedMs = 0): number {
  const longest = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  const delay = Math.round(longest * (1 - clock.random() / 4));
  return Math.max(delay, Math.min(askedMs, LONGEST_ASKED_MS));
}
