import type { Database } from "../db/statement.ts";
import type { Log } from "../log.ts";
import { writeUsage } from "../resources/usage/changes.ts";

/** How late it is written, in milliseconds; what a crash may lose. */
const LATE_MS = 3_000;

/**
 * Writes what applications tell of their use, some seconds after they have told it.
 * @returns what writes the rest and stops it
 */
export function watchUsage(db: Database, log: Log): () => Promise<void> {
  let running = Promise.resolve();
  const write = () => {
    running = running
      .then(() => writeUsage(db))
      .catch((error) => log({ level: "warn", message: `use of flags: ${(error as Error).message}` }));
    return running;
  };
  const timer = setInterval(write, LATE_MS).unref();
  return () => {
    clearInterval(timer);
    return write();
  };
}
