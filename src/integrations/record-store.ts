import { type Database, query } from "../db/statement.ts";
import { EventText } from "../events/wire.ts";
import { RawJson, toJson, type Wire } from "../lib/raw-json.ts";
import type { IntegrationEvent } from "./schema.ts";

interface Page {
  integrationId: number;
  limit: number;
  offset: number;
}

/** The number of records per window: each may be a megabyte. */
const WINDOW = 100;

/** The event and the details are JSON. */
type Row = Omit<IntegrationEvent, "event" | "details"> & { event: string; details: string };

// Ids are text, since they may exceed JavaScript's integers. A cross join keeps the order of the page.
const recordsFrom = <Bind extends object>(page: string) =>
  query<Bind, Row>(`
    SELECT CAST(records.id AS TEXT) AS id, integration_id AS integrationId, created_at AS createdAt, state,
      state_details AS stateDetails, events.wire AS event, details
    FROM (${page}) AS page
    CROSS JOIN integration_events AS records ON records.id = page.id
    CROSS JOIN events ON events.id = event_id`);

const byId = recordsFrom<{ id: bigint }>("SELECT :id AS id");

const newest = recordsFrom<Page & { before: bigint }>(`
  SELECT listed.id FROM integration_events AS listed WHERE integration_id = :integrationId AND listed.id < :before
  ORDER BY listed.id DESC LIMIT :limit OFFSET :offset`);

/** An existing record. */
export const recordById = (db: Database, id: bigint): Wire<IntegrationEvent> =>
  toRecord(byId(db).get({ id })!);

const toRecord = ({ event, details, ...rest }: Row): Wire<IntegrationEvent> => ({
  ...rest,
  event: new EventText(event),
  details: new RawJson(details),
});

/** An integration's records, newest first, as wire JSON in windows. @param root prefixes paths on this server */
export function* integrationEvents(db: Database, page: Page, root: string): Generator<string> {
  let { limit, offset } = page;
  for (let before = 2n ** 63n - 1n; limit > 0; limit -= WINDOW, offset = 0) {
    const rows = newest(db).all({ ...page, limit: Math.min(limit, WINDOW), offset, before });
    if (rows.length > 0) yield rows.map((row) => toJson(toRecord(row), root)).join(",");
    if (rows.length < WINDOW) return;
    before = BigInt(rows.at(-1)!.id);
  }
}
