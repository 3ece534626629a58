import { SYSTEM_USER_ID } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { composedQuery } from "../db/statement.ts";
import { fold } from "../lib/text.ts";
import type { Choice, CountFilter, Day, FeatureSearch } from "./feature-search-schema.ts";
import { LATEST_FIRST } from "./lifecycle.ts";

/*
 * A search reads every flag, unless it is for those with a tag or a segment: no index covers substrings or every
 * criterion. That takes a few milliseconds for 5,000 flags, as the statement contains only what was asked for.
 */

/** The names on a page, and the total number of matches. */
export function matches(
  db: Database,
  search: FeatureSearch,
  userId: number | null,
  hiddenProjects: readonly string[],
): { names: string[]; total: number } {
  const criteria = criteriaOf(search, hiddenProjects);
  // With words, all rows are read: in the order of the table that takes half as long as in that of an index.
  const table = search.query.length > 0 ? "features AS flag NOT INDEXED" : "features AS flag";
  const sql = `FROM ${table} WHERE ${criteria.map((criterion) => criterion.sql).join(" AND ")}`;
  const bind: object = Object.assign({}, ...criteria.map((criterion) => criterion.bind));
  const total = composedQuery<object, number>(db, `SELECT count(*) ${sql}`).pluck().get(bind)!;
  const { offset, limit } = search;
  if (total <= offset) return { names: [], total };
  const order = orderOf(search, userId);
  const page = `SELECT name ${sql} ORDER BY ${order.sql} LIMIT :limit OFFSET :offset`;
  const names = composedQuery<object, string>(db, page).pluck();
  return { names: names.all({ ...bind, ...order.bind, offset, limit }), total };
}

/** What a flag has to meet, as SQL for a row of `features` named `flag`. */
interface Criterion {
  sql: string;
  /** The values of the SQL's parameters. */
  bind: object;
}

/** The stage a flag entered last. */
const STAGE = `(SELECT stage FROM feature_stages WHERE feature = flag.name ORDER BY ${LATEST_FIRST} LIMIT 1)`;

const criteriaOf = (search: FeatureSearch, hidden: readonly string[]): Criterion[] =>
  [
    isArchived(search),
    isVisible(hidden),
    isAmong("project", "flag.project", search.project),
    isAmong("type", "flag.type", search.type),
    isAmong("createdBy", `ifnull(created_by_user_id, ${SYSTEM_USER_ID})`, search.createdBy, Number),
    isAmong("state", "stale", search.state, (state) => ["active", "stale"].indexOf(state)),
    isWithin("createdAt", "created_at", search.createdAt),
    isWithin("lastSeenAt", "flag.seen_at", search.lastSeenAt),
    hasCount("tag", WITH_TAG, search.tag),
    hasCount("segment", WITH_SEGMENT, search.segment),
    hasWord(search.query),
    hasStatus(search.status),
    isAmong("lifecycle", `ifnull(${STAGE}, '')`, search.lifecycle),
  ].filter((criterion) => criterion !== undefined);

const isArchived = ({ archived }: FeatureSearch): Criterion => ({
  sql: archived === "IS:true" || archived === "true" ? "archived_at IS NOT NULL" : "archived_at IS NULL",
  bind: {},
});

const isVisible = (hidden: readonly string[]): Criterion | undefined =>
  hidden.length === 0
    ? undefined
    : {
        sql: "flag.project NOT IN (SELECT value FROM json_each(:hidden))",
        bind: { hidden: JSON.stringify(hidden) },
      };

/** The value is one of those listed, or none of them. */
function isAmong(
  name: string,
  value: string,
  choice: Choice,
  convert: (value: string) => string | number = String,
): Criterion | undefined {
  if (!choice) return undefined;
  const isWanted = choice.operator === "IS" || choice.operator === "IS_ANY_OF";
  return {
    sql: `${value} ${isWanted ? "IN" : "NOT IN"} (SELECT value FROM json_each(:${name}))`,
    bind: { [name]: JSON.stringify(choice.values.map(convert)) },
  };
}

function isWithin(name: string, time: string, day: Day): Criterion | undefined {
  if (!day) return undefined;
  const operator = day.operator === "IS_BEFORE" ? "<" : ">=";
  return { sql: `${time} ${operator} :${name}`, bind: { [name]: day.values.join() } };
}

