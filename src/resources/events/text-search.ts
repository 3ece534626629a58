import { setImmediate } from "node:timers/promises";
import { type Database, statement } from "../../db/statement.ts";
import { type Bind, countEvents, type EventFilter, eventIds, isFiltered, toBind } from "./store.ts";

/*
 * Free text is a substring of the event's type, of its creator, or of the JSON text of its data, upper and lower
 * case alike, every character literal (CONTRACT, event search). An index of trigrams narrows the log down to
 * candidates and `instr` confirms each. The log may hold millions of events, so the work is done in slices of a
 * few milliseconds, between which other requests are served.
 */

/** More matches than this are not counted: the total is left out (CONTRACT, event search). */
const COUNTED = 10_000;
/** Candidates of one slice. */
const SLICE = 1000;
/** How many trigrams one match may name. */
const MATCHED = { all: 12, any: 400 };
/** A text shorter than a trigram is common if it is in this part of the newest events. */
const COMMON = 0.2;

/** Text as it is indexed and searched: upper case, since a lower-case letter can depend on its neighbours. */
export const fold = (text: string) => text.normalize("NFC").toUpperCase();

interface Search {
  filter: EventFilter;
  /** Folded. */
  text: string;
  /** The newest id that is wanted. */
  from: number;
  limit: number;
}

interface Found {
  /** The newest, newest first. */
  ids: number[];
  /** How many there are in all; undefined if the text matches more than are counted. */
  total: number | undefined;
}

/** Some candidates, and what is among them. */
interface Slice {
  /** Fewer than `SLICE` only when there are no more. */
  candidates: number;
  /** The id of the oldest; null if there is none. */
  oldest: number | null;
  /** How many hold the text. */
  matches: number;
  /** Those that pass the filter, too, newest first. */
  ids: number[];
}

/** The newest candidates that are no newer than an id. */
type Source = (from: number) => Slice;

type SliceRow = Omit<Slice, "ids"> & { ids: string };

const toSlice = (row: SliceRow): Slice => ({ ...row, ids: JSON.parse(row.ids) });

/** One row of a slice of candidates, which would be a thousand. */
const sliceOf = (candidates: string) => `
  SELECT count(*) AS candidates, min(id) AS oldest, ifnull(sum(isMatch), 0) AS matches,
    json_group_array(id ORDER BY id DESC) FILTER (WHERE isMatch AND isWanted) AS ids
  FROM (${candidates})`;

const IS_MATCH = `(instr(event_searches.type, :text) OR instr(created_by, :text) OR instr(data, :text)) <> 0`;

interface Match extends Bind {
  match: string;
  text: string;
}

const sliceByMatch = statement<Match, SliceRow>(
  sliceOf(`
  SELECT rowid AS id, ${IS_MATCH} AS isMatch,
    (:hidden = '[]' AND coalesce(:type, :project, :feature) IS NULL) OR EXISTS (
      SELECT 1 FROM events
      WHERE events.id = event_searches.rowid
        AND (:type IS NULL OR events.type = :type) AND (:project IS NULL OR events.project = :project)
        AND (:feature IS NULL OR events.feature_name = :feature)
        AND ifnull(events.project, '') NOT IN (SELECT value FROM json_each(:hidden))
    ) AS isWanted
  FROM event_searches
  WHERE event_searches MATCH :match AND rowid <= :from ORDER BY rowid DESC LIMIT :limit`),
);

const sliceById = statement<{ ids: string; text: string }, SliceRow>(
  sliceOf(`
  SELECT event_searches.rowid AS id, ${IS_MATCH} AS isMatch, 1 AS isWanted
  FROM json_each(:ids) CROSS JOIN event_searches ON event_searches.rowid = json_each.value`),
);

const trigramsFrom = statement<{ text: string; limit: number }, string>(`
  SELECT term FROM event_trigrams
  WHERE term >= :text AND term <= :text || char(0x10FFFF, 0x10FFFF) LIMIT :limit`);

