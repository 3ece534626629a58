import { setImmediate } from "node:timers/promises";
import type { Database } from "../db/statement.ts";
import { inLongWriting } from "../db/transaction.ts";
import { loadEvents } from "../events/load.ts";
import { timestamp } from "../lib/timestamp.ts";
import { notYet, requireEnd, storeLine } from "./line.ts";
import { eachLine, type TextLine } from "./lines.ts";
import { clearIfUntouched } from "./untouched.ts";

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
