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
const atLeast = (found: number, end: number) => (found < end ? found : Math.max(COUNTED, end + 1));

/** The most periods that a histogram has; each is of as many days as it takes. */
const PERIODS = 60;

export const readEventHistogram = GET({
  id: "getEventHistogram",
  summary: "How many events match, in up to 60 periods of whole days (UTC), oldest first",
  tag: "Search",
  path: "/api/admin/search/events/histogram",
  permission: null,
  query: LogFilter,
  response: v.strictObject({
    periods: v.array(v.strictObject({ from: v.string(), to: v.string(), count: Count })),
  }),
}).run(({ db, actor, query }) =>
  snapshot(db, () => {
    const criteria = criteriaOf(db, actor, query);
    const first = startOfDay(query.from ?? oldestTime(db).pluck().get({}) ?? timestamp());
    const end = startOfDay(query.to ?? timestamp()) + DAY_MS;
    const length = Math.max(1, Math.ceil((end - first) / DAY_MS / PERIODS)) * DAY_MS;
    const count = Math.max(0, Math.ceil((end - first) / length));
    const starts = Array.from({ length: count }, (_, index) => first + index * length);
    const ids = [...starts, end].map((time) => idAt(db, time));
    const periods = starts.map((start, index) => ({
      from: dayOf(start),
      to: dayOf(Math.min(start + length, end) - DAY_MS),
      count: countMatches(db, { ...criteria, first: ids[index]!, last: ids[index + 1]! - 1n }),
    }));
    return { periods };
  }),
);

const oldestTime = query<object, string>(`
  SELECT wire ->> 'createdAt' FROM events WHERE id > 0 ORDER BY id LIMIT 1`);

const startOfDay = (time: string) => Date.parse(time.slice(0, 10));

const dayOf = (time: number) => timestamp(time).slice(0, 10);
