import { type Database, statement } from "../../db/statement.ts";
import { describe } from "./describe.ts";
import type { Event } from "./schema.ts";
import { fold } from "./text-search.ts";

/** An event to be stored: without an id it gets the next, without a label or a summary they are written. */
export type StoredEvent = Omit<Event, "id" | "label" | "summary"> &
  Partial<Pick<Event, "id" | "label" | "summary">>;

interface Row {
  id: number;
  type: string;
  project: string | null;
  featureName: string | null;
  wire: string;
}

const insertRow = statement<Row>(`
  INSERT INTO events (id, type, project, feature_name, wire) VALUES (:id, :type, :project, :featureName, :wire)`);

const addToTotal = statement<{ project: string; type: string; count: number }>(`
  INSERT INTO event_totals (project, type, count) VALUES (:project, :type, :count)
  ON CONFLICT DO UPDATE SET count = count + :count`);

interface SearchRow {
  id: number;
  type: string;
  createdBy: string;
  data: string;
}

// x'FFFF' is no UTF-8, so no text that is searched for can hold it; see schema.sql.
const insertSearch = statement<SearchRow>(`
  INSERT INTO event_searches (rowid, type, created_by, data) VALUES (:id,
    :type || CAST(x'FFFF' AS TEXT), :createdBy || CAST(x'FFFF' AS TEXT), :data || CAST(x'FFFF' AS TEXT))`);

// AUTOINCREMENT's own counter: an id is never given twice, even after its event was removed.
const nextId = statement<object, number>(`
  SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) + 1`);

/** Stores an event and returns its id; only `write` comes here, inside its transaction. */
export function storeEvent(db: Database, event: StoredEvent): number {
  const { id, search } = insertEvent(db, event);
  insertSearch(db).run(search);
  addToTotal(db).run({ project: event.project ?? "", type: event.type, count: 1 });
  return id;
}

/** Stores many events in the caller's transaction, which must end with `finish`. */
export function loadEvents(db: Database) {
  const totals = new Map<string, { project: string; type: string; count: number }>();
  // SQLite is faster at many rows of one table than at turns.
  let searches: SearchRow[] = [];
  const flush = () => {
    for (const search of searches) insertSearch(db).run(search);
    searches = [];
  };
  let loaded = 0;
  return {
    store(event: StoredEvent) {
      if (++loaded === MANY) tuneForMany(db);
      searches.push(insertEvent(db, event).search);
      if (searches.length === BATCH) flush();
      const key = JSON.stringify([event.project, event.type]);
      const total = totals.get(key);
      if (total) total.count++;
      else totals.set(key, { project: event.project ?? "", type: event.type, count: 1 });
    },
    finish() {
      flush();
      for (const total of totals.values()) addToTotal(db).run(total);
      if (loaded >= MANY) tuneForFew(db);
    },
  };
}

const BATCH = 1000;

/** From so many events on it pays to gather what goes into the search index, and to write it in one piece. */
const MANY = 10_000;

const MIB = 1024n * 1024n;

const configure = statement<{ name: string; value: bigint }>(`
  INSERT INTO event_searches (event_searches, rank) VALUES (:name, :value)`);

const merge = statement<object>(`INSERT INTO event_searches (event_searches) VALUES ('optimize')`);

function tuneForMany(db: Database) {
  db.pragma("mmap_size = 0"); // for good: what is written is not read again, and would only fill memory
  configure(db).run({ name: "hashsize", value: 16n * MIB });
  configure(db).run({ name: "automerge", value: 0n });
}

/** As FTS5 and the package have it by default. */
function tuneForFew(db: Database) {
  merge(db).run({});
  configure(db).run({ name: "hashsize", value: MIB });
  configure(db).run({ name: "automerge", value: 4n });
}

/** Inserts the row with its wire JSON; the search text is the caller's to insert. */
function insertEvent(db: Database, event: StoredEvent): { id: number; search: SearchRow } {
  const id = event.id ?? nextId(db).pluck().get({})!;
  const wire = JSON.stringify(toWire(id, event));
  insertRow(db).run({ id, type: event.type, project: event.project, featureName: event.featureName, wire });
  const data = event.data === null ? "" : JSON.stringify(event.data);
  return { id, search: { id, type: fold(event.type), createdBy: fold(event.createdBy), data: fold(data) } };
}

/** The event with its keys in the wire's order. */
function toWire(id: number, event: StoredEvent): Event {
  const written = describe(event);
  return {
    id,
    createdAt: event.createdAt,
    type: event.type,
    createdBy: event.createdBy,
    createdByUserId: event.createdByUserId,
    environment: event.environment,
    project: event.project,
    featureName: event.featureName,
    data: event.data,
    preData: event.preData,
    tags: event.tags,
    label: event.label ?? written.label,
    summary: event.summary ?? written.summary,
  };
}
