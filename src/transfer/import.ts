import { setImmediate } from "node:timers/promises";
import {
  DatasetError,
  DuplicateError,
  type ImportContext,
  type Kind,
  type Line,
  LineError,
  type Place,
  toPrintable,
} from "../dataset/kind.ts";
import { type Chunks, checkedKeys, datasetLines } from "../dataset/text.ts";
import type { Database } from "../db/database.ts";
import { isSqlite } from "../db/error.ts";
import { isKnown } from "../db/known.ts";
import { inNewFile } from "../db/open.ts";
import { bumpEverything } from "../db/revision.ts";
import { restartHistory } from "../db/row-versions.ts";
import { query } from "../db/statement.ts";
import { inLongWriting, inWriting, type Writing } from "../db/transaction.ts";
import { lengthOfChain } from "../events/chain.ts";
import { insertEvent, loadEvents, type StoredEvent } from "../events/record.ts";
import { TooLongError } from "../lib/limits.ts";
import { timestamp } from "../lib/time.ts";
import { verifyLog } from "../log/proof.ts";
import { KINDS, kindNamed } from "./all-kinds.ts";

/** The number of stored lines of each kind. */
export type ImportCounts = Record<string, number>;

interface ImportOptions {
  /** Called periodically with the number of lines read; the import ends if it throws. */
  onProgress?(lines: number): void;
  /** Called for each thing that the API would reject. */
  onWarning?(place: Place, warning: string): void;
  /** Whether the lines replace everything in the file, rather than being added. */
  replaces?: boolean;
}

/** Adds a dataset in text form, as `importLines` does. */
export const importDataset = (db: Database, chunks: Chunks, options?: ImportOptions) =>
  importLines(db, datasetLines(chunks), options);

/**
 * Adds lines to what is stored, in one transaction: all or nothing. The default content of a new file is replaced
 * if the file contains nothing else. Memory use is bounded by the longest line.
 * @throws DatasetError naming the place and the reason.
 */
export async function importLines(
  db: Database,
  source: AsyncIterable<Line[]>,
  { onProgress = () => {}, onWarning = () => {}, replaces = false }: ImportOptions = {},
): Promise<ImportCounts> {
  const counts: ImportCounts = {};
  await inLongWriting(db, async (tx) => {
    const events = loadEvents(tx);
    const context = { tx, db, now: timestamp(), events };
    makeRoom(tx, replaces);
    const length = lengthOfChain(db);
    const read = await eachLine(source, onProgress, (line) => {
      for (const warning of storeLine(context, line, counts)) onWarning(line.place, warning);
    });
    if (replaces) requireAdministrator(db);
    requireProof(db, length);
    for (const _ of events.finish()) {
      await setImmediate();
      onProgress(read);
    }
    restartHistory(tx);
  });
  return counts;
}

/** @returns the number of lines */
async function eachLine(
  source: AsyncIterable<Line[]>,
  onProgress: (lines: number) => void,
  onLine: (line: Line) => void,
): Promise<number> {
  let read = 0;
  for await (const lines of source) {
    for (const line of lines) onLine(line);
    read += lines.length;
    onProgress(read);
  }
  return read;
}

/** The most notes that are listed. */
const MAX_LISTED = 100;

