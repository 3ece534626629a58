import { type Database, query } from "../db/statement.ts";
import { countAllEvents } from "../events/record.ts";
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
