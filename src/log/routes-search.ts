import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { snapshot } from "../db/snapshot.ts";
import type { Database } from "../db/statement.ts";
import { EVENT_TYPES } from "../events/schema.ts";
import { EventArray, joined } from "../events/wire.ts";
import { JsonStream } from "../http/json-stream.ts";
import { operation } from "../http/operation.ts";
import { fold } from "../lib/fold.ts";
import { FoundEvents, LogSearch } from "./search-schema.ts";
import { matchesAmong, matchingPage, toCriteria } from "./search-store.ts";
import { shortWiresById, wireWindows } from "./store.ts";
import { COUNTED, searchText } from "./text-search.ts";

export const searchLog = operation({
  id: "searchEvents",
  summary: "Search events by type, project, flag, author, day and free text, one page at a time",
  tag: "Search",
  method: "GET",
  path: "/api/admin/search/events",
  permission: null,
  query: LogSearch,
  response: FoundEvents,
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
  return wires ? { events: new EventArray(wires), total } : toLongResult(db, ids, total);
}

/** A long result, never held in memory as a whole. */
const toLongResult = (db: Database, ids: number[], total: number) =>
  new JsonStream(function* (root) {
    let comma = "";
    yield `{"events":[`;
    for (const wires of wireWindows(db, ids)) {
      yield comma + joined(wires, root);
      comma = ",";
    }
    yield `],"total":${total}}`;
  });
