import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { query, valueQuery } from "../db/statement.ts";
import { Event } from "../events/schema.ts";
import { EventText } from "../events/wire.ts";
import { GET } from "../http/operation.ts";
import { invalid } from "../lib/api-error.ts";
import { type Criteria, MATCHES, toCriteria } from "./criteria.ts";
import { LogSearch } from "./schema.ts";
import { WINDOW } from "./store.ts";

export const streamEvents = GET({
  id: "streamEvents",
  summary: "Each event as it is recorded, as server-sent events",
  tag: "Events",
  path: "/api/admin/events/stream",
  permission: null,
  query: v.pick(LogSearch, ["type", "project", "feature", "createdBy"]),
  response: Event,
}).stream(({ db, actor, query }, since) => {
  const criteria = toCriteria({ ...query, hidden: hiddenProjects(db, actor) });
  const { events, position, isMore } = eventsAfter(db, criteria, positionOf(db, since));
  const messages = events.map(({ id, wire }) => ({ id: String(id), data: new EventText(wire) }));
  return { messages, position: String(position), isMore };
});

/** New clients start at the newest event; so do those whose position is beyond it, from another file. */
function positionOf(db: Database, since: string | undefined): number {
  if (since === undefined) return newestEvent(db);
  if (/^\d{1,15}$/.test(since)) return Math.min(Number(since), newestEvent(db));
  throw invalid({ path: "headers.last-event-id", message: "must be the id of an event" });
}

interface FollowedEvent {
  id: number;
  wire: string;
}

/** The number of events examined at a time. */
const BATCH_SIZE = 1000;

const newestId = valueQuery<object, number>(`SELECT ifnull(max(id), 0) FROM events`);

const newer = query<Criteria, FollowedEvent>(`SELECT id, wire FROM events WHERE ${MATCHES} ORDER BY id`);

/** The id of the newest event; 0 if there is none. */
export const newestEvent = (db: Database) => newestId(db).get({})!;

/** The events after an id, oldest first, up to about one window, and the id up to which they are complete. */
export function eventsAfter(db: Database, criteria: Criteria, after: number) {
  const newest = newestEvent(db);
  const last = Math.min(after + BATCH_SIZE, newest);
  const events: FollowedEvent[] = [];
  let size = 0;
  const bounds = { first: BigInt(after + 1), last: BigInt(last) };
  for (const event of newer(db).iterate({ ...criteria, ...bounds })) {
    events.push(event);
    size += event.wire.length;
    if (size > WINDOW) return { events, position: event.id, isMore: event.id < newest };
  }
  return { events, position: Math.max(last, Math.min(after, newest)), isMore: last < newest };
}
