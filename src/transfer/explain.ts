import { DatasetError, DuplicateError, LineError } from "../dataset/error.ts";
import type { Kind } from "../dataset/kind.ts";
import { isSqlite } from "../db/error.ts";
import { TooLongError } from "../lib/limits.ts";

/** Explains why a row was rejected; returns any other error unchanged. */
export function explainRejection(error: unknown, kind: Kind, line: object, number: number): unknown {
  if (error instanceof LineError || error instanceof TooLongError)
    return new DatasetError(number, error.message);
  if (!isSqlite(error, "SQLITE_CONSTRAINT")) return error;
  const columns = /constraint failed: (.+)/.exec(error.message)?.[1]?.replace(/\w+\./g, "") ?? "a value";
  const isDuplicate = /UNIQUE|PRIMARYKEY|ROWID/.test(error.code);
  if (!isDuplicate) return new DatasetError(number, `${kind.name}: a value is not allowed: ${columns}`);
  const keys = columns.split(", ").map(toKey);
  const given = Object.entries(line).filter(([key]) => keys.includes(key));
  return given.length < keys.length
    ? new DatasetError(number, `${kind.name}: two things in it have the same ${keys.join(", ")}`)
    : new DuplicateError(number, `${kind.name}: ${alreadyExists(given)}`);
}

/** A line's key for a column. */
const toKey = (column: string) =>
  column.replace(/_id$/, "").replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Names what already exists by the line's own keys. */
function alreadyExists(given: ReadonlyArray<[key: string, value: unknown]>) {
  const names = given.map(
    ([key, value]) => `${key} ${typeof value === "string" ? JSON.stringify(value) : value}`,
  );
  return `already exists: ${names.join(", ")}; if the file has data already, import into a new one: --data NEW`;
}
