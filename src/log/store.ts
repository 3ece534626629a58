import * as v from "valibot";
import { Id, kind, Name, optional, Real } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { countAllEvents } from "../events/record.ts";
import { eventTypeWarnings, Tag } from "../events/schema.ts";
import { isLinked, joined } from "../events/wire.ts";
import { JsonObject, Text, Time } from "../lib/validation.ts";
import type { EventSearch } from "./schema.ts";

/** Selects the events that match every criterion and belong to no hidden project. */
export interface EventFilter extends Partial<Pick<EventSearch, "type" | "project" | "feature">> {
  /** Projects hidden from the caller. */
  hidden: readonly string[];
}

export interface Page {
  /** The newest id to include; Infinity to start with the newest event. */
  from: number;
  limit: number;
}

/** A filter and a page as parameters. */
export interface Bind {
  type: string | null;
  project: string | null;
  feature: string | null;
  hidden: string;
  from: number | bigint;
  limit: number;
}

/** Roughly how much of a long list is held in memory at once. In characters. */
export const WINDOW = 256 * 1024;

/** Null for an event that alone would make a list long; its length is known without reading it. */
const SHORT_WIRE = `CASE WHEN octet_length(events.wire) <= ${WINDOW} THEN events.wire END`;

/** One statement per index that has a filter's events in order, so that only these are read. */
const newest = <T>(column: string) => ({
  ofAll: query<Bind, T>(`
    SELECT ${column} FROM events WHERE id <= :from ORDER BY id DESC LIMIT :limit`),
  ofProject: query<Bind, T>(`
    SELECT ${column} FROM events WHERE project = :project AND id <= :from ORDER BY id DESC LIMIT :limit`),
  ofType: query<Bind, T>(`
    SELECT ${column} FROM events INDEXED BY events_by_type
    WHERE type = :type AND id <= :from AND ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden))
    ORDER BY id DESC LIMIT :limit`),
  ofTypeAndProject: query<Bind, T>(`
    SELECT ${column} FROM events INDEXED BY events_by_type_and_project
    WHERE type = :type AND project = :project AND id <= :from ORDER BY id DESC LIMIT :limit`),
});

const newestIds = newest<number>("id");
const newestWires = newest<string | null>(SHORT_WIRE);

const FROM_FEATURE = `
  FROM events
  WHERE feature_name = :feature
    AND (:type IS NULL OR type = :type) AND (:project IS NULL OR project = :project)
    AND ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden))`;

// A flag has few events, so they are sorted.
const ofFeature = query<Bind, number>(`
  SELECT id ${FROM_FEATURE} AND id <= :from ORDER BY id DESC LIMIT :limit`);

const countOfFeature = query<Bind, number>(`SELECT count(*) ${FROM_FEATURE}`);

const NEAR = 1000;

const visibleNearby = query<Bind, number>(`
  SELECT id FROM (SELECT id, project FROM events WHERE id <= :from ORDER BY id DESC LIMIT ${NEAR})
  WHERE ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden)) ORDER BY id DESC LIMIT :limit`);

// event_totals lists the projects that have events; the newest of each visible one are merged.
const visibleAnywhere = query<Bind, number>(`
  SELECT events.id
  FROM (SELECT DISTINCT nullif(project, '') AS project FROM event_totals
        WHERE project NOT IN (SELECT value FROM json_each(:hidden))) AS visible
  CROSS JOIN events ON events.id IN (
    SELECT newest.id FROM events AS newest
    WHERE newest.project IS visible.project AND newest.id <= :from ORDER BY newest.id DESC LIMIT :limit)
  ORDER BY events.id DESC LIMIT :limit`);

const countOfTotals = query<Bind, number>(`
  SELECT ifnull(sum(count), 0) FROM event_totals
  WHERE (:type IS NULL OR type = :type) AND (:project IS NULL OR project = :project)
    AND project NOT IN (SELECT value FROM json_each(:hidden))`);

