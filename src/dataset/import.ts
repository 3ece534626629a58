import { setImmediate } from "node:timers/promises";
import * as v from "valibot";
import { isSqlite } from "../db/error.ts";
import type { Database } from "../db/statement.ts";
import { DEEPEST_JSON, isTooDeep, mayBeTooDeep, TooLongError } from "../limits.ts";
import { loadEvents } from "../resources/events/load.ts";
import { check } from "../validation.ts";
import { DatasetError, LineError } from "./error.ts";
import { requireDataset } from "./foreign.ts";
import type { ImportContext, Kind } from "./kind.ts";
import { KINDS } from "./kinds.ts";
import { type TextLine, textLines } from "./lines.ts";
import { clearIfUntouched } from "./untouched.ts";
import { OptionalText, OptionalTime } from "./value.ts";

/** The first line of every dataset. */
const Header = v.strictObject({
  version: v.literal(1, "must be 1, the only version there is"),
  createdAt: OptionalTime,
  source: OptionalText,
});

const kinds = new Map<string, Kind>(KINDS.map((kind) => [kind.name, kind]));

/** How many lines of each kind were stored. */
export type ImportCounts = Record<string, number>;

/**
 * Adds a dataset to what is stored, in one transaction: all of it or nothing. What a new file starts with is replaced
 * where nothing else stands. Memory is bounded by the longest line.
 * @param onProgress called now and then with the number of lines read; what it throws ends the import.
 * @throws DatasetError naming the line and the reason.
 */
export async function importDataset(
  db: Database,
  chunks: AsyncIterable<Buffer>,
  onProgress: (lines: number) => void = () => {},
): Promise<ImportCounts> {
  const context = { db, now: new Date().toISOString(), events: loadEvents(db) };
  const counts: ImportCounts = {};
  let read = 0;
  db.exec("BEGIN IMMEDIATE");
  try {
    clearIfUntouched(db);
    for await (const lines of textLines(requireDataset(chunks))) {
      for (const line of lines) importLine(context, line, read++ === 0, counts);
      onProgress(read);
    }
    if (read === 0) throw new DatasetError(1, "is missing: the first line must be of the kind dataset");
    for (const _ of context.events.finish()) {
      await setImmediate();
      onProgress(read);
    }
    db.exec("COMMIT");
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK");
  }
  return counts;
}

function importLine(
  context: ImportContext,
  { number, text }: TextLine,
  isFirst: boolean,
  counts: ImportCounts,
) {
  const { kind: name, ...line } = parse(text, number);
  if (isFirst) return requireHeader(name, line, number);
  const kind = kinds.get(name as string);
  if (!kind) throw new DatasetError(number, `kind: ${unknownKind(name)}`);
  if (mayBeTooDeep(text)) requireShallow(line, number);
  const value = checked(kind.schema, line, number);
  try {
    kind.insert(context, value);
  } catch (error) {
    throw explained(error, kind, line, number);
  }
  counts[kind.name] = (counts[kind.name] ?? 0) + 1;
}

function parse(text: string, number: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DatasetError(number, "is not valid JSON (was the file cut short?)");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new DatasetError(number, "must be a JSON object");
}

function unknownKind(name: unknown) {
  if (name === undefined) return "is missing";
  return typeof name === "object" ? "must be text" : `${JSON.stringify(name)} is not a known kind`;
}

function requireHeader(kind: unknown, line: object, number: number) {
  if (kind !== "dataset") throw new DatasetError(number, "kind: the first line must be of the kind dataset");
  checked(Header, line, number);
}

function requireShallow(line: object, number: number) {
  const [key] = Object.entries(line).find(([, value]) => isTooDeep(value)) ?? [];
  if (key === undefined) return;
  throw new DatasetError(number, `${key}: must not be nested deeper than ${DEEPEST_JSON} levels`);
}

function checked(schema: Kind["schema"], line: object, number: number): unknown {
  const result = check(schema, line);
  if (!result.violations) return result.value;
  const [{ path, message }] = result.violations;
  throw new DatasetError(number, path === "" ? message : `${path}: ${message}`);
}

/** Why a row was refused, in words. */
function explained(error: unknown, kind: Kind, line: object, number: number): unknown {
  if (error instanceof LineError || error instanceof TooLongError)
    return new DatasetError(number, error.message);
  if (!isSqlite(error, "SQLITE_CONSTRAINT")) return error;
  const columns = /constraint failed: (.+)/.exec(error.message)?.[1]?.replace(/\w+\./g, "") ?? "a value";
  const isTwice = /UNIQUE|PRIMARYKEY|ROWID/.test(error.code);
  const reason = isTwice ? duplicate(columns.split(", "), line) : `a value is not allowed: ${columns}`;
  return new DatasetError(number, `${kind.name}: ${reason}`);
}

/** What there is already, by the line's own keys, or by those of something that the line holds. */
function duplicate(columns: string[], line: object) {
  const keys = columns.map((column) =>
    column.replace(/_id$/, "").replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  );
  const given = Object.entries(line).filter(([key]) => keys.includes(key));
  if (given.length < keys.length) return `something in it has the same ${keys.join(", ")} as another`;
  const names = given.map(
    ([key, value]) => `${key} ${typeof value === "string" ? JSON.stringify(value) : value}`,
  );
  return `there is one with the ${names.join(", ")} already; an import adds to what the file holds`;
}
