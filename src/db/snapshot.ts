import { perDatabase } from "./per-database.ts";
import type { Database } from "./statement.ts";

const runnerOf = perDatabase((db) => ({
  run: db.transaction((read: () => unknown) => read()),
  isOpen: false,
}));

/** Runs several reads on one snapshot, even while another process writes. */
export function snapshot<T>(db: Database, read: () => T): T {
  if (db.inTransaction) return read();
  const runner = runnerOf(db);
  runner.isOpen = true;
  try {
    return runner.run(read) as T;
  } finally {
    runner.isOpen = false;
  }
}

/** Whether a snapshot is open, so that nothing that is read can be rolled back. */
export const isSnapshot = (db: Database) => runnerOf(db).isOpen;