/** The flags with a tag, such as `team:shop`. A type with a colon makes several readings possible. */
const WITH_TAG = `json_each(:tag) AS wanted
  CROSS JOIN tag_types AS kind ON substr(wanted.value, 1, length(kind.name) + 1) = kind.name || ':'
  CROSS JOIN feature_tags AS tag
    ON tag.type = kind.name AND tag.value = substr(wanted.value, length(kind.name) + 2)`;

/** The flags with a segment, once for each strategy that uses it. */
const WITH_SEGMENT = `json_each(:segment) AS wanted
  CROSS JOIN segments ON segments.name = wanted.value
  CROSS JOIN strategy_segments ON segment = segments.id
  CROSS JOIN strategies ON strategies.id = strategy`;

/** Has any, or all, of the values; or not. */
function hasCount(name: string, having: string, filter: CountFilter): Criterion | undefined {
  if (!filter) return undefined;
  const values = [...new Set(filter.values)];
  const isExcluded = /^(DO_NOT_INCLUDE|EXCLUDE)/.test(filter.operator);
  const needed = filter.operator.endsWith("_ALL") || filter.operator.endsWith("_ALL_OF") ? values.length : 1;
  return {
    sql: `flag.name ${isExcluded ? "NOT IN" : "IN"} (SELECT feature FROM ${having}
      GROUP BY feature HAVING count(DISTINCT wanted.value) >= :${name}Count)`,
    bind: { [name]: JSON.stringify(values), [`${name}Count`]: needed },
  };
}

/** The name or the description contains one of the words, in any letter case. */
const hasWord = (words: readonly string[]): Criterion | undefined =>
  words.length === 0
    ? undefined
    : {
        sql: `(${words.map((_, index) => `instr(folded, :word${index})`).join(" OR ")})`,
        bind: Object.fromEntries(words.map((word, index) => [`word${index}`, fold(word)])),
      };

/** Is on in one of the environments, or off; in any other than those of its project it is neither. */
const hasStatus = (statuses: FeatureSearch["status"]): Criterion | undefined =>
  statuses.length === 0
    ? undefined
    : {
        sql: `EXISTS (
          WITH wanted (project, environment, enabled) AS MATERIALIZED (
            SELECT project, environment, value ->> 'enabled' FROM json_each(:statuses)
            CROSS JOIN project_environments ON environment = value ->> 'environment')
          SELECT 1 FROM wanted WHERE wanted.project = flag.project AND wanted.enabled = EXISTS (
            SELECT 1 FROM feature_environments AS state
            WHERE feature = flag.name AND state.environment = wanted.environment AND state.enabled))`,
        bind: { statuses: JSON.stringify(statuses) },
      };

const KEYS = new Map<string, string>([
  ["name", "name"],
  ["type", "flag.type"],
  ["project", "flag.project"],
  ["stale", "stale"],
  ["archivedAt", "archived_at"],
  ["lastSeenAt", "flag.seen_at"],
  ["lifecycle", STAGE],
  ["environment", "NULL"],
]);

/** Whether it is on in the environment; null if its project doesn't have that. */
const IS_ON = `(SELECT ifnull(enabled, 0) FROM project_environments AS place
  LEFT JOIN feature_environments AS state ON feature = flag.name AND state.environment = place.environment
  WHERE place.project = flag.project AND place.environment = :sortEnvironment)`;

/** Favorites first, then by key, age and name; null comes last. Age alone is sorted together with the name. */
function orderOf({ sortBy, sortOrder, favoritesFirst }: FeatureSearch, userId: number | null): Criterion {
  const [, environment] = /^environment:(.+)$/s.exec(sortBy) ?? [];
  const key = environment === undefined ? KEYS.get(sortBy) : IS_ON;
  const direction = sortOrder === "desc" ? "DESC" : "ASC";
  const byKey = key
    ? `${key} ${direction} NULLS LAST, created_at, name`
    : `created_at ${direction}, name ${direction}`;
  const byFavorite =
    favoritesFirst === "true"
      ? "EXISTS (SELECT 1 FROM feature_favorites WHERE feature = name AND user_id = :userId) DESC, "
      : "";
  return { sql: byFavorite + byKey, bind: { sortEnvironment: environment, userId } };
}
