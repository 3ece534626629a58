import { createHash, hash } from "node:crypto";
import type { Database } from "../db/database.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";

/*
 * The chain that shows whether the log was tampered with. Each event is stored with the SHA-256 of the hash before it, in
 * hexadecimal, followed by its content. Where events are missing, or were not recorded here, the chain has a seal, whose
 * hash covers the one before it and the seal's content in the same way. src/log/proof.ts verifies it.
 */

/** SQL for what the hash of an event covers: all of its row. */
export const CONTENT = "json_array(id, type, project, feature_name, first_id) || wire";

export const hashOf = (before: string, content: string) => hash("sha256", before + content);

/** Why there is a gap: the events were recorded by an older version, imported, or deleted because of their age. */
export const SEAL_REASONS = ["upgrade", "import", "purge"] as const;
export type SealReason = (typeof SEAL_REASONS)[number];

/** The content of a seal; hashes are in hexadecimal. */
export interface Seal {
  /** The id of the last event before it, stored or not. */
  afterId: number;
  reason: SealReason;
  /** The last event that was deleted, and the last hash up to there: it is where the chain begins. */
  purgedId: number;
  purgedHash: string;
  /** How many events without a hash there are up to here, and the SHA-256 of their contents, in the order of ids. */
  unproved: number;
  digest: string;
}

export interface StoredSeal {
  content: string;
  hash: string;
}

/** The seals, in the order of the chain. */
export const seals = query<object, StoredSeal>(`
  SELECT content, lower(hex(hash)) AS hash FROM event_seals ORDER BY id`);

const newestSeal = valueQuery<object, string>(`SELECT content FROM event_seals ORDER BY id DESC LIMIT 1`);

/** The content of the newest seal, which says where the chain begins; all zero and empty if there is none. */
export function currentSeal(
  db: Database,
): Pick<Seal, "afterId" | "purgedId" | "purgedHash" | "unproved" | "digest"> {
  const content = newestSeal(db).get({});
  return content === undefined ? NO_SEAL : JSON.parse(content);
}

const NO_SEAL = { afterId: 0, purgedId: 0, purgedHash: "", unproved: 0, digest: hash("sha256", "") };

/** The last link of the chain: what to remember elsewhere, to prove later that the log up to it is the same. */
export interface Head {
  /** The id of the event, or of the last one before the seal. */
  id: number;
  hash: string;
}

const lastSeal = query<object, Head>(`
  SELECT content ->> 'afterId' AS id, lower(hex(hash)) AS hash FROM event_seals ORDER BY event_seals.id DESC LIMIT 1`);

const lastEvent = query<object, Head>(
  `SELECT id, lower(hex(hash)) AS hash FROM events WHERE id > 0 ORDER BY id DESC LIMIT 1`,
);

const START: Head = { id: 0, hash: "" };

/** The head; its hash is empty if the log is, or if events at its end are neither chained nor sealed yet. */
export function headOf(db: Database): Head {
  const [seal = START, event = START] = [lastSeal(db).get({}), lastEvent(db).get({})];
  return event.id > seal.id ? event : seal;
}

/** What is stored of an event. */
export interface EventRow {
  id: number;
  type: string;
  project: string | null;
  featureName: string | null;
  wire: string;
  firstId: number | null;
}

// By SQLite, so that it is the same as what is read again, whatever is in a name; numbers are bound as real ones.
const contentOf = valueQuery<EventRow, string>(`
  SELECT ${CONTENT} FROM (SELECT CAST(:id AS INTEGER) AS id, :type AS type, :project AS project,
    :featureName AS feature_name, CAST(:firstId AS INTEGER) AS first_id, :wire AS wire)`);

/** The hash of an event that is recorded next. What a file has from before it had a chain is sealed first. */
export function nextHash(tx: Writing, row: EventRow): string {
  const { id, hash } = headOf(tx.db);
  const before = id > 0 && hash === "" ? sealLog(tx, "upgrade") : hash;
  return hashOf(before, contentOf(tx.db).get(row)!);
}

const lastGivenId = valueQuery<object, number>(`
  SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)`);

/** The last id that an event got, even if it was deleted. */
export const lastId = (db: Database): number => lastGivenId(db).get({})!;

const unchained = valueQuery<object, string>(`SELECT ${CONTENT} FROM events WHERE hash IS NULL ORDER BY id`);

/** Counts events without a hash, and makes one of them all. */
export function digestOfUnproved() {
  const sha = createHash("sha256");
  let unproved = 0;
  return {
    add(content: string) {
      sha.update(content);
      unproved++;
    },
    end: (): Pick<Seal, "unproved" | "digest"> => ({ unproved, digest: sha.digest("hex") }),
  };
}

/** Whether no event without a hash is missing from the newest seal, and none is at the end of the log. */
export function isWhole(db: Database) {
  const { unproved } = currentSeal(db);
  return headOf(db).id === lastId(db) && countUnchained(db).get({}) === unproved;
}

const chainLength = valueQuery<object, number>(`
  SELECT (SELECT count(hash) FROM events) + (SELECT count(*) FROM event_seals)`);

/** The number of events and seals in the chain. */
export const lengthOfChain = (db: Database): number => chainLength(db).get({})!;

const countUnchained = valueQuery<object, number>(`SELECT count(*) FROM events WHERE hash IS NULL`);

export const insertSeal = command<StoredSeal>(`
  INSERT INTO event_seals (content, hash) VALUES (:content, unhex(:hash))`);

const lastChained = query<{ id: number }, Head>(`
  SELECT * FROM (
    SELECT id, lower(hex(hash)) AS hash FROM events WHERE id <= :id AND hash IS NOT NULL ORDER BY id DESC LIMIT 1)
  UNION ALL
  SELECT * FROM (SELECT content ->> 'afterId' AS id, lower(hex(hash)) AS hash FROM event_seals
    WHERE content ->> 'afterId' < :id ORDER BY event_seals.id DESC LIMIT 1)`);

/** The hash of the last link up to an event, without a seal that follows it; `before` if there is none. */
export const lastHash = (db: Database, before: string, id = Number.MAX_SAFE_INTEGER): string =>
  lastChained(db)
    .all({ id })
    .reduce((one, other) => (other.id >= one.id ? other : one), { id: 0, hash: before }).hash;

/**
 * Adds a seal after all events, of which some are missing or have no hash.
 * @returns its hash
 */
export function sealLog(tx: Writing, reason: SealReason, purged?: Head): string {
  const { purgedId, purgedHash } = currentSeal(tx.db);
  const digest = digestOfUnproved();
  for (const content of unchained(tx.db).iterate({})) digest.add(content);
  const seal: Seal = {
    afterId: lastId(tx.db),
    reason,
    purgedId: purged?.id ?? purgedId,
    purgedHash: purged?.hash ?? purgedHash,
    ...digest.end(),
  };
  const content = JSON.stringify(seal);
  const hash = hashOf(lastHash(tx.db, seal.purgedHash), content);
  insertSeal(tx).run({ content, hash });
  return hash;
}
