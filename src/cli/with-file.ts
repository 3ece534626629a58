import type { Config } from "../config.ts";
import { close, open } from "../db/open.ts";
import type { Database } from "../db/statement.ts";

/** Runs the body with the data file, which must exist, and always closes it. */
export function withFile({ data }: Config, body: (db: Database) => void) {
  const db = open(data, { mustExist: true });
  try {
    body(db);
  } finally {
    close(db);
  }
}
