import { type Database, query } from "../../db/statement.ts";
import { type Caller, isArchived } from "./filter-store.ts";
import type { FeatureSearch } from "./schema.ts";
import type { Found } from "./slice-store.ts";

/*
 * The most common searches: all flags, or those of one project, by age. An index has them in that order, so that only
 * the rows of one page are read, and the total is counted without reading rows.
 */

interface Bind {
  project: string | null;
  hidden: string;
  favoritesOf: number | null;
}

type PageBind = Bind & { limit: number; offset: number };

const ALL = `features INDEXED BY live_features WHERE archived_at IS NULL AND created_at > ''
  AND project NOT IN (SELECT value FROM json_each(:hidden))`;

const OF_PROJECT = `features INDEXED BY live_features_by_project
  WHERE archived_at IS NULL AND project = :project AND project NOT IN (SELECT value FROM json_each(:hidden))`;

const IS_OTHER = `name NOT IN (SELECT feature FROM feature_favorites WHERE user_id = :favoritesOf)`;

const statements = (from: string) => ({
  asc: query<PageBind, string>(`
    SELECT name FROM ${from} AND ${IS_OTHER} ORDER BY created_at, name LIMIT :limit OFFSET :offset`),
  desc: query<PageBind, string>(`
    SELECT name FROM ${from} AND ${IS_OTHER} ORDER BY created_at DESC, name DESC LIMIT :limit OFFSET :offset`),
  count: query<Bind, number>(`SELECT count(*) FROM ${from}`),
});

const ofAll = statements(ALL);
const ofProject = statements(OF_PROJECT);

const favorites = query<Bind, string>(`
  SELECT name FROM feature_favorites CROSS JOIN features ON name = feature
  WHERE user_id = :favoritesOf AND archived_at IS NULL AND (:project IS NULL OR project = :project)
    AND project NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY created_at, name`);

/** Whether an index alone can serve the search. */
export function isPlain(search: FeatureSearch): boolean {
  const { project, query, status, sortBy, sortOrder, favoritesFirst, offset, limit, archived, ...others } =
    search;
  return (
    sortBy === "createdAt" &&
    !isArchived(search) &&
    (project === undefined || (project.operator === "IS" && project.values.length === 1)) &&
    [query, status].every((list) => list.length === 0) &&
    Object.values(others).every((criterion) => criterion === undefined)
  );
}

/** A page read through an index. */
export function plainSearch(db: Database, search: FeatureSearch, { userId, hidden }: Caller): Found {
  const { offset, limit, sortOrder } = search;
  const project = search.project?.values[0] ?? null;
  const favoritesOf = search.favoritesFirst === "true" ? userId : null;
  const bind = { project, hidden: JSON.stringify(hidden), favoritesOf };
  const from = project === null ? ofAll : ofProject;
  const first = favorites(db).pluck().all(bind);
  if (sortOrder === "desc") first.reverse();
  const favoritesOnPage = first.slice(offset, offset + limit);
  const rest = { limit: limit - favoritesOnPage.length, offset: Math.max(0, offset - first.length) };
  const others = from[sortOrder](db)
    .pluck()
    .all({ ...bind, ...rest });
  return { names: [...favoritesOnPage, ...others], total: from.count(db).pluck().get(bind)! };
}
