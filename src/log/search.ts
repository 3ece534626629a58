import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { snapshot } from "../db/database.ts";
import { Event } from "../events/schema.ts";
import { GET } from "../http/operation.ts";
import { fold } from "../lib/text.ts";
import { DAY_MS } from "../lib/time.ts";
import { countMatches, matchingIds, NEWEST, toCriteria } from "./criteria.ts";
import { eventList } from "./routes.ts";
import { LogSearch } from "./schema.ts";
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
  const { from, to, query: text, offset, limit } = query;
  // Events without a project ("") are visible to ADMIN only (original).
  const hidden = actor.isAdmin ? [] : [...hiddenProjects(db, actor), ""];
  const criteria = {
    ...toCriteria({ ...query, hidden }),
    first: from === undefined ? 0n : BigInt(idSince(db, startOf(from))),
    last: to === undefined ? NEWEST : BigInt(idSince(db, startOf(to, 1)) - 1),
  };
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

const startOf = (day: string, later = 0) => new Date(Date.parse(day) + later * DAY_MS).toISOString();

/** A total without counting: exact if the page is not full, otherwise more than shown so far. */
const atLeast = (found: number, end: number) => (found < end ? found : Math.max(COUNTED, end + 1));
