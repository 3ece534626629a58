import * as v from "valibot";
import { Id, kind } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { EventText } from "../events/wire.ts";
import { toStoredJson } from "../lib/limits.ts";
import { RawJson, toJson, type Wire } from "../lib/raw-json.ts";
import { DAY_MS } from "../lib/time.ts";
import { JsonObject, ShortText, Time } from "../lib/validation.ts";
import { INTEGRATION_STATES, type IntegrationEvent } from "./integrations-schema.ts";

/*
 * The records of attempts to deliver. Neither a record nor its event ever changes.
 */

interface Page {
  integrationId: number;
  limit: number;
  offset: number;
}

/** The number of records per window: each may be a megabyte. */
const WINDOW = 100;

/** The event and the details are JSON. */
type WireRow = Omit<IntegrationEvent, "event" | "details"> & { event: string; details: string };

// Ids are text, since they may exceed JavaScript's integers. A cross join keeps the order of the page.
const recordsFrom = <Bind extends object>(page: string) =>
  query<Bind, WireRow>(`
    SELECT CAST(records.id AS TEXT) AS id, integration_id AS integrationId, created_at AS createdAt, state,
      state_details AS stateDetails, events.wire AS event, details
    FROM (${page}) AS page
    CROSS JOIN integration_events AS records ON records.id = page.id
    CROSS JOIN events ON events.id = event_id`);

const byId = recordsFrom<{ id: bigint }>("SELECT :id AS id");

const newest = recordsFrom<Page & { before: bigint }>(`
  SELECT listed.id FROM integration_events AS listed WHERE integration_id = :integrationId AND listed.id < :before
  ORDER BY listed.id DESC LIMIT :limit OFFSET :offset`);

export const recordById = (db: Database, id: bigint): Wire<IntegrationEvent> =>
  toRecord(byId(db).get({ id })!);

const toRecord = ({ event, details, ...rest }: WireRow): Wire<IntegrationEvent> => ({
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

interface RecordRow extends Pick<IntegrationEvent, "integrationId" | "createdAt" | "state" | "stateDetails"> {
  /** Up to the largest integer of SQLite; null for the next free one. */
  id: bigint | null;
  eventId: number;
  /** JSON text. */
  details: string;
}

export const insertIntegrationEvent = command<RecordRow>(`
  INSERT INTO integration_events (id, integration_id, created_at, state, state_details, event_id, details)
  VALUES (:id, :integrationId, :createdAt, :state, :stateDetails, :eventId, :details)`);

const eventIdOf = valueQuery<{ id: bigint; integrationId: number }, number>(`
  SELECT event_id FROM integration_events WHERE id = :id AND integration_id = :integrationId`);

/** The event of an integration's record. */
export const eventOfRecord = (db: Database, integrationId: number, id: bigint): number | undefined =>
  eventIdOf(db).get({ id, integrationId });

/** Which records of each integration to keep: those of the last days, or a number of the newest. */
export type Retention = { days: number } | { count: number };

interface First {
  /** The integration's. */
  id: number;
  /** Its oldest record to keep. */
  first: number;
}

const firstNewer = query<{ before: string }, First>(`
  SELECT id, coalesce(
    (SELECT id FROM integration_events WHERE integration_id = integrations.id AND created_at >= :before
      ORDER BY id LIMIT 1),
    (SELECT max(id) + 1 FROM integration_events WHERE integration_id = integrations.id), 0) AS first
  FROM integrations`);

const nthNewest = query<{ count: number }, First>(`
  SELECT id, ifnull((SELECT id FROM integration_events WHERE integration_id = integrations.id
    ORDER BY id DESC LIMIT 1 OFFSET :count - 1), 0) AS first
  FROM integrations`);

const countBefore = valueQuery<First, number>(`
  SELECT count(*) FROM integration_events WHERE integration_id = :id AND id < :first`);

const removeBefore = command<First & { limit: number }>(`
  DELETE FROM integration_events WHERE id IN (
    SELECT id FROM integration_events WHERE integration_id = :id AND id < :first ORDER BY id LIMIT :limit)`);

/** The number of records removed per transaction: each may be a megabyte. */
const SLICE = 200;

/** The number of delivery records past their retention. */
export const countOldRecords = (db: Database, retention: Retention, now: number): number =>
  firstRetained(db, retention, now).reduce((sum, one) => sum + countBefore(db).get(one)!, 0);

/** Removes some of them; no event is recorded. @returns how many, 0 once all are removed */
export function removeOldRecords(tx: Writing, retention: Retention, now: number): number {
  let left = SLICE;
  for (const one of firstRetained(tx.db, retention, now)) {
    if (left === 0) break;
    left -= removeBefore(tx).run({ ...one, limit: left }).changes;
  }
  return SLICE - left;
}

const firstRetained = (db: Database, retention: Retention, now: number): First[] =>
  "count" in retention
    ? nthNewest(db).all({ count: retention.count })
    : firstNewer(db).all({ before: new Date(now - retention.days * DAY_MS).toISOString() });

/** An integer of up to 63 bits, carried as text. */
const BigId = v.pipe(
  v.union([v.string(), v.pipe(Id, v.transform(String))]),
  v.regex(/^[0-9]{1,19}$/, "must be a whole number in digits"),
  v.transform((digits) => BigInt(digits)),
  v.minValue(1n, "must be 1 or more"),
  v.maxValue(2n ** 63n - 1n, "must be less than 2^63"),
);

const all = query<object, Omit<RecordRow, "id"> & { id: string }>(`
  SELECT CAST(id AS TEXT) AS id, integration_id AS integrationId, created_at AS createdAt, state,
    state_details AS stateDetails, event_id AS eventId, details
  FROM integration_events ORDER BY integration_events.id`);

/** Its line in a dataset. */
export const integrationEvent = kind({
  name: "integrationEvent",
  schema: v.strictObject({
    id: v.nullish(BigId, null),
    integrationId: Id,
    createdAt: Time,
    state: v.picklist(INTEGRATION_STATES),
    stateDetails: ShortText,
    eventId: Id,
    details: v.optional(JsonObject, {}),
  }),
  refers: { integrationId: "integration", eventId: "event" },
  insert: ({ tx }, line) =>
    insertIntegrationEvent(tx).run({ ...line, details: toStoredJson(line.details, "details") }),
  rows: (db) => all(db).iterate({}),
});
