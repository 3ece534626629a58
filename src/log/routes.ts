import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { snapshot } from "../db/snapshot.ts";
import type { Database } from "../db/statement.ts";
import { EventArray, joined } from "../events/wire.ts";
import { JsonStream } from "../http/json-stream.ts";
import { operation } from "../http/operation.ts";
import { fold } from "../lib/fold.ts";
import { projectEvents, type Window } from "./project-store.ts";
import { EventList, EventSearch, FeatureEventList } from "./schema.ts";
import {
  countEvents,
  type EventFilter,
  eventIds,
  type Page,
  shortWires,
  shortWiresById,
  wireWindows,
} from "./store.ts";
import { searchText } from "./text-search.ts";

/** The number of events listed if no project is named (seed). */
const NEWEST = 100;

export const listEvents = operation({
  id: "getEvents",
  summary: "The newest events, or all of a project",
  tag: "Events",
  method: "GET",
  path: "/api/admin/events",
  permission: null,
  query: v.object({ project: v.optional(v.string(), "") }),
  response: EventList,
}).run(({ db, actor, query }) => {
  if (query.project !== "") return allOfProject(db, actor, query.project);
  return listed(db, { hidden: hiddenProjects(db, actor) }, { from: Number.POSITIVE_INFINITY, limit: NEWEST });
});

export const listFeatureEvents = operation({
  id: "getEventsForToggle",
  summary: "All events of a flag",
  tag: "Events",
  method: "GET",
  path: "/api/admin/events/:featureName",
  permission: null,
  params: v.object({ featureName: v.string() }),
  response: FeatureEventList,
}).run(({ db, actor, params: { featureName } }) => {
  const filter = { feature: featureName, hidden: hiddenProjects(db, actor) };
  const ids = eventIds(db, filter, { from: Number.POSITIVE_INFINITY, limit: Number.MAX_SAFE_INTEGER });
  const begin = `{"version":1,"toggleName":${JSON.stringify(featureName)},"events":[`;
  return new JsonStream((root) => listText(windowsById(db, ids, root), (count) => count, begin));
});

export const searchEvents = operation({
  id: "deprecatedSearchEvents",
  summary: "Search events by type, project, flag and free text",
  tag: "Events",
  method: "POST",
  path: "/api/admin/events/search",
  permission: null,
  body: EventSearch,
  isStrict: true,
  response: EventList,
  deprecated: true,
}).run(async ({ db, actor, body, signal }) => {
  const { type, project, feature, query, limit } = body;
  const hidden = hiddenProjects(db, actor);
  const filter = { type, project, feature, hidden } as const;
  const from = body.offset === 0 ? Number.POSITIVE_INFINITY : body.offset;
  if (query === undefined) return listed(db, filter, { from, limit });
  const { ids, total } = await searchText(db, { filter, text: fold(query), from, limit, signal });
  const wires = shortWiresById(db, ids);
  return wires ? toList(wires, total) : toLongList(db, ids, total);
});

const listed = (db: Database, filter: EventFilter, page: Page) =>
  snapshot(db, () => {
    const total = countEvents(db, filter);
    const wires = shortWires(db, filter, page);
    return wires ? toList(wires, total) : toLongList(db, eventIds(db, filter, page), total);
  });

const toList = (wires: string[], totalEvents: number | undefined) => ({
  version: 1 as const,
  events: new EventArray(wires),
  totalEvents,
});

/** A long list, never held in memory as a whole: events never change, so they are read as the client reads. */
const toLongList = (db: Database, ids: number[], totalEvents: number | undefined) =>
  new JsonStream((root) => listText(windowsById(db, ids, root), () => totalEvents));

/** All events of a project; none if it is hidden or doesn't exist. */
function allOfProject(db: Database, actor: Actor, project: string) {
  const isHidden = hiddenProjects(db, actor).includes(project);
  return new JsonStream((root) =>
    listText(isHidden ? [] : projectEvents(db, project, root), (count) => count),
  );
}

function* windowsById(db: Database, ids: number[], root: string): Generator<Window> {
  for (const wires of wireWindows(db, ids)) yield { count: wires.length, text: `,${joined(wires, root)}` };
}

/** The list as text. @param totalOf returns the total, given the number of events in the list */
function* listText(
  windows: Iterable<Window>,
  totalOf: (count: number) => number | undefined,
  begin = `{"version":1,"events":[`,
): Generator<string> {
  let all = 0;
  yield begin;
  for (const { count, text } of windows) {
    yield all > 0 ? text : text.slice(1);
    all += count;
  }
  const total = totalOf(all);
  yield total === undefined ? "]}" : `],"totalEvents":${total}}`;
}
