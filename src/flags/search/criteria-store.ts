import { type Database, query } from "../../db/statement.ts";
import { fold } from "../../events/fold.ts";
import { type Flag, lettersOf } from "./flags-store.ts";
import { projectsWith } from "./places-store.ts";
import type { Choice, CountFilter, Day, FeatureSearch } from "./schema.ts";

/** Whether a flag meets one criterion of a search. */
export interface Criterion {
  (flag: Flag): boolean;
  /** If it is known which flags may meet it, their names. */
  names?: readonly string[];
}

/** What a flag has to meet; first the criteria that few flags do. */
export const criteriaOf = (db: Database, search: FeatureSearch, hidden: readonly string[]): Criterion[] =>
  [
    hasWord(search.query),
    isAmong(search.project, ({ project }) => project),
    isAmong(search.type, ({ type }) => type),
    isAmong(search.createdBy, ({ createdBy }) => createdBy, Number),
    isAmong(
      search.state,
      ({ stale }) => stale,
      (state) => ["active", "stale"].indexOf(state),
    ),
    isAmong(search.lifecycle, ({ stage }) => stage ?? ""),
    isWithin(search.createdAt, ({ createdAt }) => createdAt),
    isWithin(search.lastSeenAt, ({ lastSeenAt }) => lastSeenAt),
    hasCount(db, search.tag, namesWithTag),
    hasCount(db, search.segment, namesWithSegment),
    hasStatus(db, search.status),
    isVisible(hidden),
    isArchived(search),
  ].filter((criterion) => criterion !== undefined);

/** The name or the description contains one of the words, in any letter case. */
function hasWord(words: readonly string[]): Criterion | undefined {
  if (words.length === 0) return undefined;
  const wanted = words.map(fold).map((word) => ({ word, letters: lettersOf(word) }));
  return (flag) =>
    wanted.some(({ word, letters }) => (flag.letters & letters) === letters && flag.text.includes(word));
}

/** The value is one of those listed, or none of them. */
function isAmong<T>(
  choice: Choice,
  valueIn: (flag: Flag) => T | string,
  convert: (value: string) => T | string = String,
): Criterion | undefined {
  if (!choice) return undefined;
  const values = new Set(choice.values.map(convert));
  const isWanted = choice.operator === "IS" || choice.operator === "IS_ANY_OF";
  return (flag) => values.has(valueIn(flag)) === isWanted;
}

function isWithin(day: Day, timeOf: (flag: Flag) => string | null): Criterion | undefined {
  if (!day) return undefined;
  const [start, isBefore] = [day.values.join(), day.operator === "IS_BEFORE"];
  return (flag) => {
    const time = timeOf(flag);
    return time !== null && time < start === isBefore;
  };
}

type NamesWith = ReturnType<typeof query<{ value: string }, string>>;

/** The names of the flags with a tag, such as `team:shop`. A type with a colon makes several readings possible. */
const namesWithTag: NamesWith = query(`
  SELECT json_group_array(feature) FROM tag_types CROSS JOIN feature_tags
    ON type = name AND feature_tags.value = substr(:value, length(name) + 2)
  WHERE substr(:value, 1, length(name) + 1) = name || ':'`);

/** The names of the flags with a segment, once for each strategy that uses it. */
const namesWithSegment: NamesWith = query(`
  SELECT json_group_array(feature) FROM segments JOIN strategy_segments ON segment = segments.id
    JOIN strategies ON strategies.id = strategy
  WHERE segments.name = :value`);

/** How many of the values must be found, at least and at most. */
const COUNTS: Record<NonNullable<CountFilter>["operator"], (all: number) => [least: number, most: number]> = {
  INCLUDE: (all) => [1, all],
  INCLUDE_ANY_OF: (all) => [1, all],
  INCLUDE_ALL_OF: (all) => [all, all],
  DO_NOT_INCLUDE: () => [0, 0],
  EXCLUDE_IF_ANY_OF: () => [0, 0],
  EXCLUDE_ALL: (all) => [0, all - 1],
};

function hasCount(db: Database, filter: CountFilter, namesWith: NamesWith): Criterion | undefined {
  if (!filter) return undefined;
  const values = new Set(filter.values);
  const counts = new Map<string, number>();
  for (const value of values) {
    const names = new Set<string>(JSON.parse(namesWith(db).pluck().get({ value })!));
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [least, most] = COUNTS[filter.operator](values.size);
  const isMet: Criterion = ({ name }) => {
    const count = counts.get(name) ?? 0;
    return least <= count && count <= most;
  };
  if (least > 0) isMet.names = [...counts.keys()];
  return isMet;
}

/** Is on in one of the environments, or off; in any other than those of its project it is neither. */
function hasStatus(db: Database, statuses: FeatureSearch["status"]): Criterion | undefined {
  if (statuses.length === 0) return undefined;
  const wanted = statuses.map((status) => ({ ...status, projects: projectsWith(db, status.environment) }));
  return ({ project, enabled: on }) =>
    wanted.some(
      ({ environment, enabled, projects }) => on.includes(environment) === enabled && projects.has(project),
    );
}

const isVisible = (hidden: readonly string[]): Criterion | undefined =>
  hidden.length === 0 ? undefined : ({ project }) => !hidden.includes(project);

function isArchived({ archived }: FeatureSearch): Criterion {
  const isWanted = archived === "IS:true" || archived === "true";
  return ({ archivedAt }) => (archivedAt !== null) === isWanted;
}
