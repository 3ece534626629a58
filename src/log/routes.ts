import * as v from "valibot";
import { type Actor, SERVICE_USER_ID, SYSTEM_USER_ID } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { type Database, snapshot } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { EventArray, joined } from "../events/wire.ts";
import { JsonStream } from "../http/json-stream.ts";
import { GET, POST } from "../http/operation.ts";
import { fold } from "../lib/text.ts";
import { EventCreator, EventList, EventSearch, FeatureEventList } from "./schema.ts";
import {
  countEvents,
  type EventFilter,
  eventIds,
  type Page,
  projectEvents,
  shortWires,
  shortWiresById,
  type Window,
  wireWindows,
} from "./store.ts";
import { searchText } from "./text-search.ts";

/** The number of events listed if no project is named (seed). */
const NEWEST = 100;

export const listEvents = GET({
  id: "getEvents",
  summary: "The newest events, or all of a project",
  tag: "Events",
  path: "/api/admin/events",
  permission: null,
  query: v.object({ project: v.optional(v.string(), "") }),
  response: EventList,
}).run(({ db, actor, query }) => {
  if (query.project !== "") return allOfProject(db, actor, query.project);
  return listed(db, { hidden: hiddenProjects(db, actor) }, { from: Number.POSITIVE_INFINITY, limit: NEWEST });
});

export const listFeatureEvents = GET({
  id: "getEventsForToggle",
  summary: "All events of a flag",
  tag: "Events",
  path: "/api/admin/events/:featureName",
  permission: null,
  params: v.object({ featureName: v.string() }),
  response: FeatureEventList,
}).run(({ db, actor, params: { featureName } }) => {
  const filter = { feature: featureName, hidden: hiddenProjects(db, actor) };
  const ids = eventIds(db, filter, { from: Number.POSITIVE_INFINITY, limit: Number.MAX_SAFE_INTEGER });
  const begin = `{"version":1,"toggleName":${JSON.stringify(featureName)},"events":[`;
  return new JsonStream((root) => listText(windowsById(db, ids, root), begin, endWith));
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
const toLongList = (db: Database, ids: number[], total: number | undefined) =>
  new JsonStream((root) =>
    listText(windowsById(db, ids, root), BEGIN, () => (total === undefined ? "]}" : endWith(total))),
  );

/** All events of a project; none if it is hidden or doesn't exist. */
function allOfProject(db: Database, actor: Actor, project: string) {
  const isHidden = hiddenProjects(db, actor).includes(project);
  return new JsonStream((root) => listText(isHidden ? [] : projectEvents(db, project, root), BEGIN, endWith));
}

const BEGIN = `{"version":1,"events":[`;

const endWith = (total: number) => `],"totalEvents":${total}}`;

/** Events in the order of the ids. */
export function* windowsById(db: Database, ids: number[], root: string): Generator<Window> {
  for (const wires of wireWindows(db, ids)) yield { count: wires.length, text: `,${joined(wires, root)}` };
}

/** A list as JSON text. @param end returns its end, given the number of events in the list */
export function* listText(
  windows: Iterable<Window>,
  begin: string,
  end: (count: number) => string,
): Generator<string> {
  let all = 0;
  yield begin;
  for (const { count, text } of windows) {
    yield all > 0 ? text : text.slice(1);
    all += count;
  }
  yield end(all);
}

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