/** The newest events that hold the text and pass the filter, and how many do. */
export async function searchText(db: Database, search: Search): Promise<Found> {
  const source = sourceFor(db, search);
  const ids: number[] = [];
  let matches = 0;
  for await (const slice of slices(source, Number.POSITIVE_INFINITY)) {
    matches += slice.matches;
    ids.push(...slice.ids);
    if (matches > COUNTED) return { ids: await newest(db, search, source, ids), total: undefined };
  }
  return { ids: ids.filter((id) => id <= search.from).slice(0, search.limit), total: ids.length };
}

/** One page of too many: among those counted already, or from where it starts. */
async function newest(db: Database, search: Search, source: Source, counted: number[]): Promise<number[]> {
  const ids = counted.filter((id) => id <= search.from);
  if (ids.length >= search.limit) return ids.slice(0, search.limit);
  const page: number[] = [];
  for await (const slice of slices(isFiltered(search.filter) ? byFilter(db, search) : source, search.from)) {
    page.push(...slice.ids);
    if (page.length >= search.limit) break;
  }
  return page.slice(0, search.limit);
}

/** Where candidates come from, whichever is shorter: the events of the filter, or those that hold the trigrams. */
function sourceFor(db: Database, search: Search): Source {
  const { text, filter } = search;
  if (!mayOccur(text)) return () => NOTHING;
  const filtered = byFilter(db, search);
  const count = countEvents(db, filter);
  if (count <= SLICE) return filtered;
  const match = [...text].length >= 3 ? ownTrigrams(text) : anyTrigram(db, text, filtered);
  if (match === undefined) return filtered;
  if (match === "") return () => NOTHING;
  const matching = byMatch(db, search, match);
  return count <= COUNTED && matching(Number.POSITIVE_INFINITY).candidates === SLICE ? filtered : matching;
}

const NOTHING: Slice = { candidates: 0, oldest: null, matches: 0, ids: [] };

/** No text of an event holds these: columns refuse them, and JSON text writes them as escapes. */
const mayOccur = (text: string) => text.isWellFormed() && !text.includes("\0");

function isCommon(source: Source) {
  const { candidates, matches } = source(Number.POSITIVE_INFINITY);
  return matches >= candidates * COMMON;
}

/** The trigrams that begin with a shorter text, in the tokenizer's spelling. */
const trigrams = (db: Database, text: string, limit: number): string[] =>
  trigramsFrom(db)
    .pluck()
    .all({ text: text.replace(/[\uFFFE\uFFFF]/g, "\uFFFD"), limit });

/** Any trigram that begins with a text shorter than one; `""` if none does, undefined if that narrows nothing. */
function anyTrigram(db: Database, text: string, filtered: Source): string | undefined {
  if (trigrams(db, text, 1).length === 0) return "";
  if (isCommon(filtered)) return undefined;
  const any = trigrams(db, text, MATCHED.any + 1);
  return any.length > MATCHED.any ? undefined : any.map(quoted).join(" OR ");
}

/** Trigrams that cover the text side by side; some of them if it is long. Each more would cost more than it spares. */
function ownTrigrams(text: string) {
  const characters = [...text];
  const step = Math.max(3, Math.ceil(characters.length / MATCHED.all));
  const last = characters.length - 3;
  const starts = characters.map((_, index) => index).filter((index) => index < last && index % step === 0);
  const trigrams = [...starts, last].map((start) => characters.slice(start, start + 3).join(""));
  return [...new Set(trigrams)].map(quoted).join(" AND ");
}

const quoted = (trigram: string) => `"${trigram.replaceAll('"', '""')}"`;

const byMatch =
  (db: Database, { text, filter }: Search, match: string): Source =>
  (from) =>
    toSlice(sliceByMatch(db).get({ ...toBind(filter, { from, limit: SLICE }), match, text })!);

const byFilter =
  (db: Database, { text, filter }: Search): Source =>
  (from) =>
    toSlice(sliceById(db).get({ text, ids: JSON.stringify(eventIds(db, filter, { from, limit: SLICE })) })!);

async function* slices(source: Source, from: number): AsyncGenerator<Slice> {
  let slice = source(from);
  yield slice;
  while (slice.candidates === SLICE) {
    await setImmediate();
    slice = source(slice.oldest! - 1);
    yield slice;
  }
}
