import { compare } from "../../db/order.ts";
import { type Database, query } from "../../db/statement.ts";
import { fold } from "../../events/fold.ts";
import { nextTurn } from "../../turn.ts";
import { type Bind, type Caller, isInclusion, LAST_SEEN, MATCHES, STAGE, toBind } from "./filter-store.ts";
import type { FeatureSearch } from "./schema.ts";

/*
 * Any other search examines every candidate, since no index covers substrings or every criterion. There may be a
 * hundred thousand flags, so the work is done in slices of a few milliseconds, between which other requests get a turn,
 * and only the requested page and those before it are kept.
 */

/** The number of flags in one slice. */
const SLICE = 1000;

/** The sort order of a page; without a user, no flag is a favorite. */
interface Sort {
  sortBy: string;
  environment: string | null;
  favoritesOf: number | null;
  isText: 0 | 1;
}

/** The sort key; null comes last. */
const KEY = `CASE :sortBy WHEN 'name' THEN flag.name WHEN 'type' THEN flag.type
  WHEN 'project' THEN flag.project WHEN 'stale' THEN flag.stale
  WHEN 'archivedAt' THEN flag.archived_at WHEN 'lastSeenAt' THEN ${LAST_SEEN} WHEN 'lifecycle' THEN ${STAGE}
  WHEN 'environment' THEN (SELECT ifnull(enabled, 0) FROM project_environments AS place
    LEFT JOIN feature_environments ON feature = flag.name AND feature_environments.environment = place.environment
    WHERE place.project = flag.project AND place.environment = :environment)
  ELSE flag.created_at END`;

const sliceOf = (condition: string) => `
  SELECT count(*) AS examined, max(name) AS last, json_group_array(json_array(name,
      EXISTS (SELECT 1 FROM feature_favorites WHERE feature = flag.name AND user_id = :favoritesOf),
      ${KEY}, created_at, iif(:isText, ifnull(description, ''), ''))) FILTER (WHERE ${MATCHES}) AS found
  FROM (SELECT name, project, type, description, stale, created_at, created_by_user_id, archived_at FROM features
    WHERE ${condition} ORDER BY name LIMIT ${SLICE}) AS flag`;

interface SliceRow {
  examined: number;
  last: string | null;
  found: string;
}

type SliceBind = Bind & Sort & { after: string };

const ofAll = query<SliceBind, SliceRow>(sliceOf(`name > :after`));

const ofProject = query<SliceBind & { within: string }, SliceRow>(
  sliceOf(`project = :within AND name > :after`),
);

/** A flag that matches, and its sort key. */
type Candidate = [
  name: string,
  favorite: 0 | 1,
  key: string | number | null,
  createdAt: string,
  description: string,
];

/** The names on a page, and the total number of matches. */
export interface Found {
  names: string[];
  total: number;
}

/** Examines every flag; returns early once the client has disconnected. */
export async function searchAll(
  db: Database,
  search: FeatureSearch,
  caller: Caller,
  signal: AbortSignal,
): Promise<Found> {
  const isFound = toCondition(search);
  const needed = search.offset + search.limit;
  let total = 0;
  let best: Candidate[] = [];
  for await (const slice of slices(db, search, caller, signal)) {
    const found = slice.filter(isFound);
    total += found.length;
    best.push(...found);
    if (best.length > 2 * needed + SLICE) best = sorted(best, search).slice(0, needed);
  }
  return {
    names: sorted(best, search)
      .slice(search.offset, needed)
      .map(([name]) => name),
    total,
  };
}

/** Matches if the name or the description contains one of the words, in any letter case. */
function toCondition({ query }: FeatureSearch) {
  if (query.length === 0) return () => true;
  const words = query.map(fold);
  const isIn = (text: string) => {
    const folded = fold(text);
    return words.some((word) => folded.includes(word));
  };
  return ([name, , , , description]: Candidate) => isIn(name) || isIn(description);
}

async function* slices(
  db: Database,
  search: FeatureSearch,
  caller: Caller,
  signal: AbortSignal,
): AsyncGenerator<Candidate[]> {
  const bind = { ...toBind(search, caller), ...toSort(search, caller) };
  for (const within of projectsOf(search)) {
    for (let after = ""; ; ) {
      const read =
        within === null ? ofAll(db).get({ ...bind, after }) : ofProject(db).get({ ...bind, within, after });
      const { examined, last, found } = read!;
      yield JSON.parse(found);
      await nextTurn();
      if (signal.aborted) return;
      if (examined < SLICE) break;
      after = last!;
    }
  }
}

/** The projects to search; null for all. */
const projectsOf = ({ project }: FeatureSearch): ReadonlyArray<string | null> =>
  project && isInclusion(project) ? [...new Set(project.values)] : [null];

function toSort({ sortBy, favoritesFirst, query }: FeatureSearch, { userId }: Caller): Sort {
  const [, environment = null] = /^environment:(.+)$/s.exec(sortBy) ?? [];
  return {
    sortBy: environment === null ? sortBy : "environment",
    environment,
    favoritesOf: favoritesFirst === "true" ? userId : null,
    isText: query.length > 0 ? 1 : 0,
  };
}

/** Favorites first, then by key, age and name; age alone follows the sort order too, as in the index. */
function sorted(found: Candidate[], { sortOrder }: FeatureSearch): Candidate[] {
  const sign = sortOrder === "desc" ? -1 : 1;
  return found.sort(
    ([name, favorite, key, createdAt], [otherName, otherFavorite, otherKey, otherCreatedAt]) =>
      otherFavorite - favorite ||
      Number(key === null) - Number(otherKey === null) ||
      sign * compare(key ?? 0, otherKey ?? 0) ||
      compare(createdAt, otherCreatedAt) ||
      (key === createdAt ? sign : 1) * compare(name, otherName),
  );
}
