import { SYSTEM } from "../access/actor.ts";
import { announceApplications } from "../applications/applications-store.ts";
import { removeOldUsage, writeUsage } from "../applications/usage-store.ts";
import type { Database } from "../db/statement.ts";
import { writeSoon } from "../events/write.ts";
import { HOUR_MS } from "../lib/hour.ts";
import type { Log } from "../lib/logger.ts";

/** How often reports from applications are written, in milliseconds; a crash loses at most this much. */
const WRITE_MS = 3_000;

/** How often events about new applications are recorded, in milliseconds (original). */
const ANNOUNCE_MS = 300_000;

/**
 * Writes applications' reports, announces new applications, and removes old usage data.
 * @param hours how long usage data is kept
 * @returns a function that writes the rest and stops it
 */
export function watchUsage(db: Database, log: Log, hours: number): () => Promise<void> {
  let isStopped = false;
  let running = Promise.resolve();
  const next = (work: () => Promise<unknown>) => {
    const warn = (error: Error) => log({ level: "warn", message: `writing usage data: ${error.message}` });
    running = running.then(work).then(() => {}, warn);
    return running;
  };
  const [write, announce, removeOld] = [
    () => next(() => writeUsage(db)),
    () => next(() => announceAll(db)),
    () => next(() => removeOldUsage(db, { hours, isStopped: () => isStopped })),
  ];
  const timers = [
    setInterval(write, WRITE_MS),
    setInterval(announce, ANNOUNCE_MS),
    setInterval(removeOld, HOUR_MS),
  ];
  for (const timer of timers) timer.unref();
  removeOld();
  return () => {
    isStopped = true;
    for (const timer of timers) clearInterval(timer);
    return write();
  };
}

/** In batches, so that other changes get a turn in between. */
export async function announceAll(db: Database) {
  while (await writeSoon(db, SYSTEM, announceApplications));
}
