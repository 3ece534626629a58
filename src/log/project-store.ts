import { type Database, query } from "../db/statement.ts";
import { isLinked, joined } from "../events/wire.ts";
import { WINDOW } from "./store.ts";

/** Some events of a list as JSON, each preceded by a comma, even the first. */
export interface Window {
  count: number;
  text: string;
}

/** The number of events read at a time. */
const BATCH_SIZE = 100;

/** A batch of events no longer than this is joined by SQLite. In bytes. */
const SHORT_BYTES = 8 * 1024;

interface Bind {
  project: string;
  before: bigint;
}

const NEWEST = `
  SELECT id, wire FROM events WHERE project = :project AND id < :before ORDER BY id DESC LIMIT ${BATCH_SIZE}`;

const newest = query<Bind, { id: number; wire: string }>(NEWEST);

/** All columns but `count` are null if there are no events. */
const newestJoined = query<Bind, { count: number; oldest: number; longest: number; text: string }>(`
  SELECT count(*) AS count, min(id) AS oldest, max(octet_length(wire)) AS longest,
    group_concat(concat(',', wire), '') FILTER (WHERE octet_length(wire) <= ${SHORT_BYTES}) AS text
  FROM (${NEWEST})`);

/**
 * All events of a project, newest first, in windows of a few hundred and limited size. SQLite joins them, unless some
 * are long or their links must be rewritten.
 */
export function* projectEvents(db: Database, project: string, root: string): Generator<Window> {
  for (let before = BigInt(Number.MAX_SAFE_INTEGER); ; ) {
    const batch = isLinked(root) ? undefined : newestJoined(db).get({ project, before })!;
    const isShort = batch !== undefined && batch.longest <= SHORT_BYTES; // also true without any events
    const window = isShort ? batch : oneByOne(db, { project, before }, root);
    if (window.count === 0) return;
    yield window;
    before = BigInt(window.oldest);
  }
}

function oneByOne(db: Database, bind: Bind, root: string): Window & { oldest: number } {
  const wires: string[] = [];
  let [size, oldest] = [0, 0];
  for (const { id, wire } of newest(db).iterate(bind)) {
    oldest = id;
    size += wire.length;
    wires.push(wire);
    if (size > WINDOW) break;
  }
  return { count: wires.length, oldest, text: `,${joined(wires, root)}` };
}
