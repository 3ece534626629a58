import { type Database, query } from "../../db/statement.ts";
import { EventJson } from "../../events/wire.ts";
import { RawJson, type Wire } from "../../http/raw-json.ts";
import type { IntegrationEvent } from "./schema.ts";

type Row = Omit<IntegrationEvent, "event" | "details"> & { event: string; details: string };

const exists = query<{ id: number }>(`SELECT 1 FROM integrations WHERE id = :id`);

// The id goes out as text: it may be larger than a JavaScript number can hold.
const newest = query<Page & { before: bigint }, Row>(`
  SELECT CAST(integration_events.id AS TEXT) AS id, integration_events.integration_id AS integrationId,
    integration_events.created_at AS createdAt, integration_events.state,
    integration_events.state_details AS stateDetails, events.wire AS event, integration_events.details
  FROM integration_events JOIN events ON events.id = integration_events.event_id
  WHERE integration_events.integration_id = :integrationId AND integration_events.id < :before
  ORDER BY integration_events.id DESC LIMIT :limit OFFSET :offset`);

export const isIntegration = (db: Database, id: number) => exists(db).get({ id }) !== undefined;

interface Page {
  integrationId: number;
  limit: number;
  offset: number;
}

/** How many are read at a time: each may be a megabyte. */
const WINDOW = 100;

/** What an integration did, newest first, some at a time. */
export function* integrationEvents(db: Database, page: Page): Generator<Wire<IntegrationEvent>[]> {
  let { limit, offset } = page;
  for (let before = 2n ** 63n - 1n; limit > 0; limit -= WINDOW, offset = 0) {
    const rows = newest(db).all({ ...page, limit: Math.min(limit, WINDOW), offset, before });
    yield rows.map(toIntegrationEvent);
    if (rows.length < WINDOW) return;
    before = BigInt(rows.at(-1)!.id);
  }
}

const toIntegrationEvent = (row: Row): Wire<IntegrationEvent> => ({
  ...row,
  event: new EventJson(row.event),
  details: new RawJson(row.details),
});
