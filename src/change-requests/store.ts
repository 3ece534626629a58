import { SERVICE_USER_ID, SYSTEM_USER_ID } from "../access/actor.ts";
import { imageUrlOf, type PersonRow } from "../access/person.ts";
import type { Database } from "../db/database.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { Tx } from "../events/write.ts";
import type { NewChange, State } from "./schema.ts";

/** A request as it is stored. */
export interface Row {
  id: number;
  project: string;
  environment: string;
  title: string | null;
  state: State;
  /** JSON, as is `schedule`. */
  stateTimestamps: string;
  minApprovals: number;
  /** A user, who may be deleted, or -42 for a service token. */
  createdBy: number;
  createdAt: string;
  schedule: string | null;
}

/** When a request is to be applied, and who wanted that. */
export interface StoredSchedule {
  status: "pending" | "failed" | "suspended";
  scheduledAt: string;
  scheduledBy: number;
  reason?: string;
}

export const scheduleOf = ({ schedule }: Row): StoredSchedule | undefined =>
  schedule === null ? undefined : JSON.parse(schedule);

export const COLUMNS = `id, project, environment, title, state, state_timestamps AS stateTimestamps,
  min_approvals AS minApprovals, created_by AS createdBy, created_at AS createdAt, schedule`;

/** SQL: whether a user may see the request: a draft is its author's secret. */
export const IS_VISIBLE = `(state <> 'Draft' OR created_by = :me)`;

const byId = query<{ id: number }, Row>(`SELECT ${COLUMNS} FROM change_requests WHERE id = :id`);

export const findRow = (db: Database, id: number) => byId(db).get({ id });

const openOf = query<Pick<Row, "project" | "environment"> & { me: number }, Row>(`
  SELECT ${COLUMNS} FROM change_requests
  WHERE project = :project AND environment = :environment AND created_by = :me
    AND state IN ('Draft', 'In review', 'Approved')`);

/** The author's own request that changes can be added to. */
export const findOpen = (db: Database, project: string, environment: string, me: number) =>
  openOf(db).get({ project, environment, me });

/** The newest 300 of a project that a user may see, newest first. */
export const latestOf = query<{ project: string; me: number }, Row>(`
  SELECT ${COLUMNS} FROM change_requests WHERE project = :project AND ${IS_VISIBLE}
  ORDER BY created_at DESC, id DESC LIMIT 300`);

/** A user's own that are not closed. */
export const unfinishedOf = query<{ project: string; me: number }, Row>(`
  SELECT ${COLUMNS} FROM change_requests
  WHERE project = :project AND created_by = :me AND state NOT IN ('Applied', 'Cancelled', 'Rejected') ORDER BY id`);

/** Those that may still be edited, with a change to a flag. */
export const pendingFor = query<{ project: string; feature: string; me: number }, Row>(`
  SELECT ${COLUMNS} FROM change_requests
  WHERE project = :project AND state IN ('Draft', 'In review', 'Approved') AND ${IS_VISIBLE}
    AND id IN (SELECT change_request FROM change_request_changes WHERE feature = :feature)
  ORDER BY id`);

export const scheduledRows = query<object, Row>(`
  SELECT ${COLUMNS} FROM change_requests WHERE state = 'Scheduled' ORDER BY schedule ->> 'scheduledAt', id`);

const insert = command<Omit<Row, "id" | "title" | "state" | "schedule">>(`
  INSERT INTO change_requests (project, environment, state_timestamps, min_approvals, created_by, created_at)
  VALUES (:project, :environment, :stateTimestamps, :minApprovals, :createdBy, :createdAt)`);

/** A new draft. */
export function insertDraft(
  tx: Tx,
  draft: Pick<Row, "project" | "environment" | "minApprovals" | "createdBy">,
): Row {
  const stateTimestamps = JSON.stringify({ Draft: tx.now });
  const { lastInsertRowid } = insert(tx).run({ ...draft, stateTimestamps, createdAt: tx.now });
  return findRow(tx.db, Number(lastInsertRowid))!;
}

const updateState = command<{ id: number; state: State; now: string; schedule: string | null }>(`
  UPDATE change_requests SET state = :state, schedule = :schedule,
    state_timestamps = json_set(state_timestamps, '$."' || :state || '"', :now)
  WHERE id = :id`);

/** Moves a request to a state; `schedule` exactly for `Scheduled`. */
export const storeState = (tx: Tx, { id }: Row, state: State, schedule?: StoredSchedule) =>
  updateState(tx).run({ id, state, now: tx.now, schedule: schedule ? JSON.stringify(schedule) : null });

export const updateTitle = command<Pick<Row, "id" | "title">>(
  `UPDATE change_requests SET title = :title WHERE id = :id`,
);

export const updateApprovals = command<Pick<Row, "id" | "minApprovals">>(
  `UPDATE change_requests SET min_approvals = :minApprovals WHERE id = :id`,
);

export const removeRequest = command<{ id: number }>(`DELETE FROM change_requests WHERE id = :id`);

/** A stored change, as it was proposed. */
export type StoredChange = NewChange & {
  id: number;
  /** What it is about, as it was; undefined if that was nothing. */
  before: unknown;
  createdAt: string;
};

interface ChangeRow {
  id: number;
  changeRequest: number;
  feature: string | null;
  action: string;
  payload: string | null;
  before: string | null;
  createdAt: string;
}

