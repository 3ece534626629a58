import * as v from "valibot";
import { UrlName } from "../../lib/validation.ts";
import { Constraint } from "../../evaluation/constraint.ts";
import { TagText } from "../../flags/features/schema.ts";
import { FlagVariant, Variant } from "../../evaluation/variant.ts";

/** A strategy as SDKs evaluate it; no `segments` if there are none, or if their constraints are inlined. */
export const ClientStrategy = v.strictObject({
  name: v.string(),
  constraints: v.array(Constraint),
  parameters: v.record(v.string(), v.string()),
  variants: v.array(Variant),
  segments: v.optional(v.array(v.number())),
});

/** A flag in an environment as SDKs evaluate it; the keys are in wire order. */
export const ClientFeature = v.strictObject({
  name: v.string(),
  type: v.string(),
  enabled: v.boolean(),
  project: v.string(),
  stale: v.boolean(),
  strategies: v.array(ClientStrategy),
  variants: v.array(FlagVariant),
  description: v.nullable(v.string()),
  impressionData: v.boolean(),
  dependencies: v.optional(
    v.array(
      v.strictObject({
        feature: v.string(),
        enabled: v.boolean(),
        variants: v.optional(v.array(v.string())),
      }),
    ),
  ),
});
export type ClientFeature = v.InferOutput<typeof ClientFeature>;

export const ClientSegment = v.strictObject({
  id: v.number(),
  name: v.string(),
  constraints: v.array(Constraint),
});
export type ClientSegment = v.InferOutput<typeof ClientSegment>;

export const ClientFeatures = v.strictObject({
  version: v.literal(2),
  features: v.array(ClientFeature),
  query: v.record(v.string(), v.unknown()),
  segments: v.optional(v.array(ClientSegment)),
  meta: v.strictObject({ revisionId: v.number(), etag: v.string(), queryHash: v.string() }),
});

const eventId = v.number();

/** A change to a flag or a segment; `hydration` contains everything. */
export const ClientEvent = v.variant("type", [
  v.strictObject({
    eventId,
    type: v.literal("hydration"),
    features: v.array(ClientFeature),
    segments: v.array(ClientSegment),
  }),
  v.strictObject({ eventId, type: v.literal("feature-updated"), feature: ClientFeature }),
  v.strictObject({
    eventId,
    type: v.literal("feature-removed"),
    featureName: v.string(),
    project: v.string(),
  }),
  v.strictObject({ eventId, type: v.literal("segment-updated"), segment: ClientSegment }),
  v.strictObject({ eventId, type: v.literal("segment-removed"), segmentId: v.number() }),
]);
export type ClientEvent = v.InferOutput<typeof ClientEvent>;

/** The changes, oldest first. */
export const ClientDelta = v.strictObject({ events: v.array(ClientEvent) });

/** The flags requested; a token's own projects take precedence. */
export const ClientQuery = v.object({
  project: v.array(UrlName),
  tag: v.array(TagText),
  namePrefix: v.optional(v.pipe(v.string(), v.nonEmpty("must not be empty"))),
  environment: v.optional(v.string()),
});
export type ClientQuery = v.InferOutput<typeof ClientQuery>;
