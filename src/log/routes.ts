import * as v from "valibot";
import { type Actor, SERVICE_USER_ID, SYSTEM_USER_ID } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { query, valueQuery } from "../db/statement.ts";
import { Event } from "../events/schema.ts";
import { joined } from "../events/wire.ts";
import { JsonStream } from "../http/json-stream.ts";
import { GET, POST } from "../http/operation.ts";
import { fold } from "../lib/text.ts";
import { DAY_MS, timestamp } from "../lib/time.ts";
import { Count } from "../lib/validation.ts";
import { type Criteria, countMatches, matchingIds, NEWEST, toCriteria } from "./criteria.ts";
import { EventCreator, EventList, EventSearch, FeatureEventList, LogFilter, LogSearch } from "./schema.ts";
import { idSince, matchingWindows, wireWindows } from "./store.ts";
import { COUNTED, searchText } from "./text-search.ts";

/** The number of events listed if no project is named (seed). */
const LISTED = 100;

export const listEvents = GET({
  id: "getEvents",
  summary: "The newest events, or all of a project",
  tag: "Events",
  path: "/api/admin/events",
  permission: null,
  query: v.object({ project: v.optional(v.string(), "") }),
  response: EventList,
}).run(({ db, actor, query: { project } }) => {
  const hidden = hiddenProjects(db, actor);
  return project === ""
    ? newest(db, toCriteria({ hidden }), LISTED)
    : allEvents(db, toCriteria({ project: [project], hidden }), BEGIN);
});

export const listFeatureEvents = GET({
  id: "getEventsForToggle",
  summary: "All events of a flag",
  tag: "Events",
  path: "/api/admin/events/:featureName",
  permission: null,
  response: FeatureEventList,
}).run(({ db, actor, params: { featureName } }) => {
  const criteria = toCriteria({ feature: [featureName], hidden: hiddenProjects(db, actor) });
  return allEvents(db, criteria, `{"version":1,"toggleName":${JSON.stringify(featureName)},"events":[`);
});

export const searchEvents = POST({
  id: "deprecatedSearchEvents",
  summary: "Search events by type, project, flag and free text",
  tag: "Events",
  path: "/api/admin/events/search",
  permission: null,
  body: EventSearch,
  isStrict: true,
  response: EventList,
  deprecated: true,
  example: { type: "feature-created", limit: 10 },
}).run(async ({ db, actor, body, signal }) => {
  const { type, project, feature, query, offset, limit } = body;
  const hidden = hiddenProjects(db, actor);
  const criteria = toCriteria({ type: only(type), project: only(project), feature: only(feature), hidden });
  const from = offset === 0 ? NEWEST : BigInt(Math.min(offset, Number.MAX_SAFE_INTEGER));
  if (query === undefined) return newest(db, criteria, limit, from);
  const { ids, total } = await searchText(db, { criteria, text: fold(query), from, limit, signal });
  return eventList(db, ids, { begin: BEGIN, end: endWith(total) });
});

const only = (value: string | undefined) => (value === undefined ? undefined : [value]);

/** The newest events that match, up to an id, and the number of all that match. */
function newest(db: Database, criteria: Criteria, limit: number, last = NEWEST) {
  const ids = matchingIds(db, { ...criteria, last }, { offset: 0, limit });
  return eventList(db, ids, { begin: BEGIN, end: endWith(countMatches(db, criteria)) });
}

function allEvents(db: Database, criteria: Criteria, begin: string) {
  const end = endWith(countMatches(db, criteria));
  return new JsonStream((root) => listText(matchingWindows(db, criteria), root, { begin, end }));
}

/** Never held in memory as a whole if it is long: events never change, so they are read as the client reads. */
export const eventList = (db: Database, ids: readonly number[], ends: Ends) =>
  new JsonStream((root) => listText(wireWindows(db, ids), root, ends));

interface Ends {
  begin: string;
  end: string;
}

function* listText(windows: Iterable<string[]>, root: string, { begin, end }: Ends): Generator<string> {
  let before = begin;
  for (const wires of windows) {
    yield before + joined(wires, root);
    before = ",";
  }
  yield before === begin ? begin + end : end;
}

const BEGIN = `{"version":1,"events":[`;

const endWith = (total: number | undefined) => (total === undefined ? "]}" : `],"totalEvents":${total}}`);

export const listEventCreators = GET({
  id: "getEventCreators",
  summary: "The creators of events",
  tag: "Events",
  path: "/api/admin/event-creators",
  permission: null,
  response: v.array(EventCreator),
}).run(({ db, actor }) => eventCreators(db, hiddenProjects(db, actor)));

// The index leads from one creator to the next, however many events each has; the first row is a placeholder.
// Deleted users have the name under which they created an event.
const creators = query<{ hidden: string }, EventCreator>(`
  WITH RECURSIVE creators (id) AS (
    VALUES (-9223372036854775807)
    UNION ALL
    SELECT (SELECT wire ->> 'createdByUserId' FROM events WHERE wire ->> 'createdByUserId' > creators.id
      ORDER BY wire ->> 'createdByUserId' LIMIT 1)
    FROM creators WHERE creators.id IS NOT NULL
  )
  SELECT creators.id, coalesce(users.name, username, email, (SELECT wire ->> 'createdBy' FROM events
    WHERE wire ->> 'createdByUserId' = creators.id LIMIT 1)) AS name
  FROM creators LEFT JOIN users ON users.id = creators.id
  WHERE EXISTS (
    SELECT 1 FROM events
    WHERE wire ->> 'createdByUserId' = creators.id
      AND ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden)))
  ORDER BY creators.id`);

