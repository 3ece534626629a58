import { SYSTEM } from "../access/actor.ts";
import type { Database } from "../db/statement.ts";
import { writeSoon } from "../events/write.ts";
import { recordPotentiallyStale, resetPotentiallyStale } from "../flags/features/changes-aging.ts";
import type { Log } from "../lib/logger.ts";
import { everyHour } from "./every-hour.ts";

/** Records events for flags that have outlived their type's expected lifetime, at once and every hour (original). */
export const watchAge = (db: Database, log: Log): (() => Promise<void>) =>
  everyHour(log, "recording flags past their lifetime", (isStopped) =>
    recordAgedFlags(db, new Date(), isStopped),
  );

/** Records events for all flags past their lifetime at a given time, in batches, so that other changes get a turn. */
export async function recordAgedFlags(db: Database, time: Date, isStopped = () => false) {
  const now = time.toISOString();
  await writeSoon(db, SYSTEM, (tx) => void resetPotentiallyStale(tx, now));
  while (!isStopped() && (await writeSoon(db, SYSTEM, (tx) => recordPotentiallyStale(tx, now))));
}
