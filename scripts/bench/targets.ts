import type { Row, SizeReport } from "./report.ts";
import type { Searched } from "./searches.ts";

/** A measured figure with its target. */
export interface Target {
  name: string;
  measured: number;
  /** An upper bound, or a lower one if `isLeast`. */
  limit: number;
  isLeast?: true;
  unit: "×" | "ms";
}

/** Cold reads relative to a bare server that returns the same bytes. */
const BESIDE_BARE: Readonly<Record<string, number>> = {
  user: 4,
  strategies: 4,
  notifications: 7,
  "integration events": 7,
  "project details": 7,
  "personal dashboard": 12,
  "project features (100 flags)": 9,
  "events of a project": 3,
};

const TWO_CHARACTERS = "search: two characters";

/** Text searches, in milliseconds of CPU time. */
const TEXTS = [
  "search: no hit",
  "search: rare",
  "search: common",
  "search: one character",
  "search: two, no hit",
  "search: common in a project",
  "search: rare of a type",
  "search: common of a feature",
  "search: rare, two projects hidden",
];

/** The targets of all cases that were measured. */
export const targetsOf = ({ rows, changes }: SizeReport): Target[] => [
  ...rows.flatMap(besideBare),
  ...worst(
    "after an unrelated change, relative to warm",
    rows,
    1.3,
    "×",
    ({ unrelated, warm }) => unrelated.cpu / warm.cpu,
  ),
  ...worst("two-character text", named(rows, [TWO_CHARACTERS]), 2, "ms", milliseconds),
  ...worst("most expensive text", named(rows, TEXTS), 4, "ms", milliseconds),
  ...ofChanges(changes),
];

/** The search whose time grows most. */
export const ofSearches = (searches: Searched[]): Target[] =>
  searches
    .map(({ name, few, many }): Target => {
      const title = `a search of 5,000 flags, relative to 50 (${name})`;
      return { name: title, measured: many.cpu / few.cpu, limit: 2, unit: "×" };
    })
    .sort((a, b) => b.measured - a.measured)
    .slice(0, 1);

function besideBare({ name, cold, bare }: Row): Target[] {
  const limit = BESIDE_BARE[name];
  if (limit === undefined) return [];
  return [{ name: `${name}, cold relative to bare`, measured: cold.cpu / bare.cpu, limit, unit: "×" }];
}

const milliseconds = ({ cold }: Row) => cold.cpu / 1000;

const named = (rows: Row[], names: readonly string[]) => rows.filter(({ name }) => names.includes(name));

/** The worst of several rows, by name; none if none was measured. */
function worst(
  what: string,
  rows: Row[],
  limit: number,
  unit: Target["unit"],
  figure: (row: Row) => number,
): Target[] {
  const [row] = rows.toSorted((a, b) => figure(b) - figure(a));
  return row ? [{ name: `${what} (${row.name})`, measured: figure(row), limit, unit }] : [];
}

const ofChanges = (changes: SizeReport["changes"]): Target[] => [
  {
    name: "a change, relative to writing its rows with better-sqlite3",
    measured: changes.one.p50 / changes.bare.p50,
    limit: 1.5,
    unit: "×",
  },
  {
    name: "1,000 flags in bulk, relative to writing their rows with better-sqlite3",
    measured: changes.bulk.one.p50 / changes.bulk.bare.p50,
    limit: 5,
    unit: "×",
  },
  {
    name: "event-loop delay of changes of 1,000 flags",
    measured: changes.bulk.loopDelay.max,
    limit: 50,
    unit: "ms",
  },
  ...sharedSync(changes),
  {
    name: "reads during changes, relative to reads alone",
    measured: changes.reads.meanwhile.rate / changes.reads.alone.rate,
    limit: 0.8,
    isLeast: true,
    unit: "×",
  },
];

/** The share of a change spent on the sync above which clients that share it can be ten times as fast as one. */
const SYNC_DOMINATES = 0.9;

/** Concurrent changes share a sync, which gains something only if the sync dominates a change. */
function sharedSync({ bare, unsynced, one, several }: SizeReport["changes"]): Target[] {
  if ((bare.p50 - unsynced.p50) / one.p50 < SYNC_DOMINATES) return [];
  const name = `changes by ${several.clients} clients, relative to one`;
  return [{ name, measured: several.rate / one.rate, limit: 10, isLeast: true, unit: "×" }];
}

export const isMet = ({ measured, limit, isLeast }: Target) =>
  isLeast ? measured >= limit : measured <= limit;