/** The system is always there, as in the original, since it has created what a new file has. */
const SYSTEM: EventCreator = { id: SYSTEM_USER_ID, name: "Unleash System" };

/** The creators of visible events by id: users, the system, and all service tokens as one. */
const eventCreators = (db: Database, hidden: readonly string[]): EventCreator[] => [
  SYSTEM,
  ...creators(db)
    .all({ hidden: JSON.stringify(hidden) })
    .filter(({ id }) => id !== SYSTEM_USER_ID)
    .map(({ id, name }) => ({ id, name: id === SERVICE_USER_ID ? "Unleash Admin Token" : name })),
];

export const searchLog = GET({
  id: "searchEvents",
  summary: "Search events by type, project, flag, author, day and free text, one page at a time",
  tag: "Search",
  path: "/api/admin/search/events",
  permission: null,
  query: LogSearch,
  response: v.strictObject({ events: v.array(Event), total: v.number() }),
  exampleParams: { type: "IS:feature-created", limit: "10" },
}).run(({ db, actor, query, signal }) => {
  const { query: text, offset, limit } = query;
  const criteria = criteriaOf(db, actor, query);
  const list = (ids: number[], total: number) =>
    eventList(db, ids, { begin: `{"events":[`, end: `],"total":${total}}` });
  if (text === "") {
    const total = countMatches(db, criteria);
    return list(offset < total ? matchingIds(db, criteria, { offset, limit }) : [], total);
  }
  const end = offset + limit;
  const search = { criteria, text: fold(text), from: NEWEST, limit: end, signal };
  return searchText(db, search).then(({ ids, total }) =>
    list(ids.slice(offset), total ?? atLeast(ids.length, end)),
  );
});

function criteriaOf(db: Database, actor: Actor, filter: v.InferOutput<typeof LogFilter>): Criteria {
  const { from, to } = filter;
  // Events without a project ("") are visible to ADMIN only (original).
  const hidden = actor.isAdmin ? [] : [...hiddenProjects(db, actor), ""];
  return {
    ...toCriteria({ ...filter, hidden }),
    first: from === undefined ? 0n : idAt(db, Date.parse(from)),
    last: to === undefined ? NEWEST : idAt(db, Date.parse(to) + DAY_MS) - 1n,
  };
}

const idAt = (db: Database, time: number) => BigInt(idSince(db, timestamp(time)));

/** A total without counting: exact if the page is not full, otherwise more than shown so far. */
const atLeast = (found: number, end: number) => (found < end ? found : Math.max(COUNTED, end) + 1);

/** The most periods that a histogram has; each is of as many days as it takes, and the first of what is left. */
const PERIODS = 60;

/** Without `totalEvents` if too many contain the text: then only the newest thousand are counted. */
export const EventHistogram = v.strictObject({
  periods: v.array(v.strictObject({ from: v.string(), to: v.string(), count: Count })),
  totalEvents: v.optional(Count),
});

export const readEventHistogram = GET({
  id: "getEventHistogram",
  summary: "How many events match, in up to 60 periods of whole days (UTC), oldest first",
  tag: "Search",
  path: "/api/admin/search/events/histogram",
  permission: null,
  query: LogFilter,
  response: EventHistogram,
}).run(({ db, actor, query, signal }) => {
  const criteria = criteriaOf(db, actor, query);
  if (query.query === "") {
    const count = (first: bigint, last: bigint) => countMatches(db, { ...criteria, first, last });
    const periods = periodsOf(db, query, count);
    return { periods, totalEvents: periods.reduce((sum, period) => sum + period.count, 0) };
  }
  const search = { criteria, text: fold(query.query), from: NEWEST, limit: COUNTED, signal };
  return searchText(db, search).then(({ ids, total }) => ({
    periods: periodsOf(db, query, (first, last) => ids.filter((id) => id >= first && id <= last).length),
    ...(total !== undefined && { totalEvents: total }),
  }));
});

/** @param count how many match from one id to another */
function periodsOf(
  db: Database,
  { from, to }: v.InferOutput<typeof LogFilter>,
  count: (first: bigint, last: bigint) => number,
) {
  const begin = startOfDay(from ?? oldestTime(db).get({}) ?? timestamp());
  const end = startOfDay(to ?? timestamp()) + DAY_MS;
  const length = Math.max(1, Math.ceil((end - begin) / DAY_MS / PERIODS)) * DAY_MS;
  const ends = Array.from(
    { length: Math.max(0, Math.ceil((end - begin) / length)) },
    (_, index) => end - index * length,
  );
  return ends.toReversed().map((end) => {
    const start = Math.max(begin, end - length);
    return { from: dayOf(start), to: dayOf(end - DAY_MS), count: count(idAt(db, start), idAt(db, end) - 1n) };
  });
}

const oldestTime = valueQuery<object, string>(`
  SELECT wire ->> 'createdAt' FROM events WHERE id > 0 ORDER BY id LIMIT 1`);

const startOfDay = (time: string) => Date.parse(time.slice(0, 10));

const dayOf = (time: number) => timestamp(time).slice(0, 10);
