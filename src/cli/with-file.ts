import type { Database } from "../db/database.ts";
import { close, open, openToRead } from "../db/open.ts";
import type { Config } from "./config.ts";

/** Runs the body with the data file, which must exist, and always closes it. */
export const withFile = ({ data }: Config, body: (db: Database) => unknown) =>
  runWith(open(data, { mustExist: true }), body);

/** The same for a body that only reads, so the file need not be writable. */
export const withFileToRead = ({ data }: Config, body: (db: Database) => unknown) =>
  runWith(openToRead(data), body);

async function runWith(db: Database, body: (db: Database) => unknown) {
  try {
    await body(db);
  } finally {
    close(db);
  }
}
