import { SYSTEM_USER_ID } from "../../access/actor.ts";
import { fold } from "../../lib/text.ts";
import { STAGE } from "./columns.ts";
import type { Choice, CountFilter, Day, FeatureSearch } from "./schema.ts";

/** What a flag has to meet, as SQL for a row of `features` named `flag`. */
export interface Criterion {
  sql: string;
  /** The values of the SQL's parameters. */
  bind: object;
}

export const criteriaOf = (search: FeatureSearch, hidden: readonly string[]): Criterion[] =>
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
        sql: `EXISTS (WITH word (text) AS MATERIALIZED (SELECT value FROM json_each(:words))
          SELECT 1 FROM word WHERE instr(folded, text))`,
        bind: { words: JSON.stringify(words.map(fold)) },
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
