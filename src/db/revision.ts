import { type Database, dataVersion, perDatabase } from "./database.ts";

/*
 * The number of the last change that this process made to each table. A cached result is current as long as none of
 * the tables it was read from has changed since.
 */

/** Called with the tables that a change has written; must be quick, since the change waits for it. */
type Watcher = (tables: Iterable<string>) => void;

const revisionsOf = perDatabase(() => ({
  byTable: new Map<string, number>(),
  watchers: new Set<Watcher>(),
}));

/** Stands for all tables. */
const EVERYTHING = "";

let changes = 0;

/** The number of changes so far, in any file: whatever is read from now on includes them. */
export const changesSoFar = () => changes;

export function bump(db: Database, tables: Iterable<string>) {
  const { byTable, watchers } = revisionsOf(db);
  changes++;
  for (const table of tables) byTable.set(table, changes);
  for (const notify of watchers) notify(tables);
}

/** For changes that may have touched any table. */
export const bumpEverything = (db: Database) => bump(db, [EVERYTHING]);

/** Reports every change by this process as soon as it is on disk. @returns a function that stops it */
export function onChange(db: Database, watcher: Watcher): () => void {
  const { watchers } = revisionsOf(db);
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

/** What a result was read from, and the number of changes before that. */
export interface Stamp {
  readonly tables: readonly string[];
  readonly since: number;
}

/** @param since taken before anything was read */
export const stampOf = (tables: Iterable<string>, since: number): Stamp => ({
  tables: [EVERYTHING, ...tables],
  since,
});

/** Whether nothing that was stamped has changed since. */
export function isCurrent(db: Database, { tables, since }: Stamp): boolean {
  const { byTable } = revisionsOf(db);
  return tables.every((table) => (byTable.get(table) ?? 0) <= since);
}

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
