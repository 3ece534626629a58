import crypto from "node:crypto";
import type { Actor } from "../access/actor.ts";
import { actorOf } from "../access/authenticate.ts";
import { holds, requirePermission } from "../access/require-permission.ts";
import type { Database } from "../db/database.ts";
import { requiredApprovals } from "../events/needs-approval.ts";
import { actingAs, type Tx } from "../events/write.ts";
import { performIn, requireAllowed, rewording } from "../http/perform.ts";
import { ApiError } from "../lib/api-error.ts";
import { conflictOf, requestFor, segmentsOf, subjectOf } from "./actions.ts";
import { changesOf, type Row, type StoredChange, votesOf } from "./store.ts";

/** How many must approve: as many as were required when it was last edited or sent to review, or if none was, now. */
export const neededApprovals = (db: Database, { minApprovals, project, environment }: Row) =>
  minApprovals || requiredApprovals(db, project, environment);

/** The SHA-256 of everything that the changes are about, as it is now, and of the segments that say for whom. */
export function subjectsOf(db: Database, row: Row, changes = changesOf(db, row.id)) {
  const subjects = changes.map((change) => {
    const subject = subjectOf(db, row, change) ?? null;
    return [subject, segmentsOf(db, change, subject)];
  });
  return crypto.hash("sha256", JSON.stringify(subjects), "hex");
}

/** Where a request is, and whose. */
export type Place = Pick<Row, "project" | "environment" | "createdBy">;

/** Whether someone may approve or reject the request: not one's own, unless they are an Admin. */
export const mayApprove = (db: Database, actor: Actor, { createdBy, project, environment }: Place) =>
  (actor.isAdmin || actor.userId !== createdBy) &&
  holds(db, actor, { permissions: ["APPROVE_CHANGE_REQUEST"], project, environment });

/** The users whose approval counts: they may still give it, and it was about what is there now. */
export function approvers(db: Database, row: Row): number[] {
  const subjects = subjectsOf(db, row);
  return votesOf(db)
    .all({ id: row.id })
    .filter((vote) => vote.approves === 1 && vote.subjects === subjects)
    .map(({ id }) => id!)
    .filter((id) => mayApprove(db, actorOf(db, id)!, row));
}

/**
 * Checks that the actor may apply a request as everything is now. Where nobody must approve, they need the permission for
 * each change, as if they made it directly.
 * @throws ApiError `NoAccessError`; `ConflictError` for what is gone or was changed, or a missing approval
 */
export function requireApplicable(db: Database, actor: Actor, row: Row) {
  const { id, project, environment } = row;
  const changes = changesOf(db, id);
  const needed = neededApprovals(db, row);
  requireSome(changes, id);
  if (needed > 0)
    requirePermission(db, actor, { permissions: ["APPLY_CHANGE_REQUEST"], project, environment });
  for (const change of changes) {
    if (needed === 0) requireAllowed(db, actor, requestFor(row, change));
    requireThere(db, row, change, needed === 0);
  }
  const missing = needed > 0 ? needed - approvers(db, row).length : 0;
  if (missing > 0) throw new ApiError("ConflictError", missingText(db, row, missing));
}

/** @throws ApiError `ConflictError` if a request has no changes */
export function requireSome(changes: readonly StoredChange[], id: number) {
  if (changes.length === 0) throw new ApiError("ConflictError", `Change request #${id} has no changes`);
}

/** @param isUnchanged whether it must also be as it was when the change was proposed */
function requireThere(db: Database, row: Row, change: StoredChange, isUnchanged: boolean) {
  const subject = subjectOf(db, row, change);
  const isGone = subject === undefined;
  const conflict = isGone || isUnchanged ? conflictOf(db, row, change, subject) : undefined;
  if (conflict === undefined) return;
  const next = isGone ? "discard that change" : "look at it and send the request to review again";
  const message = `Change request #${row.id} can't be applied: ${conflict}; ${isScheduled(row) ? ANEW : next}`;
  throw new ApiError("ConflictError", message);
}

/** What is scheduled can be neither edited nor approved. */
const isScheduled = ({ state }: Row) => state === "Scheduled";
const ANEW = "reject it and propose it again";

function missingText(db: Database, row: Row, missing: number) {
  const subjects = subjectsOf(db, row);
  const isOutdated = votesOf(db)
    .all({ id: row.id })
    .some((vote) => vote.subjects !== subjects);
  const needs = `needs ${missing} more approval${missing === 1 ? "" : "s"}`;
  const since = isOutdated ? ", since what it changes has been changed" : "";
  return `Change request #${row.id} ${needs}${since}${isScheduled(row) ? `; ${ANEW}` : ""}`;
}

/**
 * Makes the changes of a request, with the rules and events of the operations that make them directly.
 * @throws ApiError as `requireApplicable`; `ConflictError` for the first change that is refused now
 */
export function performChanges(tx: Tx, row: Row) {
  requireApplicable(tx.db, tx.actor, row);
  // Those who approved have decided; whoever applies need not be allowed to make such changes directly.
  const isAdmin = tx.actor.isAdmin || neededApprovals(tx.db, row) > 0;
  performUnchecked(actingAs(tx, { ...tx.actor, isAdmin }), row);
}

/** The same for an actor who may. @throws ApiError `ConflictError` for the first change that is refused */
export function performUnchecked(tx: Tx, row: Row) {
  for (const change of changesOf(tx.db, row.id)) {
    const { operation, params, body, query } = requestFor(row, change);
    rewording(
      () => performIn(tx, operation, params, body, query),
      (message) =>
        new ApiError("ConflictError", `Change ${change.id} (${change.action}) is refused: ${message}`),
    );
  }
}
