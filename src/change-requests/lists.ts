import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { holds } from "../access/require-permission.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { query, valueQuery } from "../db/statement.ts";
import { GET } from "../http/operation.ts";
import { Count, wholeNumber } from "../lib/validation.ts";
import { requireProjectEnvironment } from "../projects/project-environments.ts";
import { approvers, mayApprove, neededApprovals } from "./approval.ts";
import { possibleReviewers } from "./notices.ts";
import { toChangeRequest, toSummary } from "./present.ts";
import { reviewersNamed } from "./reviewers.ts";
import { ChangeRequest, FoundChangeRequests, Reviewers } from "./schema.ts";
import { authorOf, isAuthor } from "./states.ts";
import { COLUMNS, IS_VISIBLE, latestOf, pendingFor, type Row, unfinishedOf } from "./store.ts";

const ALL = {
  tag: "Change requests",
  path: "/api/admin/projects/:projectId/change-requests",
  permission: { project: "projectId" },
} as const;

const List = v.array(ChangeRequest);

const present = (db: Database, rows: readonly Row[]) => rows.map((row) => toChangeRequest(db, row));

export const listChangeRequests = GET({
  ...ALL,
  id: "getChangeRequestsForProject",
  summary: "The latest 300 change requests of a project",
  response: List,
}).run(({ db, actor, params: { projectId: project } }) =>
  present(
    db,
    latestOf(db)
      .all({ project, me: authorOf(actor) })
      .map(titled),
  ),
);

/** With a title in any case: the lists of the original's page have nothing else to open a request by. */
const titled = (row: Row): Row => ({ ...row, title: row.title ?? `Change request #${row.id}` });

const own = {
  ...ALL,
  path: `${ALL.path}/pending`,
  summary: "The caller's own change requests that are not closed",
  response: List,
} as const;

export const listPending = GET({ ...own, id: "getPendingChangeRequestsForUser" }).run(
  ({ db, actor, params: { projectId: project } }) => ownOf(db, actor, project),
);

export const listOpen = GET({
  ...own,
  id: "getOpenChangeRequestsForUser",
  path: `${ALL.path}/open`,
  deprecated: true,
}).run(({ db, actor, params: { projectId: project } }) => ownOf(db, actor, project));

const ownOf = (db: Database, actor: Actor, project: string) =>
  present(db, unfinishedOf(db).all({ project, me: authorOf(actor) }));

export const listPendingForFeature = GET({
  ...ALL,
  id: "getPendingChangeRequestsForFeature",
  summary: "The change requests that change a flag and may still be edited",
  path: `${ALL.path}/pending/:featureName`,
  response: List,
}).run(({ db, actor, params: { projectId: project, featureName: feature } }) =>
  present(db, pendingFor(db).all({ project, feature, me: authorOf(actor) })),
);

const texts = v.array(v.string());

export const listScheduled = GET({
  ...ALL,
  id: "getScheduledChangeRequests",
  summary: "The scheduled change requests for flags, strategies, or the variants of flags",
  path: `${ALL.path}/scheduled`,
  query: v.object({ feature: texts, strategyId: texts, variantForFlag: texts }),
  response: v.array(
    v.strictObject({ id: v.number(), environment: v.string(), title: v.optional(v.string()) }),
  ),
}).run(({ db, params: { projectId: project }, query }) =>
  scheduledFor(db)
    .all({
      project,
      features: JSON.stringify(query.feature),
      strategies: JSON.stringify(query.strategyId),
      variants: JSON.stringify(query.variantForFlag),
    })
    .map(({ title, ...row }) => ({ ...row, ...(title !== null && { title }) })),
);

const scheduledFor = query<
  Record<"project" | "features" | "strategies" | "variants", string>,
  Pick<Row, "id" | "environment" | "title">
>(`
  SELECT id, environment, title FROM change_requests AS request
  WHERE state = 'Scheduled' AND project = :project AND EXISTS (
    SELECT 1 FROM change_request_changes WHERE change_request = request.id AND (
      feature IN (SELECT value FROM json_each(:features))
      OR action IN ('updateStrategy', 'deleteStrategy')
        AND payload ->> 'id' IN (SELECT value FROM json_each(:strategies))
      OR action = 'patchVariant' AND feature IN (SELECT value FROM json_each(:variants))))
  ORDER BY id`);

const Counts = v.strictObject(
  v.entriesFromList(["total", "applied", "approved", "rejected", "reviewRequired", "scheduled"], Count),
);

export const countChangeRequests = GET({
  ...ALL,
  id: "getChangeRequestsCount",
  summary: "How many change requests of a project are in each state; drafts are not counted",
  path: `${ALL.path}/count`,
  response: Counts,
}).run(({ db, params: { projectId: project } }) => counts(db).get({ project })!);

