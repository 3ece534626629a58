import { close, IN_MEMORY, open } from "../db/open.ts";
import { type Database, statement } from "../db/statement.ts";
import { KINDS } from "./kinds.ts";

const CLEAR = [
  statement<object>(`DELETE FROM projects`),
  statement<object>(`DELETE FROM environments`),
  statement<object>(`DELETE FROM tag_types`),
  statement<object>(`DELETE FROM context_fields`),
];

/**
 * Takes away what a new file starts with, if nothing else stands in this one, so that a dataset may bring its own.
 * In the caller's transaction.
 */
export function clearIfUntouched(db: Database) {
  if (!isUntouched(db)) return;
  for (const remove of CLEAR) remove(db).run({});
}

/** Compared with a new file, so that what that starts with is written in schema.sql only. */
function isUntouched(db: Database) {
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
