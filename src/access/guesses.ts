import { isIPv6 } from "node:net";
import { type Database, perDatabase } from "../db/database.ts";
import { ApiError } from "../lib/api-error.ts";
import { hashSecret } from "./token.ts";

/*
 * Wrong passwords are counted by name and by address, so that guessing takes years. The counts are in memory only: a
 * restart resets them, and an attacker can't fill the disk.
 */

/** The number of wrong passwords allowed per window (original). */
const MAX_WRONG = 10;

/** In milliseconds. */
const WINDOW_MS = 60_000;

/** How many names and addresses are remembered; beyond that, the oldest are forgotten. */
const MAX_WINDOWS = 10_000;

interface Window {
  count: number;
  /** In milliseconds. */
  end: number;
}

const windowsIn = perDatabase(() => new Map<string, Window>());

/** The user a password is tried for, and the address it came from. */
interface Guess {
  /** The signed-in user's id, or the name as typed: counting by the user it belongs to would reveal whether one exists. */
  who: number | string;
  address: string | undefined;
  /** Requests for links are counted apart: they would lock out whoever they are for. */
  kind?: "password" | "link";
}

/**
 * Counts a password as wrong until it turns out to be right, since many may be tried at once.
 * @returns a function that undoes the count
 * @throws ApiError `RateLimitError` with `Retry-After`, after too many wrong passwords
 */
export function countGuess(
  db: Database,
  { who, address, kind = "password" }: Guess,
  now = Date.now(),
): () => void {
  const windows = windowsOf(db, now);
  const whose = [
    `${typeof who} ${hashSecret(String(who).toLowerCase())}`,
    `from ${networkOf(address ?? "")}`,
  ];
  const keys = whose.map((key) => `${kind} ${key}`);
  const current = keys.map((key) => windows.get(key) ?? { count: 0, end: now + WINDOW_MS });
  const full = current.filter(({ count }) => count >= MAX_WRONG).map(({ end }) => end);
  if (full.length > 0) throw tooMany(Math.ceil((Math.max(...full) - now) / 1000));
  for (const [index, key] of keys.entries()) windows.set(key, current[index]!);
  for (const window of current) window.count++;
  return () => {
    for (const window of current) window.count--;
  };
}

/** Drops expired windows; the map is ordered by expiry. */
function windowsOf(db: Database, now: number): Map<string, Window> {
  const windows = windowsIn(db);
  for (const [key, { end }] of windows) {
    if (end > now && windows.size < MAX_WINDOWS) break;
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
