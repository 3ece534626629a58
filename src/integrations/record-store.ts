import { rowCache } from "../db/row-cache.ts";
import { type Database, query } from "../db/statement.ts";
import { linked } from "../events/wire.ts";
import { RawJson } from "../lib/raw-json.ts";
import type { IntegrationEvent } from "./schema.ts";

interface Page {
  integrationId: number;
  limit: number;
  offset: number;
}

/** The number of records per window: each may be a megabyte. */
const WINDOW = 100;

// Ids are text, since they may exceed JavaScript's integers.
const newestIds = query<Page & { before: bigint }, string>(`
  SELECT CAST(records.id AS TEXT) FROM integration_events AS records
  WHERE integration_id = :integrationId AND records.id < :before
  ORDER BY records.id DESC LIMIT :limit OFFSET :offset`);

/** The event and the details are JSON. */
type Row = Omit<IntegrationEvent, "event" | "details"> & { event: string; details: string };

const byIds = query<{ ids: string }, Row>(`
  SELECT json_each.value AS id, integration_events.integration_id AS integrationId,
    integration_events.created_at AS createdAt, integration_events.state,
    integration_events.state_details AS stateDetails, events.wire AS event, integration_events.details
  FROM json_each(:ids)
  CROSS JOIN integration_events ON integration_events.id = CAST(json_each.value AS INTEGER)
  CROSS JOIN events ON events.id = integration_events.event_id`);

/** A record as JSON, except for its event's links. */
class RecordJson extends RawJson<IntegrationEvent> {
  readonly before: string;
  readonly event: string;
  readonly after: string;

  constructor({ event, details, ...rest }: Row) {
    super("");
    this.before = `${JSON.stringify(rest).slice(0, -1)},"event":`;
    this.event = event;
    this.after = `,"details":${details}}`;
  }

  get size() {
    return this.before.length + this.event.length + this.after.length;
  }

  override toText(root: string) {
    return this.before + linked(this.event, root) + this.after;
  }
}

// Neither a record nor its event ever changes.
const cachedRecords = rowCache<string, RecordJson>("delivery_records", {
  limit: 1024 * 1024,
  sizeOf: ({ size }) => size,
  sources: {},
});

const records = (db: Database, ids: readonly string[]): RecordJson[] =>
  cachedRecords(db).of(ids, (missing) =>
    byIds(db)
      .all({ ids: JSON.stringify(missing) })
      .map((row) => [row.id, new RecordJson(row)]),
  );

/** An existing record. */
export const recordById = (db: Database, id: bigint): RawJson<IntegrationEvent> =>
  records(db, [String(id)])[0]!;

/** An integration's records, newest first, as wire JSON in windows. @param root prefixes paths on this server */
export function* integrationEvents(db: Database, page: Page, root: string): Generator<string> {
  let { limit, offset } = page;
  for (let before = 2n ** 63n - 1n; limit > 0; limit -= WINDOW, offset = 0) {
    const bind = { ...page, limit: Math.min(limit, WINDOW), offset, before };
    const ids = newestIds(db).pluck().all(bind);
    if (ids.length > 0)
      yield records(db, ids)
        .map((record) => record.toText(root))
        .join(",");
    if (ids.length < WINDOW) return;
    before = BigInt(ids.at(-1)!);
  }
}
