import * as v from "valibot";
import { Event } from "../../events/schema.ts";
import { JsonObject, Timestamp } from "../../validation.ts";

/** How handling an event ended; it never changes afterwards. */
export const INTEGRATION_STATES = ["success", "failed", "successWithErrors"] as const;

/** One attempt of an integration to handle an event. */
export const IntegrationEvent = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[0-9]+$/)),
  integrationId: v.pipe(v.number(), v.integer()),
  createdAt: Timestamp,
  state: v.picklist(INTEGRATION_STATES),
  stateDetails: v.string(),
  event: Event,
  details: JsonObject,
});
export type IntegrationEvent = v.InferOutput<typeof IntegrationEvent>;

export const IntegrationEvents = v.strictObject({ integrationEvents: v.array(IntegrationEvent) });
