import { dataVersion } from "./data-version.ts";
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
    watchOthers(db, wakeOnce),
  ];
  return () => {
    isEnded = true;
    for (const end of ends) end();
  };
}

/**
 * Calls `wake` when another process has committed. An in-memory database has no other processes.
 * @param lateMs how late a commit may be noticed, in milliseconds
 * @returns a function that stops it
 */
export function watchOthers(db: Database, wake: () => void, lateMs = LATE_MS): () => void {
  if (db.memory) return () => {};
  let seen = dataVersion(db);
  const look = () => {
    const version = dataVersion(db);
    if (version === seen) return;
    wake();
    seen = version;
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // If the file can't be read now, try again next time.
    }
  }, lateMs).unref();
  return () => clearInterval(timer);
}
