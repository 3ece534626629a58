import type { Actor } from "../access/actor.ts";
import { SYSTEM_USER_ID } from "../access/actor.ts";
import { requirePerson } from "../access/require-permission.ts";
import { requiredApprovals } from "../events/needs-approval.ts";
import type { EventType } from "../events/schema.ts";
import type { Tx } from "../events/write.ts";
import { ApiError } from "../lib/api-error.ts";
import { subjectOf } from "./actions.ts";
import {
  approvers,
  mayApprove,
  neededApprovals,
  performChanges,
  requireApplicable,
  requireSome,
  subjectsOf,
} from "./approval.ts";
import { tellAuthor, tellReviewers } from "./notices.ts";
import type { State, StateChange } from "./schema.ts";
import {
  changesOf,
  findRow,
  insertComment,
  type Row,
  removeVotes,
  scheduleOf,
  storeBefore,
  storeState,
  storeVote,
  updateApprovals,
} from "./store.ts";

/** The `createdBy` of what an actor makes. */
export const authorOf = ({ createdByUserId }: Actor) => createdByUserId ?? SYSTEM_USER_ID;

export const isAuthor = (actor: Actor, { createdBy }: Row) => authorOf(actor) === createdBy;

/** How a request gets into a state: from which others, and what that does. */
interface Move {
  from: readonly State[];
  act(tx: Tx, row: Row, change: StateChange): void;
}

const MOVES: Record<State, Move> = {
  Draft: { from: [], act() {} },
  "In review": { from: ["Draft", "In review", "Approved"], act: sendToReview },
  Approved: { from: ["In review", "Approved"], act: approve },
  Rejected: { from: ["In review", "Approved", "Scheduled"], act: reject },
  Cancelled: { from: ["Draft", "In review", "Approved", "Scheduled"], act: cancel },
  Applied: { from: ["Approved", "Scheduled"], act: apply },
  Scheduled: { from: ["Approved", "Scheduled"], act: schedule },
};

/**
 * Moves a request to another state, or adds a vote on the way there.
 * @throws ApiError `NoAccessError` if the actor may not, `ConflictError` if its state or anything else prevents it
 */
export function moveTo(tx: Tx, row: Row, change: StateChange) {
  const { from, act } = MOVES[change.state];
  if (!from.includes(row.state))
    throw new ApiError(
      "ConflictError",
      `Change request #${row.id} is ${row.state}: it can't become ${change.state}`,
    );
  act(tx, row, change);
  if (change.comment) comment(tx, row, change.comment);
}

export const comment = (tx: Tx, { id }: Row, text: string) =>
  void insertComment(tx).run({ id, text, createdBy: authorOf(tx.actor), now: tx.now });

/** Records an event of a request; what a draft is called is its author's secret. */
export const recordOf = (
  tx: Tx,
  type: EventType,
  { id, project, environment, title, state }: Row,
  more: object = {},
) =>
  tx.record({
    type,
    project,
    environment,
    data: { changeRequestId: id, ...(title !== null && state !== "Draft" && { title }), ...more },
  });

function requireAuthor(tx: Tx, row: Row, orAdmin = false) {
  if (isAuthor(tx.actor, row) || (orAdmin && tx.actor.isAdmin)) return;
  throw new ApiError("NoAccessError", `Only its author may do this with change request #${row.id}`);
}

/** From here on, conflicts are with what is there now; where nobody must approve, it is approved. */
function sendToReview(tx: Tx, row: Row) {
  requireAuthor(tx, row);
  const changes = changesOf(tx.db, row.id);
  requireSome(changes, row.id);
  for (const change of changes) storeBefore(tx, change.id, subjectOf(tx.db, row, change));
  const sent = reviewAnew(tx, row);
  recordOf(tx, "change-request-sent-to-review", sent);
  if (sent.minApprovals === 0) storeState(tx, row, "Approved");
  else tellReviewers(tx, row);
}

function approve(tx: Tx, row: Row) {
  requireSome(changesOf(tx.db, row.id), row.id);
  vote(tx, row, true);
  const isEnough = approvers(tx.db, row).length >= neededApprovals(tx.db, row);
  recordOf(tx, isEnough ? "change-request-approved" : "change-request-approval-added", row);
  if (!isEnough) return;
  storeState(tx, row, "Approved");
  tellAuthor(tx, row, "approved");
}

/** A vote for it counts once, and can be repeated when what it was about has changed. */
function vote(tx: Tx, row: Row, approves: boolean) {
  const { db, actor, now } = tx;
  const userId = requirePerson(actor);
  if (!mayApprove(db, actor, row)) {
    const message =
      actor.userId === row.createdBy
        ? "Only others can approve or reject a change request, unless its author is an Admin"
        : `You need the permission APPROVE_CHANGE_REQUEST in the environment ${row.environment} to do this`;
    throw new ApiError("NoAccessError", message);
  }
  if (approves && approvers(db, row).includes(userId))
    throw new ApiError("ConflictError", `You have approved change request #${row.id} already`);
  storeVote(tx).run({ id: row.id, userId, approves: approves ? 1 : 0, subjects: subjectsOf(db, row), now });
}

/** By someone who may approve; its author may take back what is scheduled. */
function reject(tx: Tx, row: Row) {
  if (row.state !== "Scheduled" || !isAuthor(tx.actor, row)) vote(tx, row, false);
  storeState(tx, row, "Rejected");
  recordOf(tx, "change-request-rejected", row);
  tellAuthor(tx, row, "rejected");
}

function cancel(tx: Tx, row: Row) {
  requireAuthor(tx, row, true);
  storeState(tx, row, "Cancelled");
  recordOf(tx, "change-request-cancelled", row);
}

/** Applies it now, all or nothing. */
export function apply(tx: Tx, row: Row) {
  recordOf(
    tx,
    scheduleOf(row) ? "change-request-scheduled-application-success" : "change-request-applied",
    row,
  );
  performChanges(tx, row);
  storeState(tx, row, "Applied");
  tellAuthor(tx, row, "applied");
}

function schedule(tx: Tx, row: Row, { scheduledAt = "" }: StateChange) {
  requireApplicable(tx.db, tx.actor, row);
  const scheduledBy = requirePerson(tx.actor);
  storeState(tx, row, "Scheduled", { status: "pending", scheduledAt, scheduledBy });
  recordOf(tx, "change-request-scheduled", row, { scheduledDate: scheduledAt });
}

/** After an edit: what was approved is no longer what it was. */
export const returnToReview = (tx: Tx, row: Row): Row => (row.state === "Draft" ? row : reviewAnew(tx, row));

/** Without the approvals of before; from here on, it needs as many as are required now. */
function reviewAnew(tx: Tx, row: Row): Row {
  const { id, project, environment } = row;
  removeVotes(tx).run({ id });
  updateApprovals(tx).run({ id, minApprovals: requiredApprovals(tx.db, project, environment) });
  storeState(tx, row, "In review");
  return findRow(tx.db, id)!;
}
