import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import type { Permission } from "../access/permissions.ts";
import { requirePermission } from "../access/require-permission.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { Id, kind, Name, OptionalText, OptionalTime, optional } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, query, type Stored, toStored, valueQuery } from "../db/statement.ts";
import {
  Constraint,
  constraintWarnings,
  NewConstraint,
  requireConstraints,
} from "../evaluation/constraint.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { ApiError, found, invalid } from "../lib/api-error.ts";
import { LIMITS } from "../lib/limits.ts";
import { RawJson } from "../lib/raw-json.ts";
import { NonEmptyText, ShortText, Timestamp } from "../lib/validation.ts";
import { requireProjectOfBody } from "../projects/projects-store.ts";
import {
  ProposedUse,
  proposedUses,
  requireUnused,
  requireUsedOnlyIn,
  StrategyUse,
  strategiesUsing,
} from "./strategy-uses.ts";

/** A named set of constraints; without `project`, strategies of all projects may use it. */
export const Segment = v.strictObject({
  id: v.number(),
  name: v.string(),
  description: v.nullable(v.string()),
  project: v.optional(v.string()),
  constraints: v.array(Constraint),
  createdBy: v.nullable(v.string()),
  createdAt: Timestamp,
});
type Segment = v.InferOutput<typeof Segment>;

/** With the number of live flags whose strategies use it, and of their projects. */
export const ListedSegment = v.strictObject({
  ...Segment.entries,
  usedInProjects: v.number(),
  usedInFeatures: v.number(),
});
type ListedSegment = v.InferOutput<typeof ListedSegment>;

export const SegmentList = v.strictObject({ segments: v.array(ListedSegment) });

/** In use, and proposed in change requests that are not closed. */
export const SegmentUses = v.strictObject({
  strategies: v.array(StrategyUse),
  changeRequestStrategies: v.array(ProposedUse),
});

/** The body that creates or changes a segment. A missing description is kept; a missing project means all projects. */
export const NewSegment = v.object({
  name: NonEmptyText,
  description: v.nullish(ShortText),
  project: v.nullish(
    v.pipe(
      v.string(),
      v.transform((project) => project || null),
    ),
    null,
  ),
  constraints: v.array(NewConstraint),
});
type NewSegment = v.InferOutput<typeof NewSegment>;

export const SegmentName = v.object({ name: NonEmptyText });

const ALL = { tag: "Segments", path: "/api/admin/segments" } as const;
const ONE = {
  tag: "Segments",
  path: "/api/admin/segments/:id",
  params: v.object({
    id: v.pipe(v.string(), v.regex(/^-?[0-9]+$/, "must be a whole number"), v.transform(Number)),
  }),
} as const;

export const listSegments = GET({
  ...ALL,
  id: "getSegments",
  summary: "The segments, and how often they are used",
  permission: null,
  response: SegmentList,
}).run(({ db, actor }) => {
  const hidden = JSON.stringify(hiddenProjects(db, actor));
  return { segments: withUse(db).all({ hidden }).map(toWire) };
});

export const readSegment = GET({
  ...ONE,
  id: "getSegment",
  summary: "A segment",
  permission: { segment: "id" },
  errors: ["NotFoundError"],
  response: Segment,
}).run(({ db, params: { id } }) => requireSegment(db, id));

export const listStrategiesUsingSegment = GET({
  ...ONE,
  id: "getStrategiesBySegmentId",
  summary: "The strategies that use a segment",
  path: `${ONE.path}/strategies`,
  permission: null,
  response: SegmentUses,
}).run(({ db, actor, params: { id } }) => {
  const hidden = hiddenProjects(db, actor);
  return {
    strategies: strategiesUsing(db, "segment", id, hidden),
    changeRequestStrategies: proposedUses(db, id, actor.createdByUserId ?? 0, hidden),
  };
});

