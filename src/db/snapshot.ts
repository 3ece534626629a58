import type { Database } from "./statement.ts";

type Runner = (read: () => unknown) => unknown;

const runners = new WeakMap<Database, Runner>();
const open = new WeakSet<Database>();

/** Runs several reads on one snapshot, even while another process writes. */
export function snapshot<T>(db: Database, read: () => T): T {
  if (db.inTransaction) return read();
  let run = runners.get(db);
  if (!run) {
    run = db.transaction<Runner>((read) => read());
    runners.set(db, run);
  }
  open.add(db);
  try {
    return run(read) as T;
  } finally {
    open.delete(db);
  }
}

/** Whether a snapshot is open, so that nothing that is read can be rolled back. */
export const isSnapshot = (db: Database) => open.has(db);
