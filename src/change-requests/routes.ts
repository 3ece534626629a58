import type * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT } from "../http/operation.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { requireProjectEnvironment } from "../projects/project-environments.ts";
import { requireAllExist } from "../projects/projects-store.ts";
import { toChangeRequest } from "./present.ts";
import { propose, requireSubject } from "./proposals.ts";
import { reviewersNamed } from "./reviewers.ts";
import {
  ChangeParams,
  ChangeRequest,
  NewChange as NewChangeSchema,
  NewChanges,
  NewComment,
  NewReviewers,
  NewTitle,
  RequestParams,
  Reviewers,
  StateChange,
} from "./schema.ts";
import { comment, isAuthor, moveTo, recordOf, returnToReview } from "./states.ts";
import {
  changesOf,
  findRow,
  insertChange,
  type Row,
  removeChange,
  removeRequest,
  reviewersOf,
  setReviewers,
  updateTitle,
} from "./store.ts";

const TAG = "Change requests";
const PROJECT = "/api/admin/projects/:projectId";

const ONE = {
  tag: TAG,
  path: `${PROJECT}/change-requests/:id`,
  permission: { project: "projectId" },
  params: RequestParams,
  wrongParamsAre404: true,
  errors: ["NotFoundError"],
} as const;

const CHANGING = { ...ONE, errors: ["NotFoundError", "ConflictError"] } as const;

/** A request that the actor may see. @throws ApiError `NotFoundError` */
function requireRequest(
  db: Database,
  actor: Actor,
  { projectId, id }: v.InferOutput<typeof RequestParams>,
): Row {
  const row = findRow(db, id);
  const isVisible = row?.project === projectId && (row.state !== "Draft" || isAuthor(actor, row));
  return found(isVisible ? row : undefined, `change request ${id} in the project ${projectId}`);
}

/** The same that its author may edit. @throws ApiError also `NoAccessError`, and `ConflictError` once it is scheduled */
function requireEditable(tx: Tx, params: v.InferOutput<typeof RequestParams>): Row {
  const row = requireRequest(tx.db, tx.actor, params);
  if (!isAuthor(tx.actor, row))
    throw new ApiError("NoAccessError", `Only its author may edit change request #${row.id}`);
  if (["Draft", "In review", "Approved"].includes(row.state)) return row;
  throw new ApiError(
    "ConflictError",
    `Change request #${row.id} is ${row.state}: it can't be edited any more`,
  );
}

const EXAMPLE = { feature: "first-flag", action: "updateEnabled", payload: { enabled: true } };

export const proposeChanges = POST({
  id: "addChangeToChangeRequest",
  summary: "Add changes to the caller's open change request in an environment, or begin one",
  tag: TAG,
  path: `${PROJECT}/environments/:environment/change-requests`,
  permission: { project: "projectId" },
  body: NewChanges,
  errors: ["NotFoundError", "ExceedsLimitError"],
  records: ["change-request-created", "change-added"],
  response: ChangeRequest,
  example: EXAMPLE,
}).change(({ tx, params: { projectId: project, environment }, body }) => {
  requireProjectEnvironment(tx.db, project, environment);
  return toChangeRequest(tx.db, returnToReview(tx, propose(tx, project, environment, body)));
});

export const readChangeRequest = GET({
  ...ONE,
  id: "getChangeRequest",
  summary: "A change request, and what has happened to what it changes",
  response: ChangeRequest,
}).run(({ db, actor, params }) => toChangeRequest(db, requireRequest(db, actor, params)));

export const discardChangeRequest = DELETE({
  ...CHANGING,
  id: "deleteChangeRequest",
  summary: "Discard a draft",
  records: ["change-request-discarded"],
}).change(({ tx, params }) => {
  const row = requireEditable(tx, params);
  if (row.state !== "Draft")
    throw new ApiError("ConflictError", `Change request #${row.id} is ${row.state}: cancel it instead`);
  removeRequest(tx).run({ id: row.id });
  recordOf(tx, "change-request-discarded", row);
});

