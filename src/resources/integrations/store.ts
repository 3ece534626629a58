import { type Database, query } from "../../db/statement.ts";
import { linked } from "../../events/wire.ts";
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

/** What an integration did, newest first, as wire JSON, some at a time. @param root goes before our own paths */
export function* integrationEvents(db: Database, page: Page, root: string): Generator<string[]> {
  let { limit, offset } = page;
  for (let before = 2n ** 63n - 1n; limit > 0; limit -= WINDOW, offset = 0) {
    const rows = newest(db).all({ ...page, limit: Math.min(limit, WINDOW), offset, before });
    yield rows.map((row) => toWire(row, root));
    if (rows.length < WINDOW) return;
    before = BigInt(rows.at(-1)!.id);
  }
}

/** With what is JSON already as it is. */
function toWire({ event, details, ...rest }: Row, root: string) {
  return `${JSON.stringify(rest).slice(0, -1)},"event":${linked(event, root)},"details":${details}}`;
}
