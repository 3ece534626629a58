import Sqlite from "better-sqlite3";
import { nativeBinding } from "./addon.ts";
import type { Database } from "./statement.ts";

/** Opens a bare connection to a file, or to a serialized database, with the native addon that this program ships, if it does. */
export const connect = (file: string | Buffer, options: Sqlite.Options = {}): Database =>
  // The types allow only a path to the native addon; the package also accepts the module itself.
  new Sqlite(file, { ...options, ...native() });

const native = () => {
  const addon = nativeBinding();
  return addon && { nativeBinding: addon as unknown as string };
};

/** The version of the bundled SQLite, such as `3.54.1`. */
export function sqliteVersion(): string {
  const db = connect(":memory:");
  try {
    return db.prepare<[], string>("SELECT sqlite_version()").pluck().get()!;
  } finally {
    db.close();
  }
}
