import { bumpEverything } from "../db/revision.ts";
import type { Database } from "../db/statement.ts";
import { inWriting } from "../db/transaction.ts";
import { timestamp } from "../lib/timestamp.ts";
import { exportDataset } from "./export.ts";
import { notYet, storeLine } from "./line.ts";
import { clearFlags } from "./untouched.ts";

/** The kinds of lines that define flags; users, tokens and events are kept. */
const KINDS = new Set([
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
    (text, index) => index === 0 || KINDS.has(JSON.parse(text).kind),
  );
  inWriting(db, (tx) => {
    clearFlags(tx);
    const context = { tx, db, now: timestamp(), events: { store() {} }, end: notYet() };
    for (const [index, text] of lines.entries())
      storeLine(context, { number: index + 1, text, isCut: false }, index === 0, {});
  });
  bumpEverything(db); // including what was deleted along with the projects
}
