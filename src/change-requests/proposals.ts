import type { Database } from "../db/database.ts";
import { requiredApprovals } from "../events/needs-approval.ts";
import type { Tx } from "../events/write.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { MAX_CHANGES } from "../lib/limits.ts";
import { conflictOf, subjectOf } from "./actions.ts";
import type { NewChange } from "./schema.ts";
import { authorOf, moveTo, recordOf } from "./states.ts";
import { changesOf, findOpen, findRow, insertChange, insertDraft, type Row, updateTitle } from "./store.ts";

/**
 * Adds changes to the actor's open request in an environment of a project, or begins one.
 * @throws ApiError `ValidationError` for a change of what isn't there, `ExceedsLimitError`
 */
export function propose(tx: Tx, project: string, environment: string, changes: readonly NewChange[]): Row {
  const open = findOpen(tx.db, project, environment, authorOf(tx.actor)) ?? begin(tx, project, environment);
  requireRoom(tx.db, open, changes.length);
  for (const [index, change] of changes.entries()) addChange(tx, open, change, `body.${index}`);
  return open;
}

/** Sends a new request to review, in place of the actor's open one. @returns its id */
export function proposeAnew(
  tx: Tx,
  project: string,
  environment: string,
  changes: readonly NewChange[],
  title: string,
) {
  const open = findOpen(tx.db, project, environment, authorOf(tx.actor));
  if (open) moveTo(tx, open, { state: "Cancelled" });
  const { id } = propose(tx, project, environment, changes);
  updateTitle(tx).run({ id, title });
  moveTo(tx, findRow(tx.db, id)!, { state: "In review" });
  return id;
}

function begin(tx: Tx, project: string, environment: string): Row {
  const minApprovals = requiredApprovals(tx.db, project, environment);
  const row = insertDraft(tx, { project, environment, minApprovals, createdBy: authorOf(tx.actor) });
  recordOf(tx, "change-request-created", row);
  return row;
}

function requireRoom(db: Database, { id }: Row, added: number) {
  if (changesOf(db, id).length + added <= MAX_CHANGES) return;
  const most = `${MAX_CHANGES} changes, the most allowed`;
  throw new ApiError("ExceedsLimitError", `Change request #${id} would have more than ${most}`);
}

function addChange(tx: Tx, row: Row, change: NewChange, where: string) {
  const subject = requireSubject(tx.db, row, change, where);
  const id = insertChange(tx, row.id, change, subject);
  recordOf(tx, "change-added", row, { id, action: change.action });
}

/** @throws ApiError `ValidationError` if what a change is about isn't there */
export function requireSubject(db: Database, row: Row, change: NewChange, where: string): unknown {
  const subject = subjectOf(db, row, change);
  if (subject !== undefined) return subject;
  throw invalid({ path: where, message: `can't be done: ${conflictOf(db, row, change)}` });
}
