import type { Database } from "../db/database.ts";
import { close, open, openToRead } from "../db/open.ts";
import type { Config } from "./config.ts";

/** The data file, which must exist. Closed at the end of the scope, as all here: `using db = dataFile(config)`. */
export const dataFile = ({ data }: Config) => closing(open(data, { mustExist: true }));

/** The same to read, so the file need not be writable. */
export const dataFileToRead = ({ data }: Config) => closing(openToRead(data));

export const closing = (db: Database): Database & Disposable =>
  Object.assign(db, { [Symbol.dispose]: () => close(db) });
