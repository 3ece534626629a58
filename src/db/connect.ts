import Sqlite from "better-sqlite3";
import { nativeBinding } from "#addon";
import type { Database } from "./statement.ts";

/** A bare connection, using the native part this program ships, if it does. */
export const connect = (file: string, options: Sqlite.Options = {}): Database =>
  // The types only know a path to the native part; the package also accepts the module itself.
  new Sqlite(file, { ...options, ...native() });

const native = () => {
  const part = nativeBinding();
  return part && { nativeBinding: part as unknown as string };
};

/** The version of the SQLite inside, such as `3.54.1`. */
export function sqliteVersion(): string {
  const db = connect(":memory:");
  try {
    return db.prepare<[], string>("SELECT sqlite_version()").pluck().get()!;
  } finally {
    db.close();
  }
}