const counts = query<{ project: string }, v.InferOutput<typeof Counts>>(`
  SELECT count(*) AS total, count(*) FILTER (WHERE state = 'Applied') AS applied,
    count(*) FILTER (WHERE state = 'Approved') AS approved, count(*) FILTER (WHERE state = 'Rejected') AS rejected,
    count(*) FILTER (WHERE state = 'In review') AS reviewRequired,
    count(*) FILTER (WHERE state = 'Scheduled') AS scheduled
  FROM change_requests WHERE project = :project AND state <> 'Draft'`);

export const countActionable = GET({
  ...ALL,
  id: "getActionableChangeRequests",
  summary: "How many change requests of a project wait for the caller: to send, to approve or to apply",
  path: `${ALL.path}/actionable`,
  response: v.strictObject({ total: Count }),
}).run(({ db, actor, params: { projectId: project } }) => ({
  total: activeOf(db)
    .all({ project, me: authorOf(actor) })
    .filter((row) => waitsFor(db, actor, row)).length,
}));

const activeOf = query<{ project: string; me: number }, Row>(`
  SELECT ${COLUMNS} FROM change_requests
  WHERE project = :project AND state IN ('Draft', 'In review', 'Approved') AND ${IS_VISIBLE}`);

function waitsFor(db: Database, actor: Actor, row: Row) {
  const { state, project, environment } = row;
  if (state === "Draft") return isAuthor(actor, row);
  const given = approvers(db, row);
  if (state === "In review" || given.length < neededApprovals(db, row))
    return actor.userId !== null && !given.includes(actor.userId) && mayApprove(db, actor, row);
  return holds(db, actor, { permissions: ["APPLY_CHANGE_REQUEST"], project, environment });
}

export const listPossibleReviewers = GET({
  ...ALL,
  id: "getAvailableReviewers",
  summary: "Who may approve change requests of the caller in an environment",
  path: `${ALL.path}/available-reviewers/:environment`,
  errors: ["NotFoundError"],
  response: Reviewers,
}).run(({ db, actor, params: { projectId: project, environment } }) => {
  requireProjectEnvironment(db, project, environment);
  const ids = possibleReviewers(db, { project, environment, createdBy: authorOf(actor) });
  return { reviewers: reviewersNamed(db, ids) };
});

const Criterion = (pattern: RegExp) =>
  v.optional(v.pipe(v.string(), v.regex(pattern, "must be such as IS:1 or IS:open")));

export const searchChangeRequests = GET({
  id: "searchChangeRequests",
  summary: "Search the change requests of all projects, one page at a time",
  tag: "Change requests",
  path: "/api/admin/search/change-requests",
  permission: null,
  query: v.object({
    createdBy: Criterion(/^IS:-?\d+$/),
    requestedApproverId: Criterion(/^IS:\d+$/),
    state: Criterion(/^IS:(open|closed)$/),
    offset: v.optional(wholeNumber(0), "0"),
    limit: v.optional(wholeNumber(1, 1000), "50"),
  }),
  response: FoundChangeRequests,
}).run(({ db, actor, query: { createdBy, requestedApproverId, state, offset, limit } }) => {
  const wanted = {
    me: authorOf(actor),
    hidden: JSON.stringify(hiddenProjects(db, actor)),
    createdBy: toNumber(createdBy),
    approver: toNumber(requestedApproverId),
    isClosed: state === undefined ? null : state === "IS:closed" ? 1 : 0,
  } as const;
  return {
    total: matchCount(db).get(wanted)!,
    changeRequests: matches(db)
      .all({ ...wanted, offset, limit })
      .map((row) => ({ ...toSummary(db, titled(row)), ...namesIn(db).get({ id: row.id })! }))
      .map(({ features, segments, ...row }) => ({
        ...row,
        features: JSON.parse(features) as string[],
        segments: JSON.parse(segments) as string[],
      })),
  };
});

const toNumber = (criterion: string | undefined) =>
  criterion === undefined ? null : Number(criterion.slice("IS:".length));

interface Wanted {
  me: number;
  hidden: string;
  createdBy: number | null;
  approver: number | null;
  isClosed: 0 | 1 | null;
}

const WANTED = `
  FROM change_requests WHERE ${IS_VISIBLE} AND project NOT IN (SELECT value FROM json_each(:hidden))
    AND (:createdBy IS NULL OR created_by = :createdBy)
    AND (:approver IS NULL OR id IN (SELECT change_request FROM change_request_reviewers WHERE user_id = :approver))
    AND (:isClosed IS NULL OR (state IN ('Applied', 'Cancelled', 'Rejected')) = :isClosed)`;

const matchCount = valueQuery<Wanted, number>(`SELECT count(*) ${WANTED}`);

const matches = query<Wanted & { offset: number; limit: number }, Row>(`
  SELECT ${COLUMNS} ${WANTED} ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset`);

const namesIn = query<{ id: number }, { features: string; segments: string }>(`
  SELECT json_group_array(DISTINCT feature) FILTER (WHERE feature IS NOT NULL) AS features,
    json_group_array(DISTINCT before ->> 'name') FILTER (WHERE feature IS NULL AND before IS NOT NULL) AS segments
  FROM change_request_changes WHERE change_request = :id`);
