import { onChange } from "./revision.ts";
import type { Database } from "./statement.ts";

/*
 * Whoever waits for changes is woken by those of this process and by those of others, such as the command line's.
 */

/** How late a change of another process is noticed, in milliseconds. To look costs two file locks. */
const LATE_MS = 25;

/**
 * Calls in the next turn of the event loop after changes, once for all that come together; what is only bookkeeping
 * wakes nobody.
 * @returns what ends it
 */
export function watchCommits(db: Database, wake: () => void): () => void {
  let isDue = false;
  let isEnded = false;
  const wakeOnce = () => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      if (!isEnded) wake();
    });
  };
  const ends = [
    onChange(db, (tables) => {
      for (const table of tables) if (table !== "bookkeeping") return wakeOnce();
    }),
    db.memory ? () => {} : watchOthers(db, wakeOnce),
  ];
  return () => {
    isEnded = true;
    for (const end of ends) end();
  };
}

/** Nobody else has a database in memory. */
function watchOthers(db: Database, wake: () => void): () => void {
  let seen = versionOf(db);
  const timer = setInterval(() => {
    const version = versionOf(db) ?? seen; // what can't be read now is looked at next time
    if (version === seen) return;
    seen = version;
    wake();
  }, LATE_MS).unref();
  return () => clearInterval(timer);
}

/** Changes whenever another process has committed; undefined while the file can't be read. */
function versionOf(db: Database): number | undefined {
  try {
    return db.pragma("data_version", { simple: true }) as number;
  } catch {
    return undefined;
  }
}
