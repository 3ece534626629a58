import { isSqlite } from "../db/error.ts";
import { TooLongError } from "../limits.ts";
import { DatasetError, LineError } from "./error.ts";
import type { Kind } from "./kind.ts";

/** Explains why a row was rejected; returns any other error unchanged. */
export function explainRejection(error: unknown, kind: Kind, line: object, number: number): unknown {
  if (error instanceof LineError || error instanceof TooLongError)
    return new DatasetError(number, error.message);
  if (!isSqlite(error, "SQLITE_CONSTRAINT")) return error;
  const columns = /constraint failed: (.+)/.exec(error.message)?.[1]?.replace(/\w+\./g, "") ?? "a value";
  const isDuplicate = /UNIQUE|PRIMARYKEY|ROWID/.test(error.code);
  const reason = isDuplicate ? duplicate(columns.split(", "), line) : `a value is not allowed: ${columns}`;
  return new DatasetError(number, `${kind.name}: ${reason}`);
}

/** Names what already exists, by the line's own keys or by those of something in the line. */
function duplicate(columns: string[], line: object) {
  const keys = columns.map((column) =>
    column.replace(/_id$/, "").replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  );
  const given = Object.entries(line).filter(([key]) => keys.includes(key));
  if (given.length < keys.length) return `two things in it have the same ${keys.join(", ")}`;
  const names = given.map(
    ([key, value]) => `${key} ${typeof value === "string" ? JSON.stringify(value) : value}`,
  );
  return `already exists: ${names.join(", ")}; an import adds to the file's content: import into a new file with --data`;
}
