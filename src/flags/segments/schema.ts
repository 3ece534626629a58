import * as v from "valibot";
import { Constraint, NewConstraint, StrategyUse } from "../../evaluation/constraint.ts";
import { NonEmptyText, ShortText, Timestamp } from "../../lib/validation.ts";

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
export type Segment = v.InferOutput<typeof Segment>;

/** With the number of live flags whose strategies use it, and of their projects. */
export const ListedSegment = v.strictObject({
  ...Segment.entries,
  usedInProjects: v.number(),
  usedInFeatures: v.number(),
});
export type ListedSegment = v.InferOutput<typeof ListedSegment>;

export const SegmentList = v.strictObject({ segments: v.array(ListedSegment) });
export const SegmentsOfStrategy = v.strictObject({ segments: v.array(Segment) });

/** There are no change requests, so their list is always empty. */
export const SegmentUses = v.strictObject({
  strategies: v.array(StrategyUse),
  changeRequestStrategies: v.array(v.never()),
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
export type NewSegment = v.InferOutput<typeof NewSegment>;

export const SegmentName = v.object({ name: NonEmptyText });

/** The new segments of a strategy, replacing its current ones. */
export const StrategySegments = v.object({
  projectId: v.string(),
  strategyId: v.string(),
  environmentId: v.string(),
  segmentIds: v.array(v.pipe(v.number(), v.safeInteger())),
});
export type StrategySegments = v.InferOutput<typeof StrategySegments>;
