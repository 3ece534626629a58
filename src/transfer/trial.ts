import { DatasetError, DuplicateError } from "../dataset/error.ts";
import type { ImportContext } from "../dataset/kind.ts";
import type { Database } from "../db/statement.ts";
import { inLongWriting, type Writing } from "../db/transaction.ts";
import { insertEvent, type StoredEvent } from "../events/record.ts";
import { timestamp } from "../lib/timestamp.ts";
import type { ImportCounts } from "./import.ts";
import { notYet, requireEnd, storeLine } from "./line.ts";
import { eachLine, type TextLine } from "./lines.ts";
import { clearIfUntouched } from "./untouched.ts";

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
