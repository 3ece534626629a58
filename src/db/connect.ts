import Sqlite from "better-sqlite3";
import { nativeBinding } from "#addon";
import type { Database } from "./statement.ts";

/** A bare connection, with the native part that this program brings along, if it does. */
export const connect = (file: string, options: Sqlite.Options = {}): Database =>
  // The types know only the path of a native part; the package takes the part itself as well.
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
