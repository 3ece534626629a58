import { SYSTEM_USER_ID } from "../../auth/actor.ts";
import type { Choice, CountFilter, Day, FeatureSearch } from "./schema.ts";

/*
 * The criteria of a search, as one condition on a row of `features` that is named `flag`. A missing criterion is null
 * and matches every flag.
 */

/** The value is one of those listed, or none of them. */
const among = (value: string, name: string) =>
  `(:${name} IS NULL OR (${value} IN (SELECT value FROM json_each(:${name}))) = :${name}Wanted)`;

/** The number of listed values that the query finds is within bounds. */
const countWithin = (found: string, name: string) =>
  `(:${name} IS NULL OR (${found} IN (SELECT value FROM json_each(:${name})))
    BETWEEN :${name}Least AND :${name}Most)`;

const within = (time: string, name: string) =>
  `(:${name}Before IS NULL OR ${time} < :${name}Before) AND (:${name}From IS NULL OR ${time} >= :${name}From)`;

export const LAST_SEEN = `(SELECT max(last_seen_at) FROM feature_environments WHERE feature = flag.name)`;

/** The stage a flag entered last; of several at the same moment, the latest in a flag's life. */
const stage = (column: string) => `(SELECT ${column} FROM feature_stages WHERE feature = flag.name
  ORDER BY entered_at DESC, CASE stage WHEN 'initial' THEN 1 WHEN 'pre-live' THEN 2 WHEN 'live' THEN 3
    WHEN 'completed' THEN 4 ELSE 5 END DESC LIMIT 1)`;
export const STAGE = stage("stage");
export const STAGE_AS_JSON = stage(`json_patch(json_object('stage', stage, 'enteredStageAt', entered_at),
  json_object('status', status))`); // a patch omits nulls

export const MATCHES = `(flag.archived_at IS NOT NULL) = :archived
  AND flag.project NOT IN (SELECT value FROM json_each(:hidden))
  AND ${among("flag.project", "project")}
  AND ${among("flag.type", "type")}
  AND ${among(`ifnull(flag.created_by_user_id, ${SYSTEM_USER_ID})`, "createdBy")}
  AND ${among("iif(flag.stale, 'stale', 'active')", "state")}
  AND ${among(`ifnull(${STAGE}, '')`, "lifecycle")}
  AND ${within("flag.created_at", "created")}
  AND (ifnull(:seenBefore, :seenFrom) IS NULL OR ${within(LAST_SEEN, "seen")})
  AND ${countWithin(
    `SELECT count(*) FROM feature_tags WHERE feature = flag.name AND feature_tags.type || ':' || value`,
    "tag",
  )}
  AND ${countWithin(
    `SELECT count(DISTINCT segments.id) FROM strategies
      JOIN strategy_segments ON strategy = strategies.id JOIN segments ON segments.id = segment
      WHERE feature = flag.name AND segments.name`,
    "segment",
  )}
  AND (:status IS NULL OR EXISTS (
    SELECT 1 FROM json_each(:status) AS wanted
    JOIN project_environments AS place
      ON place.project = flag.project AND place.environment = wanted.value ->> 'environment'
    WHERE wanted.value ->> 'enabled' = ifnull((SELECT enabled FROM feature_environments
      WHERE feature = flag.name AND feature_environments.environment = place.environment), 0)))`;

/** Whose search it is. */
export interface Caller {
  userId: number | null;
  hidden: readonly string[];
}

/** The parameters for the condition. */
export const toBind = (search: FeatureSearch, { hidden }: Caller) => ({
  archived: isArchived(search) ? 1 : 0,
  hidden: JSON.stringify(hidden),
  ...choice("project", search.project),
  ...choice("type", search.type),
  ...choice("createdBy", search.createdBy, Number),
  ...choice("state", search.state),
  ...choice("lifecycle", search.lifecycle),
  ...days("created", search.createdAt),
  ...days("seen", search.lastSeenAt),
  ...counts("tag", search.tag),
  ...counts("segment", search.segment),
  status:
    search.status.length === 0
      ? null
      : JSON.stringify(search.status.map((one) => ({ ...one, enabled: one.enabled ? 1 : 0 }))),
});
export type Bind = ReturnType<typeof toBind>;

export const isArchived = ({ archived }: FeatureSearch) => archived === "IS:true" || archived === "true";

/** Whether the listed values are to be included, rather than excluded. */
export const isInclusion = ({ operator }: NonNullable<Choice>) =>
  operator === "IS" || operator === "IS_ANY_OF";

const choice = (name: string, choice: Choice, convert: (value: string) => unknown = String) => ({
  [name]: choice ? JSON.stringify(choice.values.map(convert)) : null,
  [`${name}Wanted`]: choice && isInclusion(choice) ? 1 : 0,
});

const days = (name: string, day: Day) => ({
  [`${name}Before`]: day?.operator === "IS_BEFORE" ? day.values.join() : null,
  [`${name}From`]: day?.operator === "IS_ON_OR_AFTER" ? day.values.join() : null,
});

/** How many of the values must be found, at least and at most. */
const COUNTS: Record<NonNullable<CountFilter>["operator"], (all: number) => [least: number, most: number]> = {
  INCLUDE: (all) => [1, all],
  INCLUDE_ANY_OF: (all) => [1, all],
  INCLUDE_ALL_OF: (all) => [all, all],
  DO_NOT_INCLUDE: () => [0, 0],
  EXCLUDE_IF_ANY_OF: () => [0, 0],
  EXCLUDE_ALL: (all) => [0, all - 1],
};

function counts(name: string, filter: CountFilter) {
  const values = [...new Set(filter?.values)];
  const [least, most] = filter ? COUNTS[filter.operator](values.length) : [0, 0];
  const [text, leastName, mostName] = [filter ? JSON.stringify(values) : null, `${name}Least`, `${name}Most`];
  return { [name]: text, [leastName]: least, [mostName]: most };
}
