import * as v from "valibot";
import { JsonObject, Timestamp } from "../lib/validation.ts";
import { EVENT_TYPES } from "./types.ts";

export const EventType = v.picklist(EVENT_TYPES, "is not a known event type");

export const Tag = v.strictObject({ type: v.string(), value: v.string() });
export type Tag = v.InferOutput<typeof Tag>;

/** One change, as on the wire; the keys are in wire order. */
export const Event = v.strictObject({
  id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  createdAt: Timestamp,
  /** One of `EVENT_TYPES`, or one that an import brought from another version. */
  type: v.string(),
  createdBy: v.string(),
  createdByUserId: v.nullable(v.number()),
  environment: v.nullable(v.string()),
  project: v.nullable(v.string()),
  featureName: v.nullable(v.string()),
  data: v.nullable(JsonObject),
  preData: v.nullable(JsonObject),
  tags: v.array(Tag),
  label: v.nullable(v.string()),
  summary: v.nullable(v.string()),
});
export type Event = v.InferOutput<typeof Event>;
