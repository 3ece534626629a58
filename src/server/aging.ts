import { SYSTEM } from "../auth/actor.ts";
import type { Database } from "../db/statement.ts";
import { writeSoon } from "../events/write.ts";
import { HOUR_MS } from "../hour.ts";
import type { Log } from "../log.ts";
import { recordPotentiallyStale, resetPotentiallyStale } from "../resources/features/changes-aging.ts";

/**
 * Records events for flags that have outlived their type's expected lifetime, at once and every hour (original).
 * @returns a function that stops it; resolves once it is idle
 */
export function watchAge(db: Database, log: Log): () => Promise<void> {
  let isStopped = false;
  let running = Promise.resolve();
  const run = () => {
    running = running
      .then(() => recordAgedFlags(db, new Date(), () => isStopped))
      .catch((error) =>
        log({ level: "warn", message: `recording flags past their lifetime: ${(error as Error).message}` }),
      );
  };
  run();
  const timer = setInterval(run, HOUR_MS).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
    return running;
  };
}

/** Records events for all flags past their lifetime at a given time, in batches, so that other changes get a turn. */
export async function recordAgedFlags(db: Database, time: Date, isStopped = () => false) {
  const now = time.toISOString();
  await writeSoon(db, SYSTEM, undefined, (tx) => void resetPotentiallyStale(tx, now));
  while (!isStopped() && (await writeSoon(db, SYSTEM, undefined, (tx) => recordPotentiallyStale(tx, now))));
}
