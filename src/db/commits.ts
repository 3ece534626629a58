import { dataVersion } from "./data-version.ts";
import { onChange } from "./revision.ts";
import type { Database } from "./statement.ts";

/*
 * Notifies of changes, made by this process or by others such as the command line.
 */

/** How often to check for changes by other processes, in milliseconds. Each check costs two file locks. */
const POLL_MS = 25;

/**
 * Calls `wake` in the event-loop turn after a change, once for all changes made together; bookkeeping alone does not
 * count.
 * @returns a function that stops it
 */
export function watchCommits(db: Database, wake: () => void): () => void {
  let isScheduled = false;
  let isStopped = false;
  const wakeOnce = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (!isStopped) wake();
    });
  };
  const stops = [
    onChange(db, (tables) => {
      for (const table of tables) if (table !== "bookkeeping") return wakeOnce();
    }),
    watchOthers(db, wakeOnce),
  ];
  return () => {
    isStopped = true;
    for (const stop of stops) stop();
  };
}

/**
 * Calls `wake` when another process has committed. An in-memory database has no other processes.
 * @param pollMs how often to check, in milliseconds
 * @returns a function that stops it
 */
export function watchOthers(db: Database, wake: () => void, pollMs = POLL_MS): () => void {
  if (db.memory) return () => {};
  let lastVersion = dataVersion(db);
  const poll = () => {
    const version = dataVersion(db);
    if (version === lastVersion) return;
    wake();
    lastVersion = version;
  };
  const timer = setInterval(() => {
    try {
      poll();
    } catch {
      // If the file can't be read now, try again next time.
    }
  }, pollMs).unref();
  return () => clearInterval(timer);
}
