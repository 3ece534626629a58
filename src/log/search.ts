import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { type Database, snapshot } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { Event } from "../events/schema.ts";
import { GET } from "../http/operation.ts";
import { fold } from "../lib/text.ts";
import { DAY_MS, timestamp } from "../lib/time.ts";
import { Count } from "../lib/validation.ts";
import { type Criteria, countMatches, matchingIds, NEWEST, toCriteria } from "./criteria.ts";
import { eventList } from "./routes.ts";
import { LogFilter, LogSearch } from "./schema.ts";
import { idSince } from "./store.ts";
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
  const { query: text, offset, limit } = query;
  const criteria = criteriaOf(db, actor, query);
  const list = (ids: number[], total: number) =>
    eventList(db, ids, { begin: `{"events":[`, end: `],"total":${total}}` });
  if (text === "")
    return snapshot(db, () => {
      const total = countMatches(db, criteria);
      return list(offset < total ? matchingIds(db, criteria, { offset, limit }) : [], total);
    });
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
  if (query.query === "")
    return snapshot(db, () => {
      const count = (first: bigint, last: bigint) => countMatches(db, { ...criteria, first, last });
      const periods = periodsOf(db, query, count);
      return { periods, totalEvents: periods.reduce((sum, period) => sum + period.count, 0) };
    });
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
  const begin = startOfDay(from ?? oldestTime(db).pluck().get({}) ?? timestamp());
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

const oldestTime = query<object, string>(`
  SELECT wire ->> 'createdAt' FROM events WHERE id > 0 ORDER BY id LIMIT 1`);

const startOfDay = (time: string) => Date.parse(time.slice(0, 10));

const dayOf = (time: number) => timestamp(time).slice(0, 10);
