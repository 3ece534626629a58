import { onChange } from "./revision.ts";
import type { Database } from "./statement.ts";

/*
 * Wakes those waiting for changes, made by this process or by others such as the command line.
 */

/** How late a change by another process is noticed, in milliseconds. Each check costs two file locks. */
const LATE_MS = 25;

/**
 * Calls `wake` in the event-loop turn after a change, once for all changes that come together; bookkeeping alone does
 * not count.
 * @returns a function that stops it
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

/** An in-memory database has no other processes. */
function watchOthers(db: Database, wake: () => void): () => void {
  let seen = versionOf(db);
  const timer = setInterval(() => {
    const version = versionOf(db) ?? seen; // if it can't be read now, try again next time
    if (version === seen) return;
    seen = version;
    wake();
  }, LATE_MS).unref();
  return () => clearInterval(timer);
}

/** Changes whenever another process has committed; undefined if the file can't be read. */
function versionOf(db: Database): number | undefined {
  try {
    return db.pragma("data_version", { simple: true }) as number;
  } catch {
    return undefined;
  }
}