export const changeState = PUT({
  ...CHANGING,
  id: "updateChangeRequestState",
  summary: "Send a change request to review, approve, reject, cancel, apply or schedule it",
  path: `${ONE.path}/state`,
  body: StateChange,
  records: [
    "change-request-sent-to-review",
    "change-request-approval-added",
    "change-request-approved",
    "change-request-rejected",
    "change-request-cancelled",
    "change-request-applied",
    "change-request-scheduled",
    "change-request-scheduled-application-success",
  ], // and those of its changes
  response: ChangeRequest,
  example: { state: "In review", comment: "Please have a look" },
}).change(({ tx, actor, params, body }) => {
  moveTo(tx, requireRequest(tx.db, actor, params), body);
  return toChangeRequest(tx.db, findRow(tx.db, params.id)!);
});

export const changeTitle = PUT({
  ...CHANGING,
  id: "updateChangeRequestTitle",
  summary: "Give a change request a title",
  path: `${ONE.path}/title`,
  body: NewTitle,
  status: 204,
  example: { title: "Open the shop" },
}).change(({ tx, params, body: { title } }) => {
  updateTitle(tx).run({ id: requireEditable(tx, params).id, title });
});

export const addComment = POST({
  ...ONE,
  id: "addChangeRequestComment",
  summary: "Comment on a change request",
  path: `${ONE.path}/comments`,
  body: NewComment,
  status: 204,
  example: { text: "At nine, please" },
}).change(({ tx, actor, params, body: { text } }) => comment(tx, requireRequest(tx.db, actor, params), text));

export const listReviewers = GET({
  ...ONE,
  id: "getChangeRequestRequestedApprovers",
  summary: "Who was asked to approve a change request",
  path: `${ONE.path}/approvers`,
  response: Reviewers,
}).run(({ db, actor, params }) => ({
  reviewers: reviewersNamed(db, reviewersOf(db, requireRequest(db, actor, params).id)),
}));

export const askReviewers = PUT({
  ...CHANGING,
  id: "updateChangeRequestRequestedApprovers",
  summary: "Ask others to approve a change request, instead of those before",
  path: `${ONE.path}/approvers`,
  body: NewReviewers,
  status: 204,
  example: { reviewers: [2] },
}).change(({ tx, params, body: { reviewers } }) => {
  requireAllExist(tx.db, "user", reviewers, "body.reviewers");
  setReviewers(tx, requireEditable(tx, params).id, reviewers);
});

const ofChange = { ...CHANGING, path: `${ONE.path}/changes/:changeId`, params: ChangeParams } as const;

/** @throws ApiError `NotFoundError` */
function requireChange(db: Database, row: Row, id: number) {
  found(
    changesOf(db, row.id).find((change) => change.id === id),
    `change ${id} in change request ${row.id}`,
  );
}

export const editChange = PUT({
  ...ofChange,
  id: "updateChange",
  summary: "Replace a change of a change request; it gets another id",
  body: NewChangeSchema,
  records: ["change-edited"],
  response: ChangeRequest,
  example: { ...EXAMPLE, payload: { enabled: false } },
}).change(({ tx, params, body }) => {
  const row = requireEditable(tx, params);
  requireChange(tx.db, row, params.changeId);
  const subject = requireSubject(tx.db, row, body, "body");
  const id = insertChange(tx, row.id, body, subject);
  removeChange(tx).run({ id: params.changeId });
  recordOf(tx, "change-edited", row, { id, action: body.action });
  return toChangeRequest(tx.db, returnToReview(tx, row));
});

export const discardChange = DELETE({
  ...ofChange,
  id: "deleteChange",
  summary: "Remove a change from a change request",
  records: ["change-discarded"],
}).change(({ tx, params }) => {
  const row = requireEditable(tx, params);
  requireChange(tx.db, row, params.changeId);
  removeChange(tx).run({ id: params.changeId });
  recordOf(tx, "change-discarded", row, { id: params.changeId });
  returnToReview(tx, row);
});
