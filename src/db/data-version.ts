import { perDatabase } from "./per-database.ts";
import type { Database } from "./statement.ts";

const dataVersionOf = perDatabase((db) => db.prepare<[], number>("PRAGMA data_version").pluck());

/**
 * A number that changes whenever another connection or process commits. Reading it costs two file locks.
 * @throws if the file can't be read
 */
export const dataVersion = (db: Database): number => dataVersionOf(db).get()!;
