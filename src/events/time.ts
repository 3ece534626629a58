import { type Database, query } from "../db/statement.ts";

const oldest = query<object, number>(`SELECT id FROM events WHERE id > 0 ORDER BY id LIMIT 1`);

const newest = query<object, number>(`SELECT id FROM events WHERE id > 0 ORDER BY id DESC LIMIT 1`);

const timeFrom = query<{ id: number }, { id: number; createdAt: string }>(`
  SELECT id, wire ->> 'createdAt' AS createdAt FROM events WHERE id >= :id ORDER BY id LIMIT 1`);

/**
 * The id of the first event at or after a time (RFC 3339); one more than the newest if there is none. The log is
 * written in time order, so a binary search finds it without an index.
 */
export function idSince(db: Database, time: string): number {
  let first = oldest(db).pluck().get({}) ?? 1;
  let last = newest(db).pluck().get({}) ?? 0;
  while (first <= last) {
    const middle = Math.floor((first + last) / 2);
    const event = timeFrom(db).get({ id: middle })!;
    if (event.createdAt >= time) last = middle - 1;
    else first = event.id + 1;
  }
  return first;
}
