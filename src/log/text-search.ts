import type { Database } from "../db/database.ts";
import { query, valueQuery } from "../db/statement.ts";
import { nextTurn } from "../lib/background.ts";
import { type Criteria, countMatches, MATCHES, matchingIds, NEWEST, toCriteria } from "./criteria.ts";

/*
 * Free text is a substring of the event's type, of its creator, or of the JSON text of its data, ignoring letter case,
 * with every character literal (docs/choices.md). A trigram index narrows the log down to candidates, and
 * `instr` confirms each. The log may hold millions of events, so the work is done in slices of a few milliseconds,
 * between which other requests get a turn.
 */

/** More matches than this are not counted, and the total is omitted (docs/choices.md). */
export const COUNTED = 1000;
/** The candidates in one slice: if all of them match, there are too many to count. */
const SLICE = COUNTED + 1;
/** The number of trigrams that one MATCH may contain. */
const MAX_TRIGRAMS = { all: 12, any: 400 };
/** A text shorter than a trigram is common if this share of the newest events contains it. */
const COMMON = 0.2;

interface Search {
  criteria: Criteria;
  /** Folded. */
  text: string;
  /** The newest id to include. */
  from: bigint;
  limit: number;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

interface Found {
  /** The newest matches, newest first. */
  ids: number[];
  /** The total number of matches; undefined if there are too many to count. */
  total: number | undefined;
}

/** Some candidates, and the matches among them. */
interface Slice {
  /** Fewer than `SLICE` only if there are no more. */
  candidates: number;
  /** The oldest id; null if there is none. */
  oldest: number | null;
  /** How many contain the text and are visible; hidden ones never count, so that totals don't reveal them. */
  matches: number;
  /** The ids that match all criteria, newest first. */
  ids: number[];
}

/** The newest candidates up to an id. */
type Source = (last: bigint) => Slice;

type SliceRow = Omit<Slice, "ids"> & { ids: string };

const toSlice = (row: SliceRow): Slice => ({ ...row, ids: JSON.parse(row.ids) });

/** A slice of candidates as a single row, instead of a thousand. */
const sliceOf = (candidates: string) => `
  SELECT count(*) AS candidates, min(id) AS oldest, ifnull(sum(isMatch AND isVisible), 0) AS matches,
    json_group_array(id ORDER BY id DESC) FILTER (WHERE isMatch AND isWanted) AS ids
  FROM (${candidates})`;

// The texts (type, creator, data) are read from the index's own table, since FTS5 is slow at returning columns.
const IS_MATCH = `(instr(texts.c2, :text) OR instr(texts.c1, :text) OR instr(texts.c0, :text)) <> 0 AS isMatch`;

const IS_WANTED = `EXISTS (SELECT 1 FROM events WHERE events.id = texts.id AND ${MATCHES}) AS isWanted`;

interface Bind extends Criteria {
  text: string;
  limit: number;
}

const sliceByMatch = query<Bind & { match: string }, SliceRow>(
  sliceOf(`
  SELECT texts.id, ${IS_MATCH}, ${IS_WANTED},
    :hidden = '[]' OR (SELECT ifnull(events.project, '') FROM events WHERE events.id = texts.id)
      NOT IN (SELECT value FROM json_each(:hidden)) AS isVisible
  FROM event_searches CROSS JOIN event_searches_content AS texts ON texts.id = event_searches.rowid
  WHERE event_searches MATCH :match AND event_searches.rowid <= :last
  ORDER BY event_searches.rowid DESC LIMIT :limit`),
);

const sliceById = query<Bind & { ids: string }, SliceRow>(
  sliceOf(`
  SELECT texts.id, ${IS_MATCH}, ${IS_WANTED}, 1 AS isVisible
  FROM json_each(:ids) CROSS JOIN event_searches_content AS texts ON texts.id = json_each.value`),
);

const trigramsFrom = valueQuery<{ text: string; limit: number }, string>(`
  SELECT term FROM event_trigrams
  WHERE term >= :text AND term <= :text || char(0x10FFFF, 0x10FFFF) LIMIT :limit`);

/** The newest events that contain the text and match the criteria, and their number. */
export async function searchText(db: Database, search: Search): Promise<Found> {
  const source = sourceFor(db, search);
  const ids: number[] = [];
  let matches = 0;
  for await (const slice of slices(source, NEWEST, search)) {
    matches += slice.matches;
    ids.push(...slice.ids);
    if (matches > COUNTED) return { ids: await newest(db, search, ids), total: undefined };
  }
  return { ids: ids.filter((id) => id <= search.from).slice(0, search.limit), total: ids.length };
}

/** A page of too many matches to count: from those counted already, or from where the page starts. */
async function newest(db: Database, search: Search, counted: number[]): Promise<number[]> {
  const { criteria, from, limit } = search;
  const ids = counted.filter((id) => id <= from);
  if (ids.length >= limit) return ids.slice(0, limit);
  const page: number[] = [];
  for await (const slice of slices(byCriteria(db, search, criteria), from, search)) {
    page.push(...slice.ids);
    if (page.length >= limit) break;
  }
  return page.slice(0, limit);
}

/**
 * The source of candidates: the events that match the criteria if there are few, those that contain the trigrams, or all visible
 * events. The choice must not reveal what is hidden: the last two yield the same counts.
 */
function sourceFor(db: Database, search: Search): Source {
  const { text, criteria } = search;
  if (!mayOccur(text)) return () => EMPTY;
  if (countMatches(db, criteria) <= COUNTED) return byCriteria(db, search, criteria);
  const visible = byCriteria(db, search, { ...toCriteria({ hidden: [] }), hidden: criteria.hidden });
  const match = [...text].length >= 3 ? trigramsOf(text) : anyTrigram(db, text, visible);
  if (match === undefined) return visible;
  return match === "" ? () => EMPTY : byMatch(db, search, match);
}

const EMPTY: Slice = { candidates: 0, oldest: null, matches: 0, ids: [] };

/** No event text contains these: columns refuse them, and JSON escapes them. */
const mayOccur = (text: string) => text.isWellFormed() && !text.includes("\0");

function isCommon(source: Source) {
  const { candidates, matches } = source(NEWEST);
  return matches >= candidates * COMMON;
}

/** The trigrams that begin with a shorter text, as the tokenizer spells them. */
const trigrams = (db: Database, text: string, limit: number): string[] =>
  trigramsFrom(db).all({ text: text.replace(/[\uFFFE\uFFFF]/g, "\uFFFD"), limit });

/** Any of the trigrams that begin with a short text; `""` if there are none, undefined if they would be no use. */
function anyTrigram(db: Database, text: string, visible: Source): string | undefined {
  if (trigrams(db, text, 1).length === 0) return "";
  if (isCommon(visible)) return undefined;
  const any = trigrams(db, text, MAX_TRIGRAMS.any + 1);
  return any.length > MAX_TRIGRAMS.any ? undefined : any.map(quoted).join(" OR ");
}

/**
 * Trigrams that cover the text side by side; only some if it is long, since more would cost more time than they save.
 */
function trigramsOf(text: string) {
  const characters = [...text];
  const step = Math.max(3, Math.ceil(characters.length / MAX_TRIGRAMS.all));
  const last = characters.length - 3;
  const starts = characters.map((_, index) => index).filter((index) => index < last && index % step === 0);
  const trigrams = [...starts, last].map((start) => characters.slice(start, start + 3).join(""));
  return [...new Set(trigrams)].map(quoted).join(" AND ");
}

const quoted = (trigram: string) => `"${trigram.replaceAll('"', '""')}"`;

const byMatch =
  (db: Database, { text, criteria }: Search, match: string): Source =>
  (last) =>
    toSlice(sliceByMatch(db).get({ ...criteria, last, limit: SLICE, match, text })!);

/** The events that match criteria, possibly wider than the search's. */
const byCriteria =
  (db: Database, { text, criteria }: Search, wider: Criteria): Source =>
  (last) => {
    const ids = JSON.stringify(matchingIds(db, { ...wider, last }, { offset: 0, limit: SLICE }));
    return toSlice(sliceById(db).get({ ...criteria, last, limit: SLICE, text, ids })!);
  };

async function* slices(
  source: Source,
  from: bigint,
  { signal }: Search,
): AsyncGenerator<Pick<Slice, "matches" | "ids">> {
  for (let last = from; ; ) {
    const { candidates, oldest, matches, ids } = source(last);
    yield { matches, ids };
    if (candidates < SLICE || signal.aborted) return;
    last = BigInt(oldest! - 1);
    await nextTurn();
  }
}
