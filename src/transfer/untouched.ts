import { inNewFile } from "../db/new-file.ts";
import { command, type Database } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { KINDS } from "./kinds.ts";

const CLEAR = [
  command<object>(`DELETE FROM projects`),
  command<object>(`DELETE FROM environments`),
  command<object>(`DELETE FROM tag_types`),
  command<object>(`DELETE FROM context_fields`),
  command<object>(`DELETE FROM segments`),
  command<object>(`DELETE FROM strategy_types WHERE editable`),
];

/** Removes the flags, and everything they depend on. */
export function clearFlags(tx: Writing) {
  for (const remove of CLEAR) remove(tx).run({});
}

/**
 * Removes the default content of a new file, if there is nothing else in it, so that a dataset can bring its own.
 * @returns whether there was nothing else
 */
export function clearIfUntouched(tx: Writing): boolean {
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
  for (const { name, rows } of KINDS) {
    for (const row of rows(db)) yield JSON.stringify([name, row], withoutTime);
  }
}

const withoutTime = (key: string, value: unknown) => (key === "createdAt" ? undefined : value);
