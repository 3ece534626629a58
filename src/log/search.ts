import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { type Database, snapshot } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { EVENT_TYPES, Event } from "../events/schema.ts";
import { EventArray } from "../events/wire.ts";
import { JsonStream } from "../http/json-stream.ts";
import { GET } from "../http/operation.ts";
import { fold } from "../lib/text.ts";
import { DAY_MS } from "../lib/time.ts";
import { listText, windowsById } from "./routes.ts";
import { LogSearch } from "./schema.ts";
import { idSince, shortWiresById } from "./store.ts";
import { COUNTED, searchText } from "./text-search.ts";

export const searchLog = GET({
  id: "searchEvents",
  summary: "Search events by type, project, flag, author, day and free text, one page at a time",
  tag: "Search",
  path: "/api/admin/search/events",
  permission: null,
  query: LogSearch,
  response: v.strictObject({ events: v.array(Event), total: v.number() }),
}).run(({ db, actor, query, signal }) => {
  const hidden = hiddenFrom(db, actor);
  if (query.query !== "") return textPage(db, query, hidden, signal);
  return snapshot(db, () => toResult(db, matchingPage(db, toCriteria(db, query, hidden), query)));
});

interface Found {
  ids: number[];
  total: number;
}

/** Projects whose events are left out; those without a project ("") are visible to ADMIN only (original). */
const hiddenFrom = (db: Database, actor: Actor) => (actor.isAdmin ? [] : [...hiddenProjects(db, actor), ""]);

async function textPage(db: Database, search: LogSearch, hidden: string[], signal: AbortSignal) {
  const criteria = toCriteria(db, search, hidden);
  const end = search.offset + search.limit;
  const { ids, total } = await searchText(db, {
    filter: {
      type: onlyType(search.type),
      project: only(search.project),
      feature: only(search.feature),
      hidden,
    },
    text: fold(search.query),
    from: Number.POSITIVE_INFINITY,
    limit: end,
    narrow: (found) => matchesAmong(db, criteria, found),
    signal,
  });
  return toResult(db, { ids: ids.slice(search.offset), total: total ?? atLeast(ids.length, end) });
}

/** A total without counting: exact if the page is not full, otherwise more than shown so far. */
const atLeast = (found: number, end: number) => (found < end ? found : Math.max(COUNTED, end + 1));

const only = (values: readonly string[] | undefined) => (values?.length === 1 ? values[0] : undefined);

/** Unknown types are left to `narrow`, which rejects them. */
const onlyType = (types: readonly string[] | undefined) => EVENT_TYPES.find((type) => type === only(types));

function toResult(db: Database, { ids, total }: Found) {
  const wires = shortWiresById(db, ids);
  if (wires) return { events: new EventArray(wires), total };
  return new JsonStream((root) =>
    listText(windowsById(db, ids, root), `{"events":[`, () => `],"total":${total}}`),
  );
}

/*
 * Events by type, project, flag, author and day. `event_totals` lists the types of each project's events; an index has
 * the events of each such pair in order, also by author. The newest of each are merged.
 */

/** The criteria as parameters; null matches all. Lists are JSON. */
export interface Criteria {
  types: string | null;
  projects: string | null;
  features: string | null;
  creators: string | null;
  /** Projects that are left out; "" stands for events without a project. */
  hidden: string;
  /** The oldest and the newest id that can match. */
  first: bigint;
  last: bigint;
}

type Page = Criteria & { offset: number; limit: number };

export const isAmong = (value: string, list: string) =>
  `(:${list} IS NULL OR ${value} IN (SELECT value FROM json_each(:${list})))`;

/** The condition on a row of `events`. */
const IS_MATCH = `events.id BETWEEN :first AND :last
  AND ${isAmong("events.type", "types")}
  AND ${isAmong("events.project", "projects")}
  AND ${isAmong("events.feature_name", "features")}
  AND ${isAmong("events.wire ->> 'createdByUserId'", "creators")}
  AND ifnull(events.project, '') NOT IN (SELECT value FROM json_each(:hidden))`;

const FROM_PAIRS = `event_totals
  WHERE ${isAmong("event_totals.type", "types")} AND ${isAmong("project", "projects")}
    AND project NOT IN (SELECT value FROM json_each(:hidden))`;

const OF_PAIR = `FROM events AS one INDEXED BY events_by_type_and_project
  WHERE one.type = pair.type AND one.project IS nullif(pair.project, '') AND one.id BETWEEN :first AND :last`;

