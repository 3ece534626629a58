import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";

/*
 * Events by type, project, flag and author. Indexes have the events of each type, project, and pair of them, and of each
 * author, in order; `event_totals` lists the pairs. The newest of each group are merged.
 */

/** What events must match, as parameters; null matches all. Lists are JSON. */
export interface Criteria {
  types: string | null;
  projects: string | null;
  features: string | null;
  creators: string | null;
  /** Projects that are left out; "" stands for events without a project. */
  hidden: string;
  /** The oldest and the newest id that can match. */
  first: bigint;
  last: bigint;
}

/** Beyond the newest id. A number would be bound as a float, which not every index can compare with. */
export const NEWEST = BigInt(Number.MAX_SAFE_INTEGER);

interface Lists extends Partial<Record<"type" | "project" | "feature", readonly string[] | undefined>> {
  createdBy?: readonly number[] | undefined;
  hidden: readonly string[];
}

/** Those of all times. */
export const toCriteria = ({ type, project, feature, createdBy, hidden }: Lists): Criteria => ({
  types: toList(type),
  projects: toList(project),
  features: toList(feature),
  creators: toList(createdBy),
  hidden: JSON.stringify(hidden),
  first: 0n,
  last: NEWEST,
});

const toList = (values: readonly unknown[] | undefined) => (values ? JSON.stringify(values) : null);

const isAmong = (value: string, list: string) =>
  `(:${list} IS NULL OR ${value} IN (SELECT value FROM json_each(:${list})))`;

/** SQL: whether a row of `events` matches. */
export const MATCHES = `events.id BETWEEN :first AND :last
  AND ${isAmong("events.type", "types")}
  AND ${isAmong("events.project", "projects")}
  AND ${isAmong("events.feature_name", "features")}
  AND ${isAmong("events.wire ->> 'createdByUserId'", "creators")}
  AND ifnull(events.project, '') NOT IN (SELECT value FROM json_each(:hidden))`;

interface Page {
  offset: number;
  limit: number;
}

/** The ids of the events that match, newest first. */
export function matchingIds(db: Database, criteria: Criteria, page: Page): number[] {
  const bind = { ...criteria, ...page };
  if (isSearch(criteria)) return sourceOf(criteria).ids(db).all(bind);
  const ids = visible(db).all(bind);
  return ids.length === page.limit || criteria.hidden === "[]" ? ids : ofProjects.ids(db).all(bind);
}

/** The exact number of events that match. */
export function countMatches(db: Database, criteria: Criteria): number {
  const { features, creators, first, last } = criteria;
  const hasStoredTotal = (features ?? creators) === null && first === 0n && last === NEWEST;
  const count = hasStoredTotal ? totalOfPairs(db) : sourceOf(criteria).count(db);
  return count.get(criteria)!;
}

const isSearch = ({ types, projects, features, creators }: Criteria) =>
  (types ?? projects ?? features ?? creators) !== null;

function sourceOf({ types, projects, features, creators }: Criteria) {
  if (features !== null) return ofFeatures;
  if (creators !== null) return ofCreators;
  if (types !== null) return projects === null ? ofTypes : ofPairs;
  return isSingle(projects) ? ofProject : ofProjects;
}

const isSingle = (list: string | null) => list !== null && JSON.parse(list).length === 1;

// If there is nothing to search for, enough of the newest events are usually visible.
const visible = valueQuery<Criteria & Page, number>(`
  SELECT id FROM (
    SELECT id, project FROM events WHERE id BETWEEN :first AND :last
    ORDER BY id DESC LIMIT (:offset + :limit) * iif(:hidden = '[]', 1, 4))
  WHERE ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY id DESC LIMIT :limit OFFSET :offset`);

const FROM_PAIRS = `event_totals
  WHERE ${isAmong("event_totals.type", "types")} AND ${isAmong("project", "projects")}
    AND project NOT IN (SELECT value FROM json_each(:hidden))`;

const totalOfPairs = valueQuery<Criteria, number>(`SELECT ifnull(sum(count), 0) FROM ${FROM_PAIRS}`);

const merged = (groups: string, index: string, ofGroup: string) => {
  const fromGroup = `FROM events AS one INDEXED BY ${index} WHERE ${ofGroup} AND one.id BETWEEN :first AND :last`;
  return {
    ids: valueQuery<Criteria & Page, number>(`
      SELECT events.id
      FROM (${groups}) AS groups CROSS JOIN events ON events.id IN (
        SELECT one.id ${fromGroup} ORDER BY one.id DESC LIMIT :offset + :limit)
      ORDER BY events.id DESC LIMIT :limit OFFSET :offset`),
    count: valueQuery<Criteria, number>(`
      SELECT ifnull(sum((SELECT count(*) ${fromGroup})), 0) FROM (${groups}) AS groups`),
  };
};

const OF_PROJECT = "one.project IS nullif(groups.project, '')";

const ofProjects = merged(`SELECT DISTINCT project FROM ${FROM_PAIRS}`, "events_by_project", OF_PROJECT);

const ofTypes = merged(
  `SELECT DISTINCT value AS type FROM json_each(:types)`,
  "events_by_type",
  `one.type = groups.type AND ifnull(one.project, '') NOT IN (SELECT value FROM json_each(:hidden))`,
);

const ofPairs = merged(
  `SELECT type, project FROM ${FROM_PAIRS}`,
  "events_by_type_and_project",
  `one.type = groups.type AND ${OF_PROJECT}`,
);

const ofCreators = merged(
  `SELECT DISTINCT event_totals.type, event_totals.project, creators.value AS creator
   FROM json_each(:creators) AS creators CROSS JOIN ${FROM_PAIRS}`,
  "events_by_creator",
  `one.wire ->> 'createdByUserId' = groups.creator AND one.type = groups.type AND ${OF_PROJECT}`,
);

// There is nothing to merge, and a project's list may be long.
const FROM_PROJECT = `events
  WHERE project = :projects ->> 0 AND id BETWEEN :first AND :last
    AND project NOT IN (SELECT value FROM json_each(:hidden))`;

const ofProject = {
  ids: valueQuery<Criteria & Page, number>(`
    SELECT id FROM ${FROM_PROJECT} ORDER BY id DESC LIMIT :limit OFFSET :offset`),
  count: valueQuery<Criteria, number>(`SELECT count(*) FROM ${FROM_PROJECT}`),
};

const FROM_FEATURES = `events
  WHERE feature_name IN (SELECT value FROM json_each(:features)) AND ${MATCHES}`;

// A flag has few events, so they are sorted.
const ofFeatures = {
  ids: valueQuery<Criteria & Page, number>(`
    SELECT id FROM ${FROM_FEATURES} ORDER BY id DESC LIMIT :limit OFFSET :offset`),
  count: valueQuery<Criteria, number>(`SELECT count(*) FROM ${FROM_FEATURES}`),
};
