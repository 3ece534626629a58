import { SYSTEM } from "../auth/actor.ts";
import type { Database } from "../db/statement.ts";
import { writeSoon } from "../events/write.ts";
import type { Log } from "../log.ts";
import { type Retention, removeOldRecords } from "../resources/integrations/changes-retention.ts";

const HOUR_MS = 3_600_000;

/**
 * Removes delivery records past their retention, at once and every hour.
 * @param retention undefined to keep all
 * @returns a function that stops it; resolves once it is idle
 */
export function watchRetention(
  db: Database,
  log: Log,
  retention: Retention | undefined,
): () => Promise<void> {
  if (retention === undefined) return async () => {};
  let isStopped = false;
  let running = Promise.resolve();
  const remove = () => {
    running = running
      .then(() => removeAllOld(db, retention, () => isStopped))
      .catch((error: Error) =>
        log({ level: "warn", message: `removing delivery records: ${error.message}` }),
      );
  };
  remove();
  const timer = setInterval(remove, HOUR_MS).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
    return running;
  };
}

/** In batches, so that other changes get a turn in between. */
export async function removeAllOld(db: Database, retention: Retention, isStopped = () => false) {
  const removeSome = () =>
    writeSoon(db, SYSTEM, undefined, (tx) => removeOldRecords(tx, retention, Date.now()));
  while (!isStopped() && (await removeSome()) > 0);
}
