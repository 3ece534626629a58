import * as v from "valibot";
import { Event, EventType } from "../events/schema.ts";
import { dictionary, JsonObject, NonEmptyText, ShortText, Text, Timestamp } from "../lib/validation.ts";

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

/** A service that events can be sent to, and the description of its form. */
export const Provider = v.strictObject({
  name: v.string(),
  displayName: v.string(),
  description: v.string(),
  documentationUrl: v.string(),
  howTo: v.optional(v.string()),
  /** Where to prepare the other side first. */
  installation: v.optional(v.strictObject({ url: v.string(), title: v.string(), helpText: v.string() })),
  /** Why it should no longer be used. */
  deprecated: v.optional(v.string()),
  alerts: v.optional(v.array(v.strictObject({ type: v.picklist(["warning"]), text: v.string() }))),
  parameters: v.array(ProviderParameter),
  /** The events it can receive, as the form offers them. */
  events: v.array(v.string()),
  /** Created along with the provider's first integration. */
  tagTypes: v.optional(v.array(ProviderTagType)),
});
export type Provider = v.InferOutput<typeof Provider>;

/** Problems and delays; absent while everything is delivered. */
export const DeliveryState = v.strictObject({
  paused: v.boolean(),
  /** The number of events waiting for delivery. */
  waiting: v.number(),
  /** The current series of failures: how many, since when, why, and the latest time of the next attempt. */
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
  /** With masked secrets. */
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

/** An integration as in the request; without `createdAt` (original). */
export const GivenIntegration = v.strictObject(shape);

const Names = v.array(NonEmptyText);
const Scalar = v.union([Text, v.number(), v.boolean()], "must be text, a number, or true or false");

export const NewIntegration = v.object({
  provider: NonEmptyText,
  enabled: v.boolean(),
  description: v.nullish(ShortText),
  parameters: dictionary(Scalar),
  events: v.array(EventType),
  projects: v.optional(Names, []),
  environments: v.optional(Names, []),
});
export type NewIntegration = v.InferOutput<typeof NewIntegration>;

/** The result of handling an event; it never changes afterwards. */
export const INTEGRATION_STATES = ["success", "failed", "successWithErrors"] as const;

/** One attempt to deliver an event to an integration. */
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
