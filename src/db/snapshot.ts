import type { Database } from "./statement.ts";

type Runner = (read: () => unknown) => unknown;

const runners = new WeakMap<Database, Runner>();

/** Runs several reads on one snapshot, even while another process writes. */
export function snapshot<T>(db: Database, read: () => T): T {
  if (db.inTransaction) return read();
  let run = runners.get(db);
  if (!run) {
    run = db.transaction<Runner>((read) => read());
    runners.set(db, run);
  }
  return run(read) as T;
}
