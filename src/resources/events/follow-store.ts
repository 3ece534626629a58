import { type Database, query } from "../../db/statement.ts";
import { WINDOW } from "./store.ts";

/** The events to follow; null matches all. Lists are JSON. */
export interface Followed {
  types: string | null;
  projects: string | null;
  features: string | null;
  creators: string | null;
  /** Projects whose events are omitted. */
  hidden: string;
}

export interface Newer {
  id: number;
  wire: string;
}

/** How many events are examined at a time. */
const MANY = 1000;

const newestId = query<object, number>(`SELECT ifnull(max(id), 0) FROM events`);

const isAmong = (value: string, list: string) =>
  `(:${list} IS NULL OR ${value} IN (SELECT value FROM json_each(:${list})))`;

const newer = query<Followed & { after: number; last: number }, Newer>(`
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

/** The events after an id, oldest first, in little more than one window; and the id up to which that is complete. */
export function eventsAfter(db: Database, followed: Followed, after: number) {
  const newest = newestEvent(db);
  const last = Math.min(after + MANY, newest);
  const events: Newer[] = [];
  let size = 0;
  for (const event of newer(db).iterate({ ...followed, after, last })) {
    events.push(event);
    size += event.wire.length;
    if (size > WINDOW) return { events, position: event.id, isMore: event.id < newest };
  }
  return { events, position: Math.max(last, Math.min(after, newest)), isMore: last < newest };
}
