import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { Event } from "../events/schema.ts";
import { EventText } from "../events/wire.ts";
import { GET } from "../http/operation.ts";
import { invalid } from "../lib/api-error.ts";
import { LogSearch } from "./schema.ts";
import { isAmong, toList } from "./search.ts";
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
  const { type, project, feature, createdBy } = query;
  const filter = {
    types: toList(type),
    projects: toList(project),
    features: toList(feature),
    creators: toList(createdBy),
    hidden: JSON.stringify(hiddenProjects(db, actor)),
  };
  const { events, position, isMore } = eventsAfter(db, filter, positionOf(db, since));
  const messages = events.map(({ id, wire }) => ({ id: String(id), data: new EventText(wire) }));
  return { messages, position: String(position), isMore };
});

/** New clients start at the newest event; so do those whose position is beyond it, from another file. */
function positionOf(db: Database, since: string | undefined): number {
  if (since === undefined) return newestEvent(db);
  if (/^\d{1,15}$/.test(since)) return Math.min(Number(since), newestEvent(db));
  throw invalid({ path: "headers.last-event-id", message: "must be the id of an event" });
}

/** Which events to follow; null matches all. Lists are JSON. */
interface FollowFilter {
  types: string | null;
  projects: string | null;
  features: string | null;
  creators: string | null;
  /** Projects whose events are omitted. */
  hidden: string;
}

interface FollowedEvent {
  id: number;
  wire: string;
}

/** The number of events examined at a time. */
const BATCH_SIZE = 1000;

const newestId = query<object, number>(`SELECT ifnull(max(id), 0) FROM events`);

const newer = query<FollowFilter & { after: number; last: number }, FollowedEvent>(`
  SELECT id, wire FROM events
  WHERE id > :after AND id <= :last
    AND ${isAmong("type", "types")}
    AND ${isAmong("project", "projects")}
    AND ${isAmong("feature_name", "features")}
    AND ${isAmong("wire ->> 'createdByUserId'", "creators")}
    AND ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY id`);

/** The id of the newest event; 0 if there is none. */
export const newestEvent = (db: Database) => newestId(db).pluck().get({})!;

/** The events after an id, oldest first, up to about one window, and the id up to which they are complete. */
export function eventsAfter(db: Database, filter: FollowFilter, after: number) {
  const newest = newestEvent(db);
  const last = Math.min(after + BATCH_SIZE, newest);
  const events: FollowedEvent[] = [];
  let size = 0;
  for (const event of newer(db).iterate({ ...filter, after, last })) {
    events.push(event);
    size += event.wire.length;
    if (size > WINDOW) return { events, position: event.id, isMore: event.id < newest };
  }
  return { events, position: Math.max(last, Math.min(after, newest)), isMore: last < newest };
}
