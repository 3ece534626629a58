import * as v from "valibot";
import { Event, EventType } from "../../events/schema.ts";
import { JsonObject, NonEmptyText, ShortText, Text, Timestamp } from "../../validation.ts";

/** What an integration of a provider is set up with. */
export const ProviderParameter = v.strictObject({
  name: v.string(),
  displayName: v.string(),
  type: v.picklist(["url", "text", "textfield"]),
  description: v.string(),
  placeholder: v.optional(v.string()),
  required: v.boolean(),
  sensitive: v.boolean(),
});
export type ProviderParameter = v.InferOutput<typeof ProviderParameter>;

const ProviderTagType = v.strictObject({ name: v.string(), description: v.string(), icon: v.string() });

/** Where events are sent to, and what a form for that is made from. */
export const Provider = v.strictObject({
  name: v.string(),
  displayName: v.string(),
  description: v.string(),
  documentationUrl: v.string(),
  howTo: v.optional(v.string()),
  /** Why no new one should be made. */
  deprecated: v.optional(v.string()),
  alerts: v.optional(v.array(v.strictObject({ type: v.picklist(["warning"]), text: v.string() }))),
  parameters: v.array(ProviderParameter),
  /** What it can be told of, as the form offers it. */
  events: v.array(v.string()),
  /** Made with the first integration of the provider. */
  tagTypes: v.optional(v.array(ProviderTagType)),
});
export type Provider = v.InferOutput<typeof Provider>;

/** What goes on beside what was asked for; absent while all is delivered. */
export const DeliveryState = v.strictObject({
  paused: v.boolean(),
  /** Events that wait to be delivered. */
  waiting: v.number(),
  /** The last attempts failed: how many in a row, since when, why, and when the next is made at the latest. */
  failing: v.nullable(
    v.strictObject({ failures: v.number(), since: Timestamp, reason: v.string(), retryAt: Timestamp }),
  ),
});
export type DeliveryState = v.InferOutput<typeof DeliveryState>;

const shape = {
  id: v.number(),
  provider: v.string(),
  enabled: v.boolean(),
  description: v.nullable(v.string()),
  /** With secrets masked. */
  parameters: JsonObject,
  events: v.array(v.string()),
  projects: v.array(v.string()),
  environments: v.array(v.string()),
};

export const Integration = v.strictObject({
  ...shape,
  createdAt: Timestamp,
  delivery: v.optional(DeliveryState),
});
export type Integration = v.InferOutput<typeof Integration>;

export const IntegrationList = v.strictObject({
  addons: v.array(Integration),
  providers: v.array(Provider),
});

/** One as it was asked for; without a time, and a description only if one was given (original). */
export const GivenIntegration = v.strictObject({ ...shape, description: v.nullish(v.string()) });

const Names = v.array(NonEmptyText);
const Scalar = v.union([Text, v.number(), v.boolean()], "must be text, a number, or true or false");

/** What one is made of, and what it becomes. */
export const NewIntegration = v.object({
  provider: NonEmptyText,
  enabled: v.boolean(),
  description: v.nullish(ShortText),
  parameters: v.pipe(JsonObject, v.record(v.string(), Scalar)),
  events: v.array(EventType),
  projects: v.optional(Names, []),
  environments: v.optional(Names, []),
});
export type NewIntegration = v.InferOutput<typeof NewIntegration>;

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
