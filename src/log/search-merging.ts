import type { Database } from "../db/database.ts";
import { inGroup } from "../db/group-commit.ts";
import { onChange } from "../db/revision.ts";
import { bookkeeping, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { createBackground } from "../lib/background.ts";
import type { Log } from "../lib/logger.ts";

/*
 * Each change adds a small segment to the search index, and a search reads all segments. FTS5 would merge them inside every
 * 64th change or so, which would then take 30 ms, and now and then half a second. Here they are merged in small steps
 * between changes. What FTS5 still does by itself, at 64 segments of one size (schema.sql), is for files that no server
 * has open.
 */

/** How long no event may have been recorded before a step, in milliseconds. */
const QUIET_MS = 50;

/** After this many changes without a quiet moment, a step is due all the same. */
const MAX_UNMERGED = 8;

/** The pages of 4 KB that a step writes, more or less; it takes 2 to 12 ms. */
const PAGES = 32;

const merge = bookkeeping<{ pages: number }>(`
  INSERT INTO event_searches (event_searches, rank) VALUES ('merge', :pages)`);

const rowsWritten = valueQuery<object, number>("SELECT total_changes()");

/** Merges some segments. @returns whether there may be more to merge */
export function mergeSome(tx: Writing): boolean {
  const written = () => rowsWritten(tx.db).get({})!;
  const before = written();
  merge(tx).run({ pages: PAGES });
  return written() - before >= 2; // the command itself counts as one
}

/**
 * Keeps the search index merged, from now on and after changes by this process.
 * @returns a function that stops it; resolves once it is idle
 */
export function keepSearchesMerged(db: Database, log: Log): () => Promise<void> {
  const background = createBackground(log, "merging the search index");
  let unmerged = 0;
  const step = async () => {
    unmerged = 0;
    if (await inGroup(db, mergeSome)) timer.refresh();
  };
  const timer = setTimeout(background.run, QUIET_MS, step).unref();
  const unwatch = onChange(db, (tables) => {
    if (![...tables].includes("events")) return;
    timer.refresh();
    if (++unmerged === MAX_UNMERGED) background.run(step);
  });
  return async () => {
    unwatch();
    await background.stop();
    clearTimeout(timer);
  };
}
