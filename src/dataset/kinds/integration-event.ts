import * as v from "valibot";
import { command, query } from "../../db/statement.ts";
import { toStoredJson } from "../../limits.ts";
import { INTEGRATION_STATES } from "../../resources/integrations/schema.ts";
import { JsonObject, ShortText } from "../../validation.ts";
import { kind } from "../kind.ts";
import { requireKnown } from "../reference.ts";
import { Id, Time } from "../value.ts";

/** A big integer, carried as text; as far as SQLite can count. */
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

type Row = Omit<v.InferOutput<typeof IntegrationEvent>, "details"> & { details: string };

const insertRow = command<Row>(`
  INSERT INTO integration_events (id, integration_id, created_at, state, state_details, event_id, details)
  VALUES (:id, :integrationId, :createdAt, :state, :stateDetails, :eventId, :details)`);

const all = query<object, Row>(`
  SELECT CAST(id AS TEXT) AS id, integration_id AS integrationId, created_at AS createdAt, state,
    state_details AS stateDetails, event_id AS eventId, details
  FROM integration_events ORDER BY integration_events.id`);

export const integrationEvent = kind({
  name: "integrationEvent",
  schema: IntegrationEvent,
  insert({ tx, db }, line) {
    requireKnown(db, "integration", line.integrationId, "integrationId");
    requireKnown(db, "event", line.eventId, "eventId");
    insertRow(tx).run({ ...line, details: toStoredJson(line.details, "details") });
  },
  *rows(db) {
    for (const row of all(db).iterate({})) yield { ...row, details: JSON.parse(row.details) };
  },
});