export const createSegment = POST({
  ...ALL,
  id: "createSegment",
  summary: "Create a segment; needs `CREATE_SEGMENT`, or `UPDATE_PROJECT_SEGMENT` for one of a project",
  permission: null, // the body names the project
  body: NewSegment,
  status: 201,
  errors: ["NameExistsError", "ExceedsLimitError"],
  records: ["segment-created"],
  response: Segment,
  example: {
    name: "Gold",
    description: "Paying customers",
    constraints: [{ contextName: "plan", operator: "IN", values: ["gold"] }],
  },
}).change(({ tx, actor, body }) => {
  requirePermissionFor(tx.db, actor, "CREATE_SEGMENT", body);
  requireRoom(tx.db);
  requireValidSegment(tx.db, body);
  const row = {
    ...body,
    description: body.description ?? null,
    constraints: JSON.stringify(body.constraints),
  };
  const { lastInsertRowid } = insert(tx).run({
    ...row,
    id: null,
    createdBy: actor.createdBy,
    createdAt: tx.now,
  });
  const segment = requireSegment(tx.db, Number(lastInsertRowid));
  tx.record({ type: "segment-created", project: body.project, data: segment });
  return new WithHeaders(segment, { location: `segments/${segment.id}` });
});

export const updateSegment = PUT({
  ...ONE,
  id: "updateSegment",
  summary: "Change a segment",
  permission: { permission: ["UPDATE_SEGMENT", "UPDATE_PROJECT_SEGMENT"], segment: "id" },
  body: NewSegment,
  status: 204,
  errors: ["NotFoundError", "NameExistsError"],
  records: ["segment-updated"],
  example: { name: "Testers", constraints: [{ contextName: "plan", operator: "IN", values: ["gold"] }] },
}).change(({ tx, actor, params: { id }, body }) => {
  const before = requireSegment(tx.db, id);
  requirePermissionFor(tx.db, actor, "UPDATE_SEGMENT", body);
  requireValidSegment(tx.db, body);
  requireUsedOnlyIn(tx.db, "segment", id, body.project);
  const { description = before.description, constraints } = body;
  update(tx).run({ ...body, id, description, constraints: JSON.stringify(constraints) });
  const data = requireSegment(tx.db, id);
  tx.record({ type: "segment-updated", project: body.project, data, preData: before });
});

export const deleteSegmentOperation = DELETE({
  ...ONE,
  id: "removeSegment",
  summary: "Delete a segment that no strategy uses",
  permission: { permission: ["DELETE_SEGMENT", "UPDATE_PROJECT_SEGMENT"], segment: "id" },
  status: 204,
  errors: ["NotFoundError", "ConflictError"],
  records: ["segment-deleted"],
}).change(({ tx, actor, params: { id } }) => {
  const segment = requireSegment(tx.db, id);
  requireUnused(tx.db, actor, "segment", id, segment.name);
  deleteSegment(tx, segment);
});

export const validateSegment = POST({
  ...ALL,
  id: "validateSegment",
  summary: "Check whether a name is free for a segment",
  path: `${ALL.path}/validate`,
  permission: null,
  body: SegmentName,
  status: 204,
  errors: ["NameExistsError"],
  example: { name: "Gold" },
}).run(({ db, body: { name } }) => {
  if (named(db).get({ name }))
    throw new ApiError("NameExistsError", `body.name: there is already a segment ${name}`);
});

/** As stored: the constraints are JSON. */
export type SegmentRow = Stored<Omit<Segment, "project">> & { project: string | null };

export const SEGMENT_COLUMNS = `segments.id, segments.name, segments.description, segments.project,
    segments.constraints, segments.created_by AS createdBy, segments.created_at AS createdAt`;

const byId = query<{ id: number }, SegmentRow>(`SELECT ${SEGMENT_COLUMNS} FROM segments WHERE id = :id`);

const inOrder = query<object, SegmentRow>(`SELECT ${SEGMENT_COLUMNS} FROM segments ORDER BY id`);

const withUse = query<
  { hidden: string },
  SegmentRow & Pick<ListedSegment, "usedInProjects" | "usedInFeatures">
>(`
  SELECT ${SEGMENT_COLUMNS}, count(DISTINCT features.project) AS usedInProjects,
    count(DISTINCT features.name) AS usedInFeatures
  FROM segments
  LEFT JOIN strategy_segments ON segment = segments.id
  LEFT JOIN strategies ON strategies.id = strategy
  LEFT JOIN features ON features.name = strategies.feature AND features.archived_at IS NULL
    AND features.project NOT IN (SELECT value FROM json_each(:hidden))
  WHERE ifnull(segments.project, '') NOT IN (SELECT value FROM json_each(:hidden))
  GROUP BY segments.id ORDER BY segments.name`);

