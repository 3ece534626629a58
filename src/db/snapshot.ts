import { perDatabase } from "./per-database.ts";
import type { Database } from "./statement.ts";

const runnerOf = perDatabase((db) => db.transaction((read: () => unknown) => read()));

/** Runs several reads on one snapshot, even while another process writes. */
export const snapshot = <T>(db: Database, read: () => T): T =>
  db.inTransaction ? read() : (runnerOf(db)(read) as T);
