import * as v from "valibot";
import { requirePermission } from "../../access/require-permission.ts";
import { hiddenProjects } from "../../access/visibility.ts";
import { snapshot } from "../../db/snapshot.ts";
import { NoBody, operation, WithHeaders } from "../../http/operation.ts";
import { requirePlacedStrategy } from "../strategies/require.ts";
import * as changes from "./changes.ts";
import {
  requireFreeName,
  requirePlace,
  requireRoom,
  requireSegment,
  requireUnused,
  requireUsableSegments,
  requireUsedOnlyIn,
  requireValidSegment,
} from "./require.ts";
import {
  NewSegment,
  Segment,
  SegmentList,
  SegmentName,
  SegmentsOfStrategy,
  SegmentUses,
  StrategySegments,
} from "./schema.ts";
import { listedSegments, segmentsOfStrategy, strategiesUsing } from "./store.ts";

const TAG = "Segments";
const Params = v.object({
  id: v.pipe(v.string(), v.regex(/^-?[0-9]+$/, "must be a whole number"), v.transform(Number)),
});

export const listSegments = operation({
  id: "getSegments",
  summary: "The segments, and how often they are used",
  tag: TAG,
  method: "GET",
  path: "/api/admin/segments",
  permission: null,
  response: SegmentList,
}).run(({ db, actor }) => snapshot(db, () => ({ segments: listedSegments(db, hiddenProjects(db, actor)) })));

export const readSegment = operation({
  id: "getSegment",
  summary: "A segment",
  tag: TAG,
  method: "GET",
  path: "/api/admin/segments/:id",
  permission: { segment: "id" },
  params: Params,
  errors: ["NotFoundError"],
  response: Segment,
}).run(({ db, params: { id } }) => requireSegment(db, id));

export const listStrategiesUsing = operation({
  id: "getStrategiesBySegmentId",
  summary: "The strategies that use a segment",
  tag: TAG,
  method: "GET",
  path: "/api/admin/segments/:id/strategies",
  permission: null,
  params: Params,
  response: SegmentUses,
}).run(({ db, actor, params: { id } }) =>
  snapshot(db, () => ({
    strategies: strategiesUsing(db, id, hiddenProjects(db, actor)),
    changeRequestStrategies: [],
  })),
);

export const createSegment = operation({
  id: "createSegment",
  summary: "Create a segment; needs `CREATE_SEGMENT`, or `UPDATE_PROJECT_SEGMENT` for one of a project",
  tag: TAG,
  method: "POST",
  path: "/api/admin/segments",
  permission: null, // the body names the project
  body: NewSegment,
  status: 201,
  errors: ["NameExistsError", "ExceedsLimitError"],
  records: ["segment-created"],
  response: Segment,
}).change(({ tx, actor, body }) => {
  requirePlace(tx.db, actor, "CREATE_SEGMENT", body);
  requireRoom(tx.db);
  requireValidSegment(tx.db, body);
  const segment = changes.createSegment(tx, body);
  return new WithHeaders(segment, { location: `segments/${segment.id}` });
});

export const updateSegment = operation({
  id: "updateSegment",
  summary: "Change a segment",
  tag: TAG,
  method: "PUT",
  path: "/api/admin/segments/:id",
  permission: { permission: ["UPDATE_SEGMENT", "UPDATE_PROJECT_SEGMENT"], segment: "id" },
  params: Params,
  body: NewSegment,
  status: 204,
  errors: ["NotFoundError", "NameExistsError"],
  records: ["segment-updated"],
  response: NoBody,
}).change(({ tx, actor, params: { id }, body }) => {
  const segment = requireSegment(tx.db, id);
  requirePlace(tx.db, actor, "UPDATE_SEGMENT", body);
  requireValidSegment(tx.db, body);
  requireUsedOnlyIn(tx.db, id, body.project);
  changes.updateSegment(tx, segment, body);
});

export const deleteSegment = operation({
  id: "removeSegment",
  summary: "Delete a segment that no strategy uses",
  tag: TAG,
  method: "DELETE",
  path: "/api/admin/segments/:id",
  permission: { permission: ["DELETE_SEGMENT", "UPDATE_PROJECT_SEGMENT"], segment: "id" },
  params: Params,
  status: 204,
  errors: ["NotFoundError", "ConflictError"],
  records: ["segment-deleted"],
  response: NoBody,
}).change(({ tx, actor, params: { id } }) => {
  const segment = requireSegment(tx.db, id);
  requireUnused(tx.db, actor, segment);
  changes.deleteSegment(tx, segment);
});

export const validateSegment = operation({
  id: "validateSegment",
  summary: "Check whether a name is free for a segment",
  tag: TAG,
  method: "POST",
  path: "/api/admin/segments/validate",
  permission: null,
  body: SegmentName,
  status: 204,
  errors: ["NameExistsError"],
  response: NoBody,
}).run(({ db, body: { name } }) => requireFreeName(db, name));

export const listSegmentsOfStrategy = operation({
  id: "getSegmentsByStrategyId",
  summary: "The segments that a strategy uses",
  tag: TAG,
  method: "GET",
  path: "/api/admin/segments/strategies/:strategyId",
  permission: null,
  params: v.object({ strategyId: v.string() }),
  response: SegmentsOfStrategy,
}).run(({ db, actor, params: { strategyId } }) =>
  snapshot(db, () => ({ segments: segmentsOfStrategy(db, strategyId, hiddenProjects(db, actor)) })),
);

export const setStrategySegments = operation({
  id: "updateFeatureStrategySegments",
  summary: "Replace a strategy's segments; needs `UPDATE_FEATURE_STRATEGY`",
  tag: TAG,
  method: "POST",
  path: "/api/admin/segments/strategies",
  permission: null, // the body names the project and the environment
  body: StrategySegments,
  status: 201,
  errors: ["NotFoundError"],
  response: StrategySegments,
}).change(({ tx, actor, body }) => {
  const { projectId: project, environmentId: environment, strategyId, segmentIds } = body;
  requirePermission(tx.db, actor, { permissions: ["UPDATE_FEATURE_STRATEGY"], project, environment });
  requireUsableSegments(tx.db, project, segmentIds, "body.segmentIds");
  requirePlacedStrategy(tx.db, { project, environment, strategy: strategyId });
  changes.setStrategySegments(tx, strategyId, segmentIds);
  return new WithHeaders(body, { location: `strategies/${encodeURIComponent(strategyId)}` });
});
