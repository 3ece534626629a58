import type { Database } from "./statement.ts";

/** Several reads that see one state, also while another process writes. */
export const snapshot = <T>(db: Database, read: () => T): T => db.transaction(read)();
