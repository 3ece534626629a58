import * as v from "valibot";
import { Id, kind, Name, OptionalText, optional, withoutNulls } from "../dataset/kind.ts";
import { command, query, toStored } from "../db/statement.ts";
import { JsonObject, ShortText, Text, Time } from "../lib/validation.ts";
import { NewChange, STATES, State } from "./schema.ts";
import { setReviewers } from "./store.ts";

const Times = v.partial(v.strictObject(v.entriesFromList(STATES, Time)));

/** A user's id, or that of a token or of nobody. */
const Author = v.pipe(v.number(), v.safeInteger());

/** A stored change; what it says must be what can be proposed. */
const Change = v.pipe(
  v.strictObject({
    id: Id,
    feature: optional(Name),
    action: Name,
    payload: optional(v.union([JsonObject, v.array(v.unknown())])),
    before: v.optional(v.unknown(), null),
    createdAt: Time,
  }),
  v.check((change) => v.is(NewChange, change), "must have a known action, and what that needs"),
);

const Line = v.strictObject({
  id: Id,
  project: Name,
  environment: Name,
  title: OptionalText,
  state: State,
  stateTimestamps: v.optional(Times, {}),
  minApprovals: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10)),
  createdBy: Author,
  createdAt: Time,
  schedule: optional(
    v.strictObject({
      status: v.picklist(["pending", "failed", "suspended"]),
      scheduledAt: Time,
      scheduledBy: Author,
      reason: OptionalText,
    }),
  ),
  changes: v.optional(v.array(Change), []),
  votes: v.optional(
    v.array(v.strictObject({ user: Id, approves: v.boolean(), subjects: ShortText, createdAt: Time })),
    [],
  ),
  comments: v.optional(
    v.array(v.strictObject({ id: Id, text: Text, createdBy: Author, createdAt: Time })),
    [],
  ),
  reviewers: v.optional(v.array(Id), []),
});

const insertRequest = command<object>(`
  INSERT INTO change_requests (id, project, environment, title, state, state_timestamps, min_approvals, created_by,
    created_at, schedule)
  VALUES (:id, :project, :environment, :title, :state, :stateTimestamps, :minApprovals, :createdBy, :createdAt,
    :schedule)`);

const insertChange = command<object>(`
  INSERT INTO change_request_changes (id, change_request, feature, action, payload, before, created_at)
  VALUES (:id, :request, :feature, :action, :payload, :before, :createdAt)`);

const insertVote = command<object>(`
  INSERT INTO change_request_votes (change_request, user_id, approves, subjects, created_at)
  VALUES (:request, :user, :approves, :subjects, :createdAt)`);

const insertComment = command<object>(`
  INSERT INTO change_request_comments (id, change_request, text, created_by, created_at)
  VALUES (:id, :request, :text, :createdBy, :createdAt)`);

const all = query<object, object>(`
  SELECT id, project, environment, title, state, nullif(state_timestamps, '{}') AS stateTimestamps, min_approvals AS minApprovals,
    created_by AS createdBy, created_at AS createdAt, schedule,
    (SELECT nullif(json_group_array(json_remove(
        json_object('id', id, 'feature', feature, 'action', action, 'payload', json(payload), 'before', json(before),
          'createdAt', created_at),
        iif(feature IS NULL, '$.feature', '$.none'), iif(payload IS NULL, '$.payload', '$.none'),
        iif(before IS NULL, '$.before', '$.none')) ORDER BY id), '[]')
      FROM change_request_changes WHERE change_request = request.id) AS changes,
    (SELECT nullif(json_group_array(json_object('user', user_id, 'approves', json(iif(approves, 'true', 'false')),
        'subjects', subjects, 'createdAt', created_at) ORDER BY user_id), '[]')
      FROM change_request_votes WHERE change_request = request.id) AS votes,
    (SELECT nullif(json_group_array(json_object('id', id, 'text', text, 'createdBy', created_by,
        'createdAt', created_at) ORDER BY id), '[]')
      FROM change_request_comments WHERE change_request = request.id) AS comments,
    (SELECT nullif(json_group_array(user_id ORDER BY user_id), '[]') FROM change_request_reviewers
      WHERE change_request = request.id) AS reviewers
  FROM change_requests AS request ORDER BY id`);

const toJson = (value: unknown) => (value === null ? null : JSON.stringify(value));

export const changeRequest = kind({
  name: "changeRequest",
  isNumbered: true,
  schema: Line,
  refers: { project: "project", environment: "environment", "votes.user": "user", reviewers: "user" },
  insert({ tx }, { changes, votes, comments, reviewers, schedule, ...row }) {
    const request = row.id;
    insertRequest(tx).run(toStored({ ...row, schedule: schedule && withoutNulls(schedule) }));
    for (const { payload, before, ...change } of changes)
      insertChange(tx).run({ ...change, request, payload: toJson(payload), before: toJson(before) });
    for (const vote of votes) insertVote(tx).run({ ...toStored(vote), request });
    for (const comment of comments) insertComment(tx).run({ ...comment, request });
    setReviewers(tx, request, reviewers);
  },
  rows: (db) => all(db).iterate({}),
});
