import { isIPv6 } from "node:net";
import type { Database } from "../db/statement.ts";
import { ApiError } from "../http/error.ts";
import { hashSecret } from "./token.ts";

/*
 * Failed passwords are counted by name and by address, so guessing takes years. Only in memory: a restart forgives,
 * and no file can be filled that way.
 */

/** The number of wrong passwords allowed per window (original). */
const MOST = 10;

/** In milliseconds. */
const WINDOW_MS = 60_000;

/** How many names and addresses are remembered; beyond that, the oldest are forgotten. */
const REMEMBERED = 10_000;

interface Window {
  count: number;
  /** In milliseconds. */
  end: number;
}

const known = new WeakMap<Database, Map<string, Window>>();

/** Who a password is tried for, and the address it came from. */
export interface Guess {
  /** The signed-in user's id, or the name as it was typed: counting by whose it is would say whether it is anyone's. */
  who: number | string;
  address: string | undefined;
}

/**
 * Counts a password as wrong until it proves right, since many may be tried at once.
 * @returns a function that takes it back
 * @throws ApiError `RateLimitError` with `Retry-After`, after too many wrong passwords
 */
export function countGuess(db: Database, { who, address }: Guess, now = Date.now()): () => void {
  const windows = windowsOf(db, now);
  const keys = [`${typeof who} ${hashSecret(String(who).toLowerCase())}`, `from ${networkOf(address ?? "")}`];
  const begun = keys.map((key) => windows.get(key) ?? { count: 0, end: now + WINDOW_MS });
  const full = begun.filter(({ count }) => count >= MOST).map(({ end }) => end);
  if (full.length > 0) throw tooMany(Math.ceil((Math.max(...full) - now) / 1000));
  for (const [index, key] of keys.entries()) windows.set(key, begun[index]!);
  for (const window of begun) window.count++;
  return () => {
    for (const window of begun) window.count--;
  };
}

/** Drops expired windows; the map is ordered by expiry. */
function windowsOf(db: Database, now: number): Map<string, Window> {
  const windows = known.get(db) ?? new Map<string, Window>();
  known.set(db, windows);
  for (const [key, { end }] of windows) {
    if (end > now && windows.size < REMEMBERED) break;
    windows.delete(key);
  }
  return windows;
}

const tooMany = (seconds: number) =>
  new ApiError("RateLimitError", `Too many wrong passwords: try again in ${seconds} seconds`, {
    headers: { "retry-after": String(seconds) },
  });

/** One host can have a whole network of IPv6 addresses, so those with a common prefix count as one. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address.replace(/^::ffff:/, "");
  const [head = [], tail] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array(missing).fill("0"), ...(tail ?? [])].slice(0, 4).join(":");
}
