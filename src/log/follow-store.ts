import { type Database, query } from "../db/statement.ts";
import { WINDOW } from "./store.ts";

/** Which events to follow; null matches all. Lists are JSON. */
export interface FollowFilter {
  types: string | null;
  projects: string | null;
  features: string | null;
  creators: string | null;
  /** Projects whose events are omitted. */
  hidden: string;
}

export interface FollowedEvent {
  id: number;
  wire: string;
}

/** The number of events examined at a time. */
const BATCH_SIZE = 1000;

const newestId = query<object, number>(`SELECT ifnull(max(id), 0) FROM events`);

const isAmong = (value: string, list: string) =>
  `(:${list} IS NULL OR ${value} IN (SELECT value FROM json_each(:${list})))`;

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
