import type { Database } from "../db/database.ts";
import { command, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import {
  addToTotals,
  countAllEvents,
  insertEvent,
  insertSearch,
  type SearchRow,
  type StoredEvent,
} from "./record.ts";

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
