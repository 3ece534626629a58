import { SYSTEM } from "../access/actor.ts";
import type { Database } from "../db/statement.ts";
import { writeSoon } from "../events/write.ts";
import { type Retention, removeOldRecords } from "../integrations/records.ts";
import type { Log } from "../lib/logger.ts";
import { everyHour } from "./every-hour.ts";

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

/** In batches, so that other changes get a turn in between. */
export async function removeAllOld(db: Database, retention: Retention, isStopped = () => false) {
  const removeSome = () => writeSoon(db, SYSTEM, (tx) => removeOldRecords(tx, retention, Date.now()));
  while (!isStopped() && (await removeSome()) > 0);
}
