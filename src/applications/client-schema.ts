import * as v from "valibot";
import { ClientFeature, ClientSegment } from "../evaluation/client-feature.ts";
import { TagText } from "../flags/features-schema.ts";
import { UrlName } from "../lib/validation.ts";

export const ClientFeatures = v.strictObject({
  version: v.literal(2),
  features: v.array(ClientFeature),
  query: v.record(v.string(), v.unknown()),
  segments: v.optional(v.array(ClientSegment)),
  meta: v.strictObject({
    revisionId: v.number(),
    etag: v.string(),
    queryHash: v.string(),
    /** By id, the projects of segments that only private ones use, for edges; absent if there are none. */
    privateSegments: v.optional(v.record(v.string(), v.array(v.string()))),
  }),
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

export const ClientDelta = v.strictObject({ events: v.array(ClientEvent) });

/** The flags requested; a token's own projects take precedence. */
export const ClientQuery = v.object({
  project: v.array(UrlName),
  tag: v.array(TagText),
  namePrefix: v.optional(v.pipe(v.string(), v.nonEmpty("must not be empty"))),
  environment: v.optional(v.string()),
});
export type ClientQuery = v.InferOutput<typeof ClientQuery>;
