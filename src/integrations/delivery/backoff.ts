import type { Clock } from "./clock.ts";

/** The most attempts per delivery, over about twenty minutes. */
export const MAX_ATTEMPTS = 10;

const FIRST_MS = 1000;

/** A single failure may be due to the event; this many in a row are due to the receiver. */
export const FAILURES_TO_OPEN = 5;

/** The longest pause for a receiver that keeps failing. */
const MAX_MS = 10 * 60_000;

/** The longest wait that a receiver can request with Retry-After. */
const MAX_REQUESTED_MS = 60 * 60_000;

/**
 * The wait before the next attempt: doubles each time, minus up to a quarter, so that deliveries that failed together
 * don't retry together.
 * @param failures the number so far, 1 or more
 * @param requestedMs the wait that the receiver requested
 */
export function delayMs(clock: Clock, failures: number, requestedMs = 0): number {
  const longest = Math.min(FIRST_MS * 2 ** (failures - 1), MAX_MS);
  const delay = Math.round(longest * (1 - clock.random() / 4));
  return Math.max(delay, Math.min(requestedMs, MAX_REQUESTED_MS));
}
