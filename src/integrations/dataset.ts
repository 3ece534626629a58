import * as v from "valibot";
import {
  bit,
  Flag,
  Id,
  kind,
  Name,
  OptionalText,
  OptionalTime,
  optional,
  requireKnown,
  withoutNulls,
} from "../dataset/kind.ts";
import { query } from "../db/statement.ts";
import { eventTypeWarnings } from "../events/types.ts";
import { toStoredJson } from "../lib/limits.ts";
import { JsonObject, ShortText, Time } from "../lib/validation.ts";
import { type IntegrationRow, insertIntegration } from "./changes.ts";
import { type EventRow, insertIntegrationEvent } from "./changes-deliveries.ts";
import { providerByName } from "./providers.ts";
import { INTEGRATION_STATES } from "./schema.ts";
import { decryptedParameters, encryptedParameters, maskedParameters } from "./secrets.ts";

const Integration = v.strictObject({
  id: Id,
  provider: Name,
  description: OptionalText,
  enabled: Flag(true),
  paused: Flag(false),
  parameters: v.optional(JsonObject, {}),
  events: v.optional(v.array(Name), []),
  projects: v.optional(v.array(Name), []),
  environments: v.optional(v.array(Name), []),
  createdAt: OptionalTime,
  editedByUserId: optional(v.pipe(v.number(), v.integer())),
});

const all = query<object, IntegrationRow>(`
  SELECT id, provider, description, enabled, parameters, events, projects, environments, paused,
    created_at AS createdAt, edited_by_user_id AS editedByUserId
  FROM integrations ORDER BY id`);

export const integration = kind({
  name: "integration",
  schema: Integration,
  insert: ({ tx, now }, line) =>
    void insertIntegration(tx).run({
      ...line,
      enabled: bit(line.enabled),
      paused: bit(line.paused),
      parameters: toStoredJson(encryptedParameters(tx.db, line, line.parameters), "parameters"),
      events: JSON.stringify(line.events),
      projects: JSON.stringify(line.projects),
      environments: JSON.stringify(line.environments),
      createdAt: line.createdAt ?? now,
    }),
  *rows(db) {
    for (const row of all(db).iterate({})) {
      yield withoutNulls({
        ...row,
        enabled: row.enabled === 1,
        paused: row.paused === 1,
        parameters: JSON.parse(row.parameters),
        events: JSON.parse(row.events),
        projects: JSON.parse(row.projects),
        environments: JSON.parse(row.environments),
      });
    }
  },
  warnings: (_, line) => integrationWarnings(line),
  revealed: (db, row) => ({ ...row, parameters: decryptedParameters(db, row, row.parameters ?? {}) }),
  masked: (row) => ({ ...row, parameters: maskedParameters(row.provider, row.parameters ?? {}) }),
});

/** An integer of up to 63 bits, carried as text. */
const BigId = v.pipe(
  v.union([v.string(), v.pipe(Id, v.transform(String))]),
  v.regex(/^[0-9]{1,19}$/, "must be a whole number in digits"),
  v.transform((digits) => BigInt(digits)),
  v.minValue(1n, "must be 1 or more"),
  v.maxValue(2n ** 63n - 1n, "must be less than 2^63"),
);

const IntegrationEvent = v.strictObject({
  id: v.nullish(BigId, null),
  integrationId: Id,
  createdAt: Time,
  state: v.picklist(INTEGRATION_STATES),
  stateDetails: ShortText,
  eventId: Id,
  details: v.optional(JsonObject, {}),
});

const events = query<object, Omit<EventRow, "id"> & { id: string }>(`
  SELECT CAST(id AS TEXT) AS id, integration_id AS integrationId, created_at AS createdAt, state,
    state_details AS stateDetails, event_id AS eventId, details
  FROM integration_events ORDER BY integration_events.id`);

export const integrationEvent = kind({
  name: "integrationEvent",
  schema: IntegrationEvent,
  insert({ tx, db }, line) {
    requireKnown(db, "integration", line.integrationId, "integrationId");
    requireKnown(db, "event", line.eventId, "eventId");
    insertIntegrationEvent(tx).run({ ...line, details: toStoredJson(line.details, "details") });
  },
  *rows(db) {
    for (const row of events(db).iterate({})) yield { ...row, details: JSON.parse(row.details) };
  },
});

/** What the API would refuse. */
function* integrationWarnings(line: {
  provider: string;
  parameters: Record<string, unknown>;
  events: string[];
}): Generator<string> {
  for (const [index, type] of line.events.entries()) yield* eventTypeWarnings(`events.${index}`, type);
  const provider = providerByName(line.provider);
  if (!provider) return yield `provider: there is no provider ${JSON.stringify(line.provider)}`;
  for (const { name, required } of provider.parameters)
    if (required && !line.parameters[name]) yield `parameters.${name}: is required by ${line.provider}`;
}
