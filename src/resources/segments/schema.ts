import * as v from "valibot";
import { NonEmptyText, ShortText, Timestamp } from "../../validation.ts";
import { Constraint, NewConstraint, StrategyUse } from "../constraints/schema.ts";

/** Constraints under a name; `project` is absent where strategies of every project may use it. */
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

/** One of a list, with how many live flags have strategies that use it, and in how many projects. */
export const ListedSegment = v.strictObject({
  ...Segment.entries,
  usedInProjects: v.number(),
  usedInFeatures: v.number(),
});
export type ListedSegment = v.InferOutput<typeof ListedSegment>;

export const SegmentList = v.strictObject({ segments: v.array(ListedSegment) });
export const SegmentsOfStrategy = v.strictObject({ segments: v.array(Segment) });

/** Nothing here requests a change before it is made, so that list is empty. */
export const SegmentUses = v.strictObject({
  strategies: v.array(StrategyUse),
  changeRequestStrategies: v.array(v.never()),
});

/** What a segment is made of, or changed to: without a description it keeps its own, without a project it has none. */
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

/** The segments that a strategy is to have, and no others. */
export const StrategySegments = v.object({
  projectId: v.string(),
  strategyId: v.string(),
  environmentId: v.string(),
  segmentIds: v.array(v.pipe(v.number(), v.safeInteger())),
});
export type StrategySegments = v.InferOutput<typeof StrategySegments>;