const wireOf = query<{ id: number }, string>(`
  SELECT wire FROM events WHERE id = :id`);

const shortWiresOf = query<{ ids: string }, string | null>(`
  SELECT ${SHORT_WIRE} FROM json_each(:ids) CROSS JOIN events ON events.id = json_each.value ORDER BY events.id DESC`);

/** The ids of a filter's newest events, newest first. */
export function eventIds(db: Database, filter: EventFilter, page: Page): number[] {
  if (isHidden(filter)) return [];
  const bind = toBind(filter, page);
  if (filter.feature !== undefined) return ofFeature(db).pluck().all(bind);
  return isAnyVisible(filter) ? ofVisible(db, bind) : inOrder(newestIds, filter)(db).pluck().all(bind);
}

/** The same as wire JSON; undefined if it is long. */
export function shortWires(db: Database, filter: EventFilter, page: Page): string[] | undefined {
  const isSorted = filter.feature !== undefined || isAnyVisible(filter);
  if (isHidden(filter) || isSorted) return shortWiresById(db, eventIds(db, filter, page));
  return ifShort(inOrder(newestWires, filter)(db).pluck().all(toBind(filter, page)));
}

/** Whether the filter excludes any events. */
export const isFiltered = ({ type, project, feature, hidden }: EventFilter) =>
  hidden.length > 0 || (type ?? project ?? feature) !== undefined;

const isHidden = ({ project, hidden }: EventFilter) => project !== undefined && hidden.includes(project);

const isAnyVisible = ({ type, project, feature, hidden }: EventFilter) =>
  hidden.length > 0 && (type ?? project ?? feature) === undefined;

/** The statement for a filter's index. */
function inOrder<T>(of: ReturnType<typeof newest<T>>, { type, project }: EventFilter) {
  if (type !== undefined) return project === undefined ? of.ofType : of.ofTypeAndProject;
  return project === undefined ? of.ofAll : of.ofProject;
}

/** Usually enough of the newest events are visible; otherwise all visible projects are merged. */
function ofVisible(db: Database, bind: Bind): number[] {
  const nearby = visibleNearby(db).pluck().all(bind);
  return nearby.length === bind.limit ? nearby : visibleAnywhere(db).pluck().all(bind);
}

/** The exact number of a filter's events. */
export function countEvents(db: Database, filter: EventFilter): number {
  if (!isFiltered(filter)) return countAllEvents(db);
  const count = filter.feature === undefined ? countOfTotals : countOfFeature;
  return count(db)
    .pluck()
    .get(toBind(filter, { from: 0, limit: 0 }))!;
}

/**
 * The wire JSON of events by id, newest first; undefined if it is long. Reads only the rows of these events, not of
 * others that were sorted.
 */
export const shortWiresById = (db: Database, ids: readonly number[]): string[] | undefined =>
  ifShort(
    shortWiresOf(db)
      .pluck()
      .all({ ids: JSON.stringify(ids) }),
  );

function ifShort(wires: Array<string | null>): string[] | undefined {
  let size = 0;
  for (const wire of wires) {
    size += wire?.length ?? Number.POSITIVE_INFINITY;
    if (size > WINDOW) return undefined;
  }
  return wires as string[];
}

/** The wire JSON of events in the order of the ids, in windows of limited size. */
export function* wireWindows(db: Database, ids: readonly number[]): Generator<string[]> {
  let wires: string[] = [];
  let size = 0;
  for (const id of ids) {
    const wire = wireOf(db).pluck().get({ id })!;
    wires.push(wire);
    size += wire.length;
    if (size <= WINDOW) continue;
    yield wires;
    wires = [];
    size = 0;
  }
  if (wires.length > 0) yield wires;
}

