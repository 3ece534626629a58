import type { Database } from "../db/database.ts";
import { close, open, openToRead } from "../db/open.ts";
import { type Point, pointAt, stateAt } from "../db/state-at.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { Config } from "./config.ts";

/** The data file, which must exist. Closed at the end of the scope, as all here: `using db = dataFile(config)`. */
export const dataFile = ({ data }: Config) => closing(open(data, { mustExist: true }));

/** The same to read, so the file need not be writable; as it was, if a time or an event is given. */
export function dataFileToRead({ data }: Config, at?: string): Database & Disposable {
  const db = closing(openToRead(data));
  if (at === undefined) return db;
  try {
    return closing(stateAt(db, pointOf(db, "at", at)));
  } finally {
    close(db);
  }
}

/** What an option says of a time. @throws UsageError for what is no time, or in the future, DataError as `pointAt` */
export function pointOf(db: Database, option: string, when: string): Point {
  try {
    return pointAt(db, when);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`--${option}: ${error.message}`) : error;
  }
}

export const AT_OPTION = {
  at: {
    hint: "TIME|EVENT",
    help: "as it was at a time such as 2026-03-01T14:05:00Z, or after the event with this id",
  },
} as const;

export const closing = (db: Database): Database & Disposable =>
  Object.assign(db, { [Symbol.dispose]: () => close(db) });
