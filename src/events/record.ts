import type { Database } from "../db/database.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { toStoredJson } from "../lib/limits.ts";
import { fold } from "../lib/text.ts";
import { type EventRow, isWhole, lastId, nextHash, sealLog } from "./chain.ts";
import { describe } from "./describe.ts";
import { type Event, isEventType, type Tag } from "./schema.ts";

/** An event to store: a missing id is assigned, a missing label or summary is generated. */
export type StoredEvent = Omit<Event, "id" | "label" | "summary"> &
  Partial<Pick<Event, "id" | "label" | "summary">> & {
    /** The first event of the same change; omitted if this is the first. */
    firstId?: number | null | undefined;
    /** Its link of the chain where it comes from. */
    hash?: string | null | undefined;
  };

const insertRow = command<EventRow & { hash: string | null }>(`
  INSERT INTO events (id, type, project, feature_name, wire, first_id, hash)
  VALUES (:id, :type, :project, :featureName, :wire, :firstId, unhex(:hash))`);

export interface SearchRow {
  id: number;
  type: string;
  createdBy: string;
  data: string;
}

// x'FFFF' is not valid UTF-8, so no search text can contain it; see schema.sql.
export const insertSearch = command<SearchRow>(`
  INSERT INTO event_searches (rowid, type, created_by, data) VALUES (:id,
    :type || CAST(x'FFFF' AS TEXT), :createdBy || CAST(x'FFFF' AS TEXT), :data || CAST(x'FFFF' AS TEXT))`);

/** Stores an event and returns its id; called only by `write`, inside its transaction. */
export function storeEvent(tx: Writing, event: StoredEvent): number {
  const { id, search } = insertEvent(tx, event, nextHash);
  // FTS5 flushes its index at each savepoint, and SQLite sets one for each statement that fires triggers.
  tx.beforeCommit.push(() => insertSearch(tx).run(search));
  addToTotals(tx, event, 1);
  return id;
}

/** The hash that comes with an event, if any. */
const givenHash = (_tx: Writing, _row: EventRow, { hash = null }: StoredEvent) => hash;

/**
 * Inserts the row with its wire JSON; inserting the search text is up to the caller.
 * @throws TooLongError
 */
export function insertEvent(
  tx: Writing,
  event: StoredEvent,
  hashFor: (tx: Writing, row: EventRow, event: StoredEvent) => string | null = givenHash,
): { id: number; search: SearchRow } {
  const id = event.id ?? lastId(tx.db) + 1;
  const wire = toStoredJson(toWire(id, event), "event");
  const { type, project, featureName, firstId = null } = event;
  const row = { id, type, project, featureName, wire, firstId };
  insertRow(tx).run({ ...row, hash: hashFor(tx, row, event) });
  const data = event.data === null ? "" : JSON.stringify(event.data);
  return { id, search: { id, type: fold(event.type), createdBy: fold(event.createdBy), data: fold(data) } };
}

/** The event's own label and summary, or else generated ones; null for a type that this version doesn't know. */
function wordsOf({ label = null, summary = null, type, ...event }: StoredEvent) {
  if ((label !== null && summary !== null) || !isEventType(type)) return { label, summary };
  const written = describe({ ...event, type });
  return { label: label ?? written.label, summary: summary ?? written.summary };
}

/** The event with its keys in wire order. */
function toWire(id: number, event: StoredEvent): Event {
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
    ...wordsOf(event),
    ...(event.groupType && { groupType: event.groupType }),
    ...(event.groupId && { groupId: event.groupId }),
  };
}

const addToTotal = command<{ project: string; type: string; count: number }>(`
  INSERT INTO event_totals (project, type, count) VALUES (:project, :type, :count)
  ON CONFLICT DO UPDATE SET count = count + :count`);

const total = valueQuery<object, number>(`SELECT ifnull(sum(count), 0) FROM event_totals`);

/** The exact number of events, which is maintained rather than counted. */
export const countAllEvents = (db: Database): number => total(db).get({})!;

/** Adds events to the totals per project and type. */
export const addToTotals = (tx: Writing, { project, type }: Pick<Event, "project" | "type">, count: number) =>
  void addToTotal(tx).run({ project: project ?? "", type, count });

const tagsOfFeature = query<{ feature: string }, Tag>(`
  SELECT type, value FROM feature_tags WHERE feature = :feature ORDER BY type, value`);

/** The flag's current tags, which its events store; none if the event is not about a flag. */
export const tagsOf = (db: Database, featureName: string | null | undefined): Tag[] =>
  featureName ? tagsOfFeature(db).all({ feature: featureName }) : [];

/*
 * Loading a log, as an import does.
 */

/** SQLite inserts many rows into one table faster than rows into several tables in turn. */
const BATCH = 1000;

/** From this many events on, rebuilding indexes beats updating them row by row. */
const MANY = 10_000;

const MIB = 1024n * 1024n;

/** How FTS5 builds the search index: in many large pieces, merged at the end; then as schema.sql says. */
const FOR_MANY = { hashsize: 16n * MIB, automerge: 0n, crisismerge: 2000n };
const FOR_FEW = { hashsize: MIB, automerge: 0n, crisismerge: 64n };

const configure = command<{ name: string; value: bigint }>(`
  INSERT INTO event_searches (event_searches, rank) VALUES (:name, :value)`);

const mergeSearches = command<object>(`INSERT INTO event_searches (event_searches) VALUES ('optimize')`);

const indexesOfLog = query<object, { name: string; sql: string }>(`
  SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'events'`);

interface Loaded extends Pick<StoredEvent, "type" | "project"> {
  search: SearchRow;
}

/** Stores many events in the caller's transaction, which must end by running all steps of `finish`. */
export function loadEvents(tx: Writing) {
  let batch: Loaded[] = [];
  const flush = () => {
    for (const { search } of batch) insertSearch(tx).run(search);
    const groups = Map.groupBy(batch, ({ type, project }) => `${type} ${project ?? ""}`); // no type has a space
    for (const group of groups.values()) addToTotals(tx, group[0]!, group.length);
    batch = [];
  };
  let loaded = 0;
  let dropped: string[] = [];
  return {
    store(event: StoredEvent) {
      if (++loaded === MANY) dropped = beginMany(tx);
      const { search } = insertEvent(tx, event);
      batch.push({ search, type: event.type, project: event.project });
      if (batch.length === BATCH) flush();
    },
    /** In steps, so that other work gets a turn in between. */
    *finish() {
      flush();
      if (loaded >= MANY) yield* endMany(tx, dropped);
      if (!isWhole(tx.db)) sealLog(tx, "import");
    },
  };
}

/** @returns the SQL of the dropped indexes. */
function beginMany(tx: Writing): string[] {
  tune(tx, FOR_MANY);
  return countAllEvents(tx.db) < MANY ? dropIndexes(tx.db) : []; // otherwise most of them are already built
}

function dropIndexes(db: Database) {
  const indexes = indexesOfLog(db).all({});
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  return indexes.map(({ sql }) => sql);
}

function* endMany(tx: Writing, dropped: string[]): Generator<void> {
  for (const index of dropped) {
    yield;
    tx.db.exec(index);
  }
  yield;
  mergeSearches(tx).run({});
  tune(tx, FOR_FEW);
}

function tune(tx: Writing, settings: Record<string, bigint>) {
  for (const [name, value] of Object.entries(settings)) configure(tx).run({ name, value });
}