export const toBind = (filter: EventFilter, { from, limit }: Page): Bind => ({
  type: filter.type ?? null,
  project: filter.project ?? null,
  feature: filter.feature ?? null,
  hidden: JSON.stringify(filter.hidden),
  // An integer beyond 2^31 would be bound as a float, which not every index can compare with.
  from: BigInt(Math.min(from, Number.MAX_SAFE_INTEGER)),
  limit,
});

/** Some events of a list as JSON, each preceded by a comma, even the first. */
export interface Window {
  count: number;
  text: string;
}

/** The number of events read at a time. */
const BATCH_SIZE = 100;

/** A batch of events no longer than this is joined by SQLite. In bytes. */
const SHORT_BYTES = 8 * 1024;

interface Before {
  project: string;
  before: bigint;
}

const OF_PROJECT = `
  SELECT id, wire FROM events WHERE project = :project AND id < :before ORDER BY id DESC LIMIT ${BATCH_SIZE}`;

const ofProject = query<Before, { id: number; wire: string }>(OF_PROJECT);

/** All columns but `count` are null if there are no events. */
const joinedOfProject = query<Before, { count: number; oldest: number; longest: number; text: string }>(`
  SELECT count(*) AS count, min(id) AS oldest, max(octet_length(wire)) AS longest,
    group_concat(concat(',', wire), '') FILTER (WHERE octet_length(wire) <= ${SHORT_BYTES}) AS text
  FROM (${OF_PROJECT})`);

/**
 * All events of a project, newest first, in windows of a few hundred and limited size. SQLite joins them, unless some
 * are long or their links must be rewritten.
 */
export function* projectEvents(db: Database, project: string, root: string): Generator<Window> {
  for (let before = BigInt(Number.MAX_SAFE_INTEGER); ; ) {
    const batch = isLinked(root) ? undefined : joinedOfProject(db).get({ project, before })!;
    const isShort = batch !== undefined && batch.longest <= SHORT_BYTES; // also true without any events
    const window = isShort ? batch : oneByOne(db, { project, before }, root);
    if (window.count === 0) return;
    yield window;
    before = BigInt(window.oldest);
  }
}

function oneByOne(db: Database, bind: Before, root: string): Window & { oldest: number } {
  const wires: string[] = [];
  let [size, oldest] = [0, 0];
  for (const { id, wire } of ofProject(db).iterate(bind)) {
    oldest = id;
    size += wire.length;
    wires.push(wire);
    if (size > WINDOW) break;
  }
  return { count: wires.length, oldest, text: `,${joined(wires, root)}` };
}

const oldestId = query<object, number>(`SELECT id FROM events WHERE id > 0 ORDER BY id LIMIT 1`);

const newestId = query<object, number>(`SELECT id FROM events WHERE id > 0 ORDER BY id DESC LIMIT 1`);

const timeFrom = query<{ id: number }, { id: number; createdAt: string }>(`
  SELECT id, wire ->> 'createdAt' AS createdAt FROM events WHERE id >= :id ORDER BY id LIMIT 1`);

/**
 * The id of the first event at or after a time (RFC 3339); one more than the newest if there is none. The log is
 * written in time order, so a binary search finds it without an index.
 */
export function idSince(db: Database, time: string): number {
  let first = oldestId(db).pluck().get({}) ?? 1;
  let last = newestId(db).pluck().get({}) ?? 0;
  while (first <= last) {
    const middle = Math.floor((first + last) / 2);
    const event = timeFrom(db).get({ id: middle })!;
    if (event.createdAt >= time) last = middle - 1;
    else first = event.id + 1;
  }
  return first;
}

const wires = query<object, string>(`SELECT wire FROM events ORDER BY id`);

export const event = kind({
  name: "event",
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
  }),
  insert({ events }, { id, label, summary, ...line }) {
    events.store({ ...line, ...(id && { id }), label: label ?? null, summary: summary ?? null });
  },
  *rows(db) {
    for (const wire of wires(db).pluck().iterate({})) yield wire;
  },
  warnings: (_, { type }) => eventTypeWarnings("type", type),
});
