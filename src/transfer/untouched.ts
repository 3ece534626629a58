import { close, IN_MEMORY, open } from "../db/open.ts";
import { command, type Database } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { KINDS } from "./kinds.ts";

const CLEAR = [
  command<object>(`DELETE FROM projects`),
  command<object>(`DELETE FROM environments`),
  command<object>(`DELETE FROM tag_types`),
  command<object>(`DELETE FROM context_fields`),
];

/**
 * Takes away what a new file starts with, if nothing else stands in this one, so that a dataset may bring its own.
 */
export function clearIfUntouched(tx: Writing) {
  if (!isUntouched(tx.db)) return;
  for (const remove of CLEAR) remove(tx).run({});
}

/** Whether a file holds only what a new one does. Compared with a new one, so that what that starts with is written in schema.sql only. */
export function isUntouched(db: Database): boolean {
  const expected = linesOfNewFile();
  let found = 0;
  for (const line of lines(db)) if (line !== expected[found++]) return false;
  return found === expected.length;
}

function linesOfNewFile() {
  const db = open(IN_MEMORY);
  try {
    return [...lines(db)];
  } finally {
    close(db);
  }
}

function* lines(db: Database): Generator<string> {
  for (const { name, rows } of KINDS) {
    for (const row of rows(db)) yield JSON.stringify([name, row], withoutTime);
  }
}

const withoutTime = (key: string, value: unknown) => (key === "createdAt" ? undefined : value);