const ofProject = valueQuery<{ project: string }, number>(`
  SELECT id FROM segments WHERE project = :project ORDER BY id`);

const usableIn = query<{ project: string }, Pick<SegmentRow, "id" | "name">>(`
  SELECT id, name FROM segments WHERE project = :project OR project IS NULL`);

const named = query<{ name: string }>(`SELECT 1 FROM segments WHERE name = :name`);

const count = valueQuery<object, number>(`SELECT count(*) FROM segments`);

const insert = command<Omit<SegmentRow, "id"> & { id: number | null }>(`
  INSERT INTO segments (id, name, description, project, constraints, created_by, created_at)
  VALUES (:id, :name, :description, :project, :constraints, :createdBy, :createdAt)`);

const update = command<Omit<SegmentRow, "createdBy" | "createdAt">>(`
  UPDATE segments SET name = :name, description = :description, project = :project, constraints = :constraints
  WHERE id = :id`);

const remove = command<{ id: number }>(`DELETE FROM segments WHERE id = :id`);

export function findSegment(db: Database, id: number): Segment | undefined {
  const row = byId(db).get({ id });
  return row && { ...toWire(row), constraints: JSON.parse(row.constraints) };
}

/** A list may have many constraints, so their JSON is not parsed. */
export const toWire = <R extends SegmentRow>({ project, ...row }: R) => ({
  ...row,
  ...(project !== null && { project }),
  constraints: new RawJson<Constraint[]>(row.constraints),
});

/** The ids of the segments that a project's strategies may use, by name. */
export const usableSegments = (db: Database, project: string): Map<string, number> =>
  new Map(
    usableIn(db)
      .all({ project })
      .map(({ id, name }) => [name, id]),
  );

export const requireSegment = (db: Database, id: number) => found(findSegment(db, id), `segment ${id}`);

/**
 * Checks that the actor may create a segment in the project of the body, or move it there, with the permission for all
 * segments or the one for the project's segments.
 * @throws ApiError `NoAccessError`
 */
function requirePermissionFor(db: Database, actor: Actor, permission: Permission, { project }: NewSegment) {
  const permissions = [permission, "UPDATE_PROJECT_SEGMENT"] as const;
  requirePermission(db, actor, { permissions, project: project ?? undefined });
}

/** @throws ApiError `ExceedsLimitError` if the limit of segments is reached */
function requireRoom(db: Database) {
  if (count(db).get({})! < LIMITS.segments) return;
  const message = `There are ${LIMITS.segments} segments, the most allowed: delete one first`;
  throw new ApiError("ExceedsLimitError", message);
}

/** Checks a segment's project and number of values. @throws ApiError `ValidationError` */
function requireValidSegment(db: Database, { project, constraints }: NewSegment) {
  requireProjectOfBody(db, project);
  const values = constraints.reduce((total, { values }) => total + values.length, 0);
  if (values > LIMITS.segmentValues)
    throw invalid({
      path: "body.constraints",
      message: `must have ${LIMITS.segmentValues} values or fewer, not ${values}`,
    });
  requireConstraints(constraints, "body.constraints");
}

/** Deletes a segment that is not in use. */
function deleteSegment(tx: Tx, segment: Segment) {
  remove(tx).run({ id: segment.id });
  tx.record({ type: "segment-deleted", project: segment.project ?? null, preData: segment });
}

/** Deletes all segments that belong to a project; none of them is in use. */
export function deleteSegmentsOf(tx: Tx, project: string) {
  for (const id of ofProject(tx.db).all({ project })) deleteSegment(tx, requireSegment(tx.db, id));
}

export const segment = kind({
  name: "segment",
  isNumbered: true,
  schema: v.strictObject({
    id: Id,
    name: Name,
    description: OptionalText,
    project: optional(Name),
    constraints: v.optional(v.array(Constraint), []),
    createdBy: OptionalText,
    createdAt: OptionalTime,
  }),
  refers: { project: "project" },
  insert: ({ tx, now }, line) => insert(tx).run(toStored({ ...line, createdAt: line.createdAt ?? now })),
  rows: (db) => inOrder(db).iterate({}),
  warnings: (_, { constraints }) => constraintWarnings("constraints", constraints),
});
