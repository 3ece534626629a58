import * as v from "valibot";
import { Hash, Id, kind, Name, optional, Real } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { query, valueQuery } from "../db/statement.ts";
import { insertSeal, SEAL_REASONS, seals } from "../events/chain.ts";
import { eventTypeWarnings, Tag } from "../events/schema.ts";
import { JsonObject, Text, Time } from "../lib/validation.ts";
import { type Criteria, matchingIds } from "./criteria.ts";

/** Roughly how much of a long list is held in memory at once. In characters. */
export const WINDOW = 256 * 1024;

/** The events read at once, if all are short: together they have no more than one window. */
const BATCH = 100;

const shortWires = valueQuery<{ ids: string }, string | null>(`
  SELECT CASE WHEN octet_length(wire) <= ${WINDOW / BATCH} THEN wire END
  FROM json_each(:ids) CROSS JOIN events ON events.id = json_each.value`);

/** An event's JSON. */
export const wireOf = valueQuery<{ id: number }, string>(`SELECT wire FROM events WHERE id = :id`);

/** The wire JSON of events in the order of the ids, in windows of limited size. */
export function* wireWindows(db: Database, ids: readonly number[]): Generator<string[]> {
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH);
    const wires = shortWires(db).all({ ids: JSON.stringify(batch) });
    if (wires.includes(null)) yield* longWindows(db, batch);
    else yield wires as string[];
  }
}

function* longWindows(db: Database, ids: readonly number[]): Generator<string[]> {
  let wires: string[] = [];
  let size = 0;
  for (const id of ids) {
    const wire = wireOf(db).get({ id })!;
    wires.push(wire);
    size += wire.length;
    if (size <= WINDOW) continue;
    yield wires;
    wires = [];
    size = 0;
  }
  if (wires.length > 0) yield wires;
}

/** How many ids are looked up at a time. */
const MANY = 10_000;

/** The same for all events that match, newest first. */
export function* matchingWindows(db: Database, criteria: Criteria): Generator<string[]> {
  for (let last = criteria.last; ; ) {
    const ids = matchingIds(db, { ...criteria, last }, { offset: 0, limit: MANY });
    yield* wireWindows(db, ids);
    if (ids.length < MANY) return;
    last = BigInt(ids.at(-1)! - 1);
  }
}

const oldestId = valueQuery<object, number>(`SELECT id FROM events WHERE id > 0 ORDER BY id LIMIT 1`);

const newestId = valueQuery<object, number>(`SELECT id FROM events WHERE id > 0 ORDER BY id DESC LIMIT 1`);

const timeFrom = query<{ id: number }, { id: number; createdAt: string }>(`
  SELECT id, wire ->> 'createdAt' AS createdAt FROM events WHERE id >= :id ORDER BY id LIMIT 1`);

/**
 * The id of the first event at or after a time (RFC 3339); one more than the newest if there is none. The log is
 * written in time order, so a binary search finds it without an index.
 */
export function idSince(db: Database, time: string): number {
  let first = oldestId(db).get({}) ?? 1;
  let last = newestId(db).get({}) ?? 0;
  while (first <= last) {
    const middle = Math.floor((first + last) / 2);
    const event = timeFrom(db).get({ id: middle })!;
    if (event.createdAt >= time) last = middle - 1;
    else first = event.id + 1;
  }
  return first;
}

const lines = valueQuery<object, string>(`
  SELECT CASE WHEN coalesce(first_id, hash) IS NULL THEN wire ELSE substr(wire, 1, length(wire) - 1)
    || ifnull(',"firstId":' || first_id, '') || iif(hash IS NULL, '', ',"hash":"' || lower(hex(hash)) || '"') || '}' END
  FROM events ORDER BY id`);

const Count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 53));

export const event = kind({
  name: "event",
  tables: ["events", "event_totals"],
  isNumbered: true,
  schema: v.strictObject({
    id: optional(Id),
    createdAt: Time,
    type: Name,
    createdBy: Text,
    createdByUserId: optional(Real),
    environment: optional(Text),
    project: optional(Name),
    featureName: optional(Text),
    data: optional(JsonObject),
    preData: optional(JsonObject),
    tags: v.optional(v.array(Tag), []),
    label: v.nullish(v.string()),
    summary: v.nullish(v.string()),
    groupType: v.nullish(v.string(), ""),
    groupId: v.nullish(v.string(), ""),
    firstId: optional(Id),
    hash: optional(Hash),
  }),
  insert({ events }, { id, label, summary, ...line }) {
    events.store({ ...line, ...(id && { id }), label: label ?? null, summary: summary ?? null });
  },
  rows: (db) => lines(db).iterate({}),
  warnings: (_, { type }) => eventTypeWarnings("type", type),
});

export const eventSeal = kind({
  name: "eventSeal",
  schema: v.strictObject({
    content: v.strictObject({
      afterId: Count,
      reason: v.picklist(SEAL_REASONS),
      purgedId: Count,
      purgedHash: v.union([v.literal(""), Hash]),
      unproved: Count,
      digest: Hash,
    }),
    hash: Hash,
  }),
  insert({ tx }, { content, hash }) {
    insertSeal(tx).run({ content: JSON.stringify(content), hash });
  },
  rows: (db) => seals(db).iterate({}),
});