/** The number of notes, and the first of them with their places. */
export interface Notes {
  count: number;
  first: Array<Place & { message: string }>;
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
 * Reads lines to the end as an import would, without storing anything. A problem in one line may be caused by an
 * earlier line that was rejected.
 */
export async function tryLines(
  db: Database,
  source: AsyncIterable<Line[]>,
  { onProgress = () => {}, replaces = false }: Omit<ImportOptions, "onWarning"> = {},
): Promise<Trial> {
  const trial: Trial = { counts: {}, problems: { count: 0, first: [] }, warnings: { count: 0, first: [] } };
  const readAll = async (tx: Writing) => {
    const isClear = makeRoom(tx, replaces);
    const length = lengthOfChain(db);
    await eachLine(source, onProgress, createChecker(createContext(tx), trial, isClear));
    if (replaces) requireAdministrator(db);
    if (trial.problems.count === 0) requireProof(db, length);
  };
  await inLongWriting(db, readAll, { isKept: false }).catch((error) => noteProblems(trial.problems, error));
  return trial;
}

function createContext(tx: Writing): ImportContext {
  // Skips the search index, which takes most of the time and rejects nothing.
  const events = { store: (event: StoredEvent) => void insertEvent(tx, event) };
  return { tx, db: tx.db, now: timestamp(), events };
}

/** @param isClear whether the file has no data yet; otherwise one duplicate says all: it is the wrong file */
function createChecker(context: ImportContext, trial: Trial, isClear: boolean) {
  let duplicates = 0;
  return (line: Line) => {
    try {
      const warnings = storeLine(context, line, trial.counts);
      for (const message of warnings) note(trial.warnings, line.place, message);
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
  for (const reason of error.reasons) note(problems, error.place, reason);
}

function note(notes: Notes, place: Place, message: string) {
  if (notes.count++ < MAX_LISTED) notes.first.push({ ...place, message });
}

const NONE: string[] = [];

/**
 * Stores one line in the caller's transaction and counts it.
 * @returns what the API would reject in it, safe for a terminal.
 * @throws DatasetError with everything wrong with the line; parts of it may have been stored by then.
 */
function storeLine(context: ImportContext, { place, read }: Line, counts: Record<string, number>): string[] {
  const line = read();
  if (!line) return NONE;
  const kind = kindNamed(line.kind);
  if (!kind) throw new DatasetError(place, `kind: ${unknownKind(line.kind)}`);
  const value = checkedKeys(kind.schema, line.keys, place, line.isLong);
  try {
    kind.insert(context, value);
  } catch (error) {
    throw explainRejection(error, kind, line.keys, place);
  }
  counts[kind.name] = (counts[kind.name] ?? 0) + 1;
  return kind.warnings ? [...kind.warnings(context.db, value)].map(toPrintable) : NONE;
}

function unknownKind(name: unknown) {
  if (name === undefined) return "is missing";
  return typeof name === "object" ? "must be text" : `${JSON.stringify(name)} is not a known kind`;
}

/** Explains why a row was rejected; returns any other error unchanged. */
function explainRejection(error: unknown, kind: Kind, line: object, place: Place): unknown {
  if (error instanceof LineError || error instanceof TooLongError)
    return new DatasetError(place, error.message);
  if (!isSqlite(error, "SQLITE_CONSTRAINT")) return error;
  const columns = /constraint failed: (.+)/.exec(error.message)?.[1]?.replace(/\w+\./g, "") ?? "a value";
  const isDuplicate = /UNIQUE|PRIMARYKEY|ROWID/.test(error.code);
  if (!isDuplicate) return new DatasetError(place, `${kind.name}: a value is not allowed: ${columns}`);
  const keys = columns.split(", ").map(toKey);
  const given = Object.entries(line).filter(([key]) => keys.includes(key));
  return given.length < keys.length
    ? new DatasetError(place, `${kind.name}: two things in it have the same ${keys.join(", ")}`)
    : new DuplicateError(place, `${kind.name}: ${alreadyExists(given)}`);
}

/** A line's key for a column. */
const toKey = (column: string) =>
  column.replace(/_id$/, "").replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Names what already exists by the line's own keys. */
function alreadyExists(given: ReadonlyArray<[key: string, value: unknown]>) {
  const names = given.map(
    ([key, value]) => `${key} ${typeof value === "string" ? JSON.stringify(value) : value}`,
  );
  return `already exists: ${names.join(", ")}; if the file has data already, import into a new one, or replace everything`;
}

/** Removes what there is of some kinds, or of all. */
function clear(tx: Writing, isWanted: (kind: Kind) => boolean = () => true) {
  for (const kind of KINDS.toReversed()) if (isWanted(kind)) kind.clear(tx);
}

/**
 * Removes what the lines replace: everything, or the default content of a new file if there is nothing else in it.
 * @returns whether there is nothing that could be in the way
 */
function makeRoom(tx: Writing, replaces: boolean): boolean {
  const isClear = replaces || isUntouched(tx.db);
  if (isClear) clear(tx, replaces ? undefined : isOfFlags);
  return isClear;
}

const administrator = query<object>(`
  SELECT 1 FROM users WHERE root_role = 1 UNION ALL SELECT 1 FROM tokens WHERE type = 'admin' LIMIT 1`);

/** @throws DatasetError if nobody could administer what replaces everything */
function requireAdministrator(db: Database) {
  if (administrator(db).get({})) return;
  throw new DatasetError(
    { line: 1 },
    "it has no administrator, so nobody could manage what replaces everything",
  );
}

/**
 * Events and seals that come with their hashes are kept as they are, and must fit.
 * @throws DatasetError
 */
function requireProof(db: Database, lengthBefore: number) {
  if (lengthOfChain(db) === lengthBefore) return;
  const [finding] = verifyLog(db).findings;
  if (!finding) return;
  throw new DatasetError({ line: 1 }, `its log of events is not as it was recorded: ${finding.message}`);
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
  "featureType",
  "feature",
]);

const isOfFlags = ({ name }: Kind) => FLAG_KINDS.has(name);

/**
 * Replaces the flags, and what they depend on, with those of another file, all or nothing, without events. Who has
 * access to a project stays as it is.
 * @throws DatasetError for a flag that refers to an unknown user
 */
export function replaceFlags(db: Database, from: Database) {
  inWriting(db, (tx) => {
    const access = [...linesOf(db, ({ name }) => name === "projectRole")];
    clear(tx, isOfFlags);
    const context = { tx, db, now: timestamp(), events: { store() {} } };
    for (const line of linesOf(from, isOfFlags)) storeLine(context, line, {});
    for (const line of access) if (isOfKnownProject(db, line)) storeLine(context, line, {});
    restartHistory(tx);
  });
  bumpEverything(db); // including what was deleted along with the projects
}

function* linesOf(db: Database, isWanted: (kind: Kind) => boolean): Generator<Line> {
  for (const { name, lines } of KINDS.filter(isWanted)) {
    let row = 0;
    for (const keys of lines(db) as Iterable<object>)
      yield { place: { table: name, row: ++row }, read: () => ({ kind: name, keys }) };
  }
}

const isOfKnownProject = (db: Database, line: Line) =>
  isKnown(db, "project", (line.read()!.keys as { project: string }).project);
