import { setImmediate } from "node:timers/promises";
import * as v from "valibot";
import {
  DatasetError,
  DuplicateError,
  Flag,
  type ImportContext,
  type Kind,
  LineError,
  OptionalText,
  OptionalTime,
  toPrintable,
} from "../dataset/kind.ts";
import { eachLine, type TextLine } from "../dataset/text.ts";
import type { Database } from "../db/database.ts";
import { isSqlite } from "../db/error.ts";
import { inNewFile } from "../db/open.ts";
import { bumpEverything } from "../db/revision.ts";
import { command } from "../db/statement.ts";
import { inLongWriting, inWriting, type Writing } from "../db/transaction.ts";
import { loadEvents } from "../events/load.ts";
import { insertEvent, type StoredEvent } from "../events/record.ts";
import { isTooDeep, MAX_JSON_DEPTH, mayBeTooDeep, TooLongError } from "../lib/limits.ts";
import { timestamp } from "../lib/time.ts";
import { check, type Schema, type Violation } from "../lib/validation.ts";
import { exportDataset } from "./export.ts";
import { KINDS } from "./kinds.ts";

/** The number of stored lines of each kind. */
export type ImportCounts = Record<string, number>;

/**
 * Adds a dataset to what is stored, in one transaction: all or nothing. The default content of a new file is replaced
 * if the file contains nothing else. Memory use is bounded by the longest line.
 * @param onProgress called periodically with the number of lines read; the import ends if it throws.
 * @param onWarning called for each thing that the API would reject.
 * @throws DatasetError naming the line and the reason.
 */
export async function importDataset(
  db: Database,
  chunks: AsyncIterable<Buffer>,
  onProgress: (lines: number) => void = () => {},
  onWarning: (line: number, warning: string) => void = () => {},
): Promise<ImportCounts> {
  const counts: ImportCounts = {};
  await inLongWriting(db, async (tx) => {
    const events = loadEvents(tx);
    const context = { tx, db, now: timestamp(), events, end: notYet() };
    const store = (line: TextLine, isFirst: boolean) => {
      for (const warning of storeLine(context, line, isFirst, counts)) onWarning(line.number, warning);
    };
    clearIfUntouched(tx);
    const read = await eachLine(chunks, store, onProgress);
    requireEnd(context, read);
    for (const _ of events.finish()) {
      await setImmediate();
      onProgress(read);
    }
  });
  return counts;
}

/** The most notes that are listed. */
const MAX_LISTED = 100;

/** The number of notes, and the first of them with their lines. */
export interface Notes {
  count: number;
  first: Array<{ line: number; message: string }>;
}

/** What an import would do. */
export interface Trial {
  /** How many lines of each kind it would store. */
  counts: ImportCounts;
  /** Why it would store nothing. */
  problems: Notes;
  /** What it would store although the API would reject it. */
  warnings: Notes;
}

/**
 * Reads a dataset to its end as an import would, without storing anything. A problem in one line may be caused by an
 * earlier line that was rejected.
 * @param onProgress called periodically with the number of lines read; the trial ends if it throws.
 */
export async function tryDataset(
  db: Database,
  chunks: AsyncIterable<Buffer>,
  onProgress: (lines: number) => void = () => {},
): Promise<Trial> {
  const trial: Trial = { counts: {}, problems: { count: 0, first: [] }, warnings: { count: 0, first: [] } };
  const readAll = async (tx: Writing) => {
    const isClear = clearIfUntouched(tx);
    const context = createContext(tx);
    requireEnd(context, await eachLine(chunks, createChecker(context, trial, isClear), onProgress));
  };
  await inLongWriting(db, readAll, { isKept: false }).catch((error) => noteProblems(trial.problems, error));
  return trial;
}

function createContext(tx: Writing): ImportContext {
  // Skips the search index, which takes most of the time and rejects nothing.
  const events = { store: (event: StoredEvent) => void insertEvent(tx, event) };
  return { tx, db: tx.db, now: timestamp(), events, end: notYet() };
}

/** @param isClear whether the file has no data yet; otherwise one duplicate says all: it is the wrong file */
function createChecker(context: ImportContext, trial: Trial, isClear: boolean) {
  let duplicates = 0;
  return (line: TextLine, isFirst: boolean) => {
    try {
      const warnings = storeLine(context, line, isFirst, trial.counts);
      for (const message of warnings) note(trial.warnings, line.number, message);
    } catch (error) {
      const isDuplicate = error instanceof DuplicateError;
      if (isDuplicate && duplicates++ > 0 && !isClear) return;
      noteProblems(trial.problems, error);
    }
  };
}

/** Notes every reason of a DatasetError; rethrows any other error. */
function noteProblems(problems: Notes, error: unknown) {
  if (!(error instanceof DatasetError)) throw error;
  for (const reason of error.reasons) note(problems, error.line, reason);
}

function note(notes: Notes, line: number, message: string) {
  if (notes.count++ < MAX_LISTED) notes.first.push({ line, message });
}

/** The first line of every dataset. */
const Header = v.strictObject({
  version: v.literal(1, "must be 1, the only version"),
  createdAt: OptionalTime,
  source: OptionalText,
  hasEnd: Flag(false),
});

/** The last line of an export. */
const End = v.strictObject({});

const NONE: string[] = [];

/** For longer lines only the first error is reported. */
const MAX_FULL_REPORT = 64 * 1024;

const kinds = new Map<string, Kind>(KINDS.map((kind) => [kind.name, kind]));

