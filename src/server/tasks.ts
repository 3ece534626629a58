import { SYSTEM } from "../access/actor.ts";
import { announceApplications } from "../applications/applications-store.ts";
import { removeOldUsage, writeUsage } from "../applications/usage-store.ts";
import type { Database } from "../db/database.ts";
import { writeSoon } from "../events/write.ts";
import { recordPotentiallyStale, resetPotentiallyStale } from "../flags/lifecycle.ts";
import { type Retention, removeOldRecords } from "../integrations/records.ts";
import { createBackground } from "../lib/background.ts";
import type { Log } from "../lib/logger.ts";
import { HOUR_MS } from "../lib/time.ts";

/*
 * What a server does besides answering and delivering. All of it works in batches, so that other changes get a turn in
 * between; each function returns one that stops it.
 */

/** Records events for flags that have outlived their type's expected lifetime, at once and every hour (original). */
export const watchAge = (db: Database, log: Log): (() => Promise<void>) =>
  everyHour(log, "recording flags past their lifetime", (isStopped) =>
    recordAgedFlags(db, new Date(), isStopped),
  );

/** Records events for all flags past their lifetime at a given time. */
export async function recordAgedFlags(db: Database, time: Date, isStopped = () => false) {
  const now = time.toISOString();
  await writeSoon(db, SYSTEM, (tx) => void resetPotentiallyStale(tx, now));
  while (!isStopped() && (await writeSoon(db, SYSTEM, (tx) => recordPotentiallyStale(tx, now))));
}

/**
 * Removes delivery records past their retention, at once and every hour.
 * @param retention undefined to keep all
 */
export const watchRetention = (
  db: Database,
  log: Log,
  retention: Retention | undefined,
): (() => Promise<void>) =>
  retention === undefined
    ? async () => {}
    : everyHour(log, "removing delivery records", (isStopped) => removeAllOld(db, retention, isStopped));

export async function removeAllOld(db: Database, retention: Retention, isStopped = () => false) {
  const removeSome = () => writeSoon(db, SYSTEM, (tx) => removeOldRecords(tx, retention, Date.now()));
  while (!isStopped() && (await removeSome()) > 0);
}

function everyHour(log: Log, what: string, work: (isStopped: () => boolean) => Promise<void>) {
  const background = createBackground(log, what);
  background.run(work);
  background.every(HOUR_MS, work);
  return background.stop;
}

/** How often reports from applications are written, in milliseconds; a crash loses at most this much. */
const WRITE_MS = 3_000;

/** How often events about new applications are recorded, in milliseconds (original). */
const ANNOUNCE_MS = 300_000;

/**
 * Writes applications' reports, announces new applications, and removes old usage data. Stopping it writes the rest.
 * @param hours how long usage data is kept
 */
export function watchUsage(db: Database, log: Log, hours: number): () => Promise<void> {
  const background = createBackground(log, "writing usage data");
  const write = () => writeUsage(db);
  const removeOld = (isStopped: () => boolean) => removeOldUsage(db, { hours, isStopped });
  background.run(removeOld);
  background.every(WRITE_MS, write);
  background.every(ANNOUNCE_MS, () => announceAll(db));
  background.every(HOUR_MS, removeOld);
  return () => {
    background.run(write);
    return background.stop();
  };
}

export async function announceAll(db: Database) {
  while (await writeSoon(db, SYSTEM, announceApplications));
}
