import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";
import type { Scope } from "../flags/feature-environments-store.ts";
import { defaultStrategyFor, strategiesOf } from "../flags/strategies-store.ts";
import type { Wire } from "../lib/raw-json.ts";
import { conflictOf, flagConflict } from "./actions.ts";
import { type ChangeRequest, CLOSED } from "./schema.ts";
import {
  authorNamed,
  changesOf,
  commentsOf,
  type Row,
  type StoredChange,
  scheduleOf,
  toAuthor,
  votesOf,
} from "./store.ts";

/** A request as it is read. What has happened to what it changes is told until it is closed. */
export function toChangeRequest(db: Database, row: Row): Wire<ChangeRequest> {
  const summary = toSummary(db, row);
  const { createdBy } = summary;
  const changes = changesOf(db, row.id);
  const votes = votesOf(db).all({ id: row.id });
  const votesFor = (approves: 0 | 1) =>
    votes
      .filter((vote) => vote.approves === approves)
      .map(({ createdAt, ...vote }) => ({ createdBy: toAuthor({ ...vote, authorId: vote.id! }), createdAt }));
  return {
    ...summary,
    minApprovals: row.minApprovals,
    stateTimestamps: JSON.parse(row.stateTimestamps),
    features: ofFeatures(db, row, changes, createdBy),
    segments: changes
      .filter((change) => !("feature" in change))
      .map((change) => ({ ...toChange(db, row, change, createdBy), name: segmentName(change) })),
    approvals: votesFor(1),
    rejections: votesFor(0),
    comments: commentsOf(db)
      .all({ id: row.id })
      .map(({ id, text, createdAt, ...author }) => ({ id, text, createdBy: toAuthor(author), createdAt })),
  };
}

/** What lists of all requests have. */
export function toSummary(db: Database, row: Row) {
  const { id, title, project, environment, state, createdAt, createdBy } = row;
  const schedule = scheduleOf(row);
  return {
    id,
    ...(title !== null && { title }),
    project,
    environment,
    state,
    createdAt,
    createdBy: authorNamed(db, createdBy),
    ...(schedule && { schedule: toSchedule(schedule) }),
  };
}

function toSchedule({ scheduledBy: _, ...schedule }: NonNullable<ReturnType<typeof scheduleOf>>) {
  const { status, reason } = schedule;
  return { ...schedule, ...(status === "failed" && reason !== undefined && { failureReason: reason }) };
}

function ofFeatures(db: Database, row: Row, changes: readonly StoredChange[], createdBy: Author) {
  const onFlags = changes.filter((change) => "feature" in change);
  return [...Map.groupBy(onFlags, ({ feature }) => feature)].map(([name, own]) => {
    const conflict = CLOSED.includes(row.state) ? undefined : flagConflict(db, row, name);
    return {
      name,
      ...(conflict !== undefined && { conflict }),
      ...(conflict === undefined && defaultChange(db, row, name, own)),
      changes: own.map((change) => toChange(db, row, change, createdBy)),
    };
  });
}

/** What enabling a flag implies that has no strategy by then: it gets the default one. */
function defaultChange(db: Database, row: Row, feature: string, changes: readonly StoredChange[]) {
  const { project, environment, state } = row;
  const enabling = changes.find((change) => change.action === "updateEnabled" && change.payload.enabled);
  if (CLOSED.includes(state) || enabling?.action !== "updateEnabled") return {};
  const scope = { project, environment, feature };
  const enablesStrategies = enabling.payload.shouldActivateDisabledStrategies === true;
  const strategies = strategiesAfter(db, scope, changes.slice(0, changes.indexOf(enabling)));
  if (strategies.some(({ disabled }) => enablesStrategies || !disabled)) return {};
  return { defaultChange: { action: "addStrategy", payload: defaultStrategyFor(db, scope) } };
}

/** A flag's strategies once some changes of it are made. */
function strategiesAfter(db: Database, scope: Scope, changes: readonly StoredChange[]) {
  const added = changes.flatMap((change) => (change.action === "addStrategy" ? [change.payload] : []));
  const removed = changes.flatMap((change) =>
    change.action === "deleteStrategy" ? [change.payload.id] : [],
  );
  return [...strategiesOf(db, scope).filter(({ id }) => !removed.includes(id)), ...added];
}

type Author = ReturnType<typeof authorNamed>;

/** The changes that say in their payload what they replace. */
const WITH_SNAPSHOT = /^(updateStrategy|deleteStrategy|patchVariant|updateSegment|deleteSegment)$/;

function toChange(db: Database, row: Row, change: StoredChange, createdBy: Author) {
  const { id, action, payload, before, createdAt } = change;
  const conflict = CLOSED.includes(row.state) ? undefined : conflictOf(db, row, change);
  const others = CLOSED.includes(row.state) ? [] : brokenBy(db).all({ id });
  return {
    id,
    action,
    ...(payload !== undefined && {
      payload: WITH_SNAPSHOT.test(action) ? { ...payload, snapshot: before } : payload,
    }),
    ...(conflict !== undefined && { conflict }),
    createdBy,
    createdAt,
    ...(others.length > 0 && {
      scheduleConflicts: {
        changeRequests: others.map(({ id, title }) => ({ id, ...(title !== null && { title }) })),
      },
    }),
  };
}

const segmentName = ({ before, payload }: StoredChange) =>
  (before as { name?: string } | undefined)?.name ?? (payload as { name?: string })?.name ?? "";

// Archiving a flag breaks all that is scheduled for it, other changes what is scheduled for the same strategy or segment.
const brokenBy = query<{ id: number }, { id: number; title: string | null }>(`
  SELECT DISTINCT requests.id, title
  FROM change_request_changes AS mine
  JOIN change_request_changes AS theirs
    ON theirs.change_request <> mine.change_request AND theirs.feature IS mine.feature
    AND (mine.action = 'archiveFeature'
      OR json_type(mine.payload) = 'object' AND json_type(theirs.payload) = 'object'
        AND mine.payload ->> 'id' = theirs.payload ->> 'id')
  JOIN change_requests AS requests ON requests.id = theirs.change_request AND state = 'Scheduled'
  WHERE mine.id = :id AND mine.action IN ('archiveFeature', 'deleteStrategy', 'updateStrategy', 'deleteSegment', 'updateSegment')
  ORDER BY requests.id`);
