import { setImmediate } from "node:timers/promises";
import type { Database } from "../db/statement.ts";
import { inLongWriting } from "../db/transaction.ts";
import { loadEvents } from "../events/load.ts";
import { storeLine } from "./line.ts";
import { eachLine, type TextLine } from "./lines.ts";
import { clearIfUntouched } from "./untouched.ts";

/** How many lines of each kind were stored. */
export type ImportCounts = Record<string, number>;

/**
 * Adds a dataset to what is stored, in one transaction: all of it or nothing. What a new file starts with is replaced
 * where nothing else stands. Memory is bounded by the longest line.
 * @param onProgress called now and then with the number of lines read; what it throws ends the import.
 * @param onWarning called for each thing that the API would refuse.
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
    const context = { tx, db, now: new Date().toISOString(), events: loadEvents(tx) };
    const store = (line: TextLine, isFirst: boolean) => {
      for (const warning of storeLine(context, line, isFirst, counts)) onWarning(line.number, warning);
    };
    clearIfUntouched(tx);
    const read = await eachLine(chunks, store, onProgress);
    for (const _ of context.events.finish()) {
      await setImmediate();
      onProgress(read);
    }
  });
  return counts;
}
