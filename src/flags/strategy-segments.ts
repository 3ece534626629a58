import * as v from "valibot";
import { requirePermission } from "../access/require-permission.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { command, query } from "../db/statement.ts";
import { requireSkippable } from "../events/needs-approval.ts";
import type { Tx } from "../events/write.ts";
import { GET, POST, WithHeaders } from "../http/operation.ts";
import { ApiError, found, invalid } from "../lib/api-error.ts";
import { LIMITS } from "../lib/limits.ts";
import { findSegment, SEGMENT_COLUMNS, Segment, type SegmentRow, toWire } from "./segments.ts";

export const SegmentsOfStrategy = v.strictObject({ segments: v.array(Segment) });

/** The new segments of a strategy, replacing its current ones. */
export const StrategySegments = v.object({
  projectId: v.string(),
  strategyId: v.string(),
  environmentId: v.string(),
  segmentIds: v.array(v.pipe(v.number(), v.safeInteger())),
});

export const listSegmentsOfStrategy = GET({
  id: "getSegmentsByStrategyId",
  summary: "The segments that a strategy uses",
  tag: "Segments",
  path: "/api/admin/segments/strategies/:strategyId",
  permission: null,
  response: SegmentsOfStrategy, // none if there is no such strategy, or its project is hidden
}).run(({ db, actor, params: { strategyId } }) => {
  const hidden = JSON.stringify(hiddenProjects(db, actor));
  return { segments: segmentsOf(db).all({ strategyId, hidden }).map(toWire) };
});

export const updateStrategySegments = POST({
  id: "updateFeatureStrategySegments",
  summary: "Replace a strategy's segments; needs `UPDATE_FEATURE_STRATEGY`",
  tag: "Segments",
  path: "/api/admin/segments/strategies",
  permission: null, // the body names the project and the environment
  body: StrategySegments,
  status: 201,
  errors: ["NotFoundError"],
  response: StrategySegments,
  example: {
    projectId: "shop",
    strategyId: "5b8f7e3c-3f0a-4c1d-9a52-0d7c6f3b1e24",
    environmentId: "development",
    segmentIds: [1],
  },
}).change(({ tx, actor, body }) => {
  const { projectId: project, environmentId: environment, strategyId: strategy, segmentIds } = body;
  requirePermission(tx.db, actor, { permissions: ["UPDATE_FEATURE_STRATEGY"], project, environment });
  requireUsable(tx.db, project, segmentIds);
  found(
    strategyIn(tx.db).get({ strategy, project, environment }),
    `strategy ${strategy} in the environment ${environment} of the project ${project}`,
  );
  requireSkippable(tx.db, actor, project, environment);
  setStrategySegments(tx, strategy, segmentIds); // no event is recorded (original)
  return new WithHeaders(body, { location: `strategies/${encodeURIComponent(strategy)}` });
});

const segmentsOf = query<{ strategyId: string; hidden: string }, SegmentRow>(`
  SELECT ${SEGMENT_COLUMNS}
  FROM strategy_segments JOIN segments ON segments.id = segment
  JOIN strategies ON strategies.id = strategy JOIN features ON features.name = feature
  WHERE strategy = :strategyId
    AND features.project NOT IN (SELECT value FROM json_each(:hidden))
    AND ifnull(segments.project, '') NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY segments.id`);

const strategyIn = query<{ strategy: string; project: string; environment: string }>(`
  SELECT 1 FROM strategies JOIN features ON features.name = feature
  WHERE strategies.id = :strategy AND environment = :environment AND project = :project`);

export const insertStrategySegment = command<{ strategy: string; segment: number }>(`
  INSERT INTO strategy_segments (strategy, segment) VALUES (:strategy, :segment)`);

const removeAll = command<{ strategy: string }>(`DELETE FROM strategy_segments WHERE strategy = :strategy`);

/** Replaces a strategy's segments. */
export function setStrategySegments(tx: Tx, strategy: string, segments: readonly number[]) {
  removeAll(tx).run({ strategy });
  for (const segment of new Set(segments)) insertStrategySegment(tx).run({ strategy, segment });
}

/**
 * @throws ApiError `ValidationError` for too many, or for the first that doesn't exist or belongs to another project
 */
function requireUsable(db: Database, project: string, ids: readonly number[]) {
  requireFew(ids, "body.segmentIds");
  for (const [index, id] of ids.entries()) {
    const segment = findSegment(db, id);
    if (segment && (segment.project ?? project) === project) continue;
    const path = `body.segmentIds.${index}`;
    throw invalid({ path, message: `there is no segment ${id} for the project ${project}` });
  }
}

function requireFew(ids: readonly number[], path: string) {
  if (ids.length > LIMITS.strategySegments)
    throw invalid({ path, message: `must have ${LIMITS.strategySegments} segments or fewer` });
}

/**
 * Checks the segments in the body of a strategy.
 * @throws ApiError `NotFoundError` for a missing or hidden one, `ValidationError` for one of another project or for too
 * many
 */
export function requireSegments({ db, actor }: Tx, project: string, ids: readonly number[]) {
  requireFew(ids, "body.segments");
  const hidden = hiddenProjects(db, actor);
  for (const [index, id] of ids.entries()) {
    const segment = findSegment(db, id);
    if (!segment || hidden.includes(segment.project ?? ""))
      throw new ApiError("NotFoundError", `There is no segment ${id}`);
    if ((segment.project ?? project) !== project)
      throw invalid({
        path: `body.segments.${index}`,
        message: `the segment ${id} belongs to another project`,
      });
  }
}