/**
 * Stores one line in the caller's transaction and counts it; the first line is only the header.
 * @returns what the API would reject in it, safe for a terminal.
 * @throws DatasetError with everything wrong with the line; parts of it may have been stored by then.
 */
function storeLine(
  context: ImportContext,
  textLine: TextLine,
  isFirst: boolean,
  counts: Record<string, number>,
): string[] {
  const { number, text } = textLine;
  const { kind: name, ...line } = parse(textLine);
  if (isFirst) return storeHeader(context, name, line, number);
  if (context.end.isReached) throw new DatasetError(number, "comes after the end of the dataset");
  if (name === "end") return storeEnd(context, line, number);
  const kind = kinds.get(name as string);
  if (!kind) throw new DatasetError(number, `kind: ${unknownKind(name)}`);
  if (mayBeTooDeep(text)) requireShallow(line, number);
  const value = checked(kind.schema, line, number, text.length > MAX_FULL_REPORT);
  try {
    kind.insert(context, value);
  } catch (error) {
    throw explainRejection(error, kind, line, number);
  }
  counts[kind.name] = (counts[kind.name] ?? 0) + 1;
  return kind.warnings ? [...kind.warnings(context.db, value)].map(toPrintable) : NONE;
}

function parse({ number, text, isCut }: TextLine): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DatasetError(number, `is not valid JSON${isCut ? " (was the file cut short?)" : ""}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new DatasetError(number, "must be a JSON object");
}

function unknownKind(name: unknown) {
  if (name === undefined) return "is missing";
  return typeof name === "object" ? "must be text" : `${JSON.stringify(name)} is not a known kind`;
}

function storeHeader({ end }: ImportContext, kind: unknown, line: object, number: number) {
  if (kind !== "dataset") throw new DatasetError(number, "kind: the first line must be of the kind dataset");
  end.isDue = checked(Header, line, number).hasEnd;
  return NONE;
}

function storeEnd({ end }: ImportContext, line: object, number: number) {
  checked(End, line, number);
  end.isReached = true;
  return NONE;
}

/** The end of a dataset of which nothing was read. */
const notYet = () => ({ isDue: false, isReached: false });

/** @throws DatasetError unless all of the dataset was read */
function requireEnd({ end }: ImportContext, linesRead: number) {
  if (end.isReached || !end.isDue) return;
  throw new DatasetError(linesRead + 1, "the end of the dataset is missing (was the file cut short?)");
}

function requireShallow(line: object, number: number) {
  const [key] = Object.entries(line).find(([, value]) => isTooDeep(value)) ?? [];
  if (key === undefined) return;
  throw new DatasetError(number, `${key}: must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
}

function checked<S extends Schema>(
  schema: S,
  line: object,
  number: number,
  abortEarly = false,
): v.InferOutput<S> {
  const result = check(schema, line, "", { abortEarly });
  if (!result.violations) return result.value;
  const [first, ...rest] = result.violations;
  throw new DatasetError(number, reason(first), ...rest.map(reason));
}

const reason = ({ path, message }: Violation) => (path === "" ? message : `${path}: ${message}`);

/** Explains why a row was rejected; returns any other error unchanged. */
function explainRejection(error: unknown, kind: Kind, line: object, number: number): unknown {
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

const CLEAR = [
  command<object>(`DELETE FROM projects`),
  command<object>(`DELETE FROM environments`),
  command<object>(`DELETE FROM tag_types`),
  command<object>(`DELETE FROM context_fields`),
  command<object>(`DELETE FROM segments`),
  command<object>(`DELETE FROM strategy_types WHERE editable`),
];

/** Removes the flags, and everything they depend on. */
function clearFlags(tx: Writing) {
  for (const remove of CLEAR) remove(tx).run({});
}

/**
 * Removes the default content of a new file, if there is nothing else in it, so that a dataset can bring its own.
 * @returns whether there was nothing else
 */
function clearIfUntouched(tx: Writing): boolean {
  const isClear = isUntouched(tx.db);
  if (isClear) clearFlags(tx);
  return isClear;
}

/** Whether a file holds only its default content. */
export function isUntouched(db: Database): boolean {
  const expected = inNewFile(allLines);
  let found = 0;
  for (const line of lines(db)) if (line !== expected[found++]) return false;
  return found === expected.length;
}

const allLines = (db: Database) => [...lines(db)];

function* lines(db: Database): Generator<string> {
  for (const kind of KINDS) {
    for (const line of kind.lines(db)) yield JSON.stringify([kind.name, line], withoutTime);
  }
}

const withoutTime = (key: string, value: unknown) => (key === "createdAt" ? undefined : value);

/** The kinds of lines that define flags; users, tokens and events are kept. */
const FLAG_KINDS = new Set([
  "environment",
  "project",
  "tagType",
  "tag",
  "contextField",
  "segment",
  "strategyType",
  "feature",
]);

/**
 * Replaces the flags, and what they depend on, with those of another file, all or nothing, without events.
 * @throws DatasetError for a flag that refers to an unknown user
 */
export function replaceFlags(db: Database, from: Database) {
  const lines = [...exportDataset(from)].filter(
    (text, index) => index === 0 || FLAG_KINDS.has(JSON.parse(text).kind),
  );
  inWriting(db, (tx) => {
    clearFlags(tx);
    const context = { tx, db, now: timestamp(), events: { store() {} }, end: notYet() };
    for (const [index, text] of lines.entries())
      storeLine(context, { number: index + 1, text, isCut: false }, index === 0, {});
  });
  bumpEverything(db); // including what was deleted along with the projects
}