const changeRows = query<{ id: number }, ChangeRow>(`
  SELECT id, change_request AS changeRequest, feature, action, payload, before, created_at AS createdAt
  FROM change_request_changes WHERE change_request = :id ORDER BY id`);

/** The changes of a request, in the order in which they are applied. */
export const changesOf = (db: Database, id: number): StoredChange[] =>
  changeRows(db)
    .all({ id })
    .map(
      ({ changeRequest: _, payload, before, feature, ...row }) =>
        ({
          ...row,
          ...(feature !== null && { feature }),
          payload: payload === null ? undefined : JSON.parse(payload),
          before: before === null ? undefined : JSON.parse(before),
        }) as StoredChange,
    );

const toJson = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));

const insertRow = command<Omit<ChangeRow, "id">>(`
  INSERT INTO change_request_changes (change_request, feature, action, payload, before, created_at)
  VALUES (:changeRequest, :feature, :action, :payload, :before, :createdAt)`);

/** @returns its id */
export const insertChange = (tx: Tx, changeRequest: number, change: NewChange, before: unknown): number =>
  Number(
    insertRow(tx).run({
      changeRequest,
      feature: "feature" in change ? change.feature : null,
      action: change.action,
      payload: toJson(change.payload),
      before: toJson(before),
      createdAt: tx.now,
    }).lastInsertRowid,
  );

const updateBefore = command<Pick<ChangeRow, "id" | "before">>(
  `UPDATE change_request_changes SET before = :before WHERE id = :id`,
);

/** Takes what a change is about as it is now. */
export const storeBefore = (tx: Tx, id: number, before: unknown) =>
  updateBefore(tx).run({ id, before: toJson(before) });

export const removeChange = command<{ id: number }>(`DELETE FROM change_request_changes WHERE id = :id`);

interface VoteRow extends PersonRow {
  approves: 0 | 1;
  subjects: string;
  createdAt: string;
}

/** SQL: the columns of a person. */
const PERSON = `users.id, users.name, username, email, image_url AS imageUrl`;

/** All votes on a request, oldest first; a deleted user's went with the user. */
export const votesOf = query<{ id: number }, VoteRow>(`
  SELECT ${PERSON}, approves, subjects, votes.created_at AS createdAt
  FROM change_request_votes AS votes JOIN users ON users.id = user_id
  WHERE change_request = :id ORDER BY votes.created_at, user_id`);

export const storeVote = command<{
  id: number;
  userId: number;
  approves: 0 | 1;
  subjects: string;
  now: string;
}>(`
  INSERT INTO change_request_votes (change_request, user_id, approves, subjects, created_at)
  VALUES (:id, :userId, :approves, :subjects, :now)
  ON CONFLICT DO UPDATE SET approves = :approves, subjects = :subjects, created_at = :now`);

export const removeVotes = command<{ id: number }>(
  `DELETE FROM change_request_votes WHERE change_request = :id`,
);

export const insertComment = command<{ id: number; text: string; createdBy: number; now: string }>(`
  INSERT INTO change_request_comments (change_request, text, created_by, created_at)
  VALUES (:id, :text, :createdBy, :now)`);

type AuthoredRow = Omit<PersonRow, "id"> & { authorId: number; createdAt: string };

export const commentsOf = query<{ id: number }, AuthoredRow & { id: number; text: string }>(`
  SELECT comments.id, text, comments.created_by AS authorId, comments.created_at AS createdAt,
    users.name, username, email, image_url AS imageUrl
  FROM change_request_comments AS comments LEFT JOIN users ON users.id = comments.created_by
  WHERE change_request = :id ORDER BY comments.id`);

const person = query<{ id: number }, PersonRow>(`SELECT ${PERSON} FROM users WHERE id = :id`);

/** Who is behind an id, which may be a token's or a deleted user's. */
export const authorNamed = (db: Database, id: number) =>
  toAuthor({ ...(person(db).get({ id }) ?? NOBODY), authorId: id });

const NOBODY = { name: null, username: null, email: null, imageUrl: null };

const NAMES = new Map([
  [SERVICE_USER_ID, "a token"],
  [SYSTEM_USER_ID, "the command line"],
]);

/** The name that other answers call `createdBy.username`. */
export const toAuthor = ({ authorId: id, ...row }: Omit<PersonRow, "id"> & { authorId: number }) => ({
  id,
  username: row.username ?? row.email ?? row.name ?? NAMES.get(id) ?? `user ${id}`,
  imageUrl: imageUrlOf({ ...row, id }),
});

const insertReviewer = command<{ id: number; userId: number }>(`
  INSERT OR IGNORE INTO change_request_reviewers (change_request, user_id) VALUES (:id, :userId)`);

const removeReviewers = command<{ id: number }>(
  `DELETE FROM change_request_reviewers WHERE change_request = :id`,
);

const reviewers = valueQuery<{ id: number }, number>(`
  SELECT user_id FROM change_request_reviewers WHERE change_request = :id ORDER BY user_id`);

/** The ids of those who were asked to approve. */
export const reviewersOf = (db: Database, id: number) => reviewers(db).all({ id });

export function setReviewers(tx: Writing, id: number, users: readonly number[]) {
  removeReviewers(tx).run({ id });
  for (const userId of users) insertReviewer(tx).run({ id, userId });
}