const OF_CREATOR = `FROM events AS one INDEXED BY events_by_creator
  WHERE one.wire ->> 'createdByUserId' = pair.creator AND one.project IS nullif(pair.project, '')
    AND one.type = pair.type AND one.id BETWEEN :first AND :last`;

const merged = (pairs: string, ofPair: string) => ({
  ids: query<Page, number>(`
    SELECT events.id
    FROM (${pairs}) AS pair CROSS JOIN events ON events.id IN (
      SELECT one.id ${ofPair} ORDER BY one.id DESC LIMIT :offset + :limit)
    ORDER BY events.id DESC LIMIT :limit OFFSET :offset`),
  count: query<Criteria, number>(`
    SELECT ifnull(sum((SELECT count(*) ${ofPair})), 0) FROM (${pairs}) AS pair`),
});

const ofPairs = merged(`SELECT type, project FROM ${FROM_PAIRS}`, OF_PAIR);
const ofCreators = merged(
  `SELECT DISTINCT event_totals.type, event_totals.project, creators.value AS creator FROM json_each(:creators) AS creators CROSS JOIN ${FROM_PAIRS}`,
  OF_CREATOR,
);

// A flag has few events, so they are sorted.
const ofFeatures = {
  ids: query<Page, number>(`
    SELECT id FROM events WHERE feature_name IN (SELECT value FROM json_each(:features)) AND ${IS_MATCH}
    ORDER BY id DESC LIMIT :limit OFFSET :offset`),
  count: query<Criteria, number>(`
    SELECT count(*) FROM events
    WHERE feature_name IN (SELECT value FROM json_each(:features)) AND ${IS_MATCH}`),
};

/** Without criteria there is nothing to merge. */
const ofAll = query<Page, number>(`
  SELECT id FROM events WHERE id BETWEEN :first AND :last ORDER BY id DESC LIMIT :limit OFFSET :offset`);

const among = query<Criteria & { ids: string }, number>(`
  SELECT events.id FROM json_each(:ids) CROSS JOIN events ON events.id = json_each.value
  WHERE ${IS_MATCH} ORDER BY events.id DESC`);

/** Those of some events that match, newest first. */
export const matchesAmong = (db: Database, criteria: Criteria, ids: readonly number[]): number[] =>
  among(db)
    .pluck()
    .all({ ...criteria, ids: JSON.stringify(ids) });

const totalOfPairs = query<Criteria, number>(`SELECT ifnull(sum(count), 0) FROM ${FROM_PAIRS}`);

/** The criteria of a search other than its text. @param hidden projects that the caller can't see */
export function toCriteria(db: Database, search: LogSearch, hidden: readonly string[]): Criteria {
  const { type, project, feature, createdBy, from, to } = search;
  return {
    types: toList(type),
    projects: toList(project),
    features: toList(feature),
    creators: toList(createdBy),
    hidden: JSON.stringify(hidden),
    first: from === undefined ? 0n : BigInt(idSince(db, startOf(from))),
    last: to === undefined ? NEWEST : BigInt(idSince(db, startOf(to, 1)) - 1),
  };
}

const NEWEST = BigInt(Number.MAX_SAFE_INTEGER);

export const toList = (values: readonly unknown[] | undefined) => (values ? JSON.stringify(values) : null);

const startOf = (day: string, later = 0) => new Date(Date.parse(day) + later * DAY_MS).toISOString();

/** The ids on one page, newest first, and the total number of matches. */
export function matchingPage(db: Database, criteria: Criteria, { offset, limit }: LogSearch) {
  const total = countMatches(db, criteria);
  if (offset >= total) return { ids: [], total };
  const page = isAll(criteria) ? ofAll(db) : sourceOf(criteria).ids(db);
  return { ids: page.pluck().all({ ...criteria, offset, limit }), total };
}

function countMatches(db: Database, criteria: Criteria): number {
  const { features, creators, first, last } = criteria;
  const hasStoredTotal = (features ?? creators) === null && first === 0n && last === NEWEST;
  const count = hasStoredTotal ? totalOfPairs(db) : sourceOf(criteria).count(db);
  return count.pluck().get(criteria)!;
}

function sourceOf({ features, creators }: Criteria) {
  if (features !== null) return ofFeatures;
  return creators === null ? ofPairs : ofCreators;
}

const isAll = ({ types, projects, features, creators, hidden }: Criteria) =>
  (types ?? projects ?? features ?? creators) === null && hidden === "[]";
