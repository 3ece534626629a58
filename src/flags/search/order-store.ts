import { compare } from "../../db/order.ts";
import { type Database, query } from "../../db/statement.ts";
import { byAge, type Flag } from "./flags-store.ts";
import { projectsWith } from "./places-store.ts";
import type { FeatureSearch } from "./schema.ts";

type Key = string | number | null;

/** Compares two flags. */
export type Order = (a: Flag, b: Flag) => number;

/** Favorites first, then by key, age and name; null comes last. Age alone is sorted together with the name. */
export function orderOf(db: Database, search: FeatureSearch, userId: number | null): Order {
  const byKey = keyOrder(db, search);
  const favorites = favoritesFor(db, search, userId);
  if (favorites.size === 0) return byKey;
  return (a, b) => Number(favorites.has(b.name)) - Number(favorites.has(a.name)) || byKey(a, b);
}

function keyOrder(db: Database, search: FeatureSearch): Order {
  const sign = search.sortOrder === "desc" ? -1 : 1;
  const keyOf = keyFor(db, search);
  if (keyOf === undefined) return sign === 1 ? byAge : youngestFirst;
  return (a, b) => {
    const [key, other] = [keyOf(a), keyOf(b)];
    return (
      Number(key === null) - Number(other === null) || sign * compare(key ?? 0, other ?? 0) || byAge(a, b)
    );
  };
}

export const youngestFirst: Order = (a, b) => byAge(b, a);

const KEYS = new Map<string, (flag: Flag) => Key>([
  ["name", ({ name }) => name],
  ["type", ({ type }) => type],
  ["project", ({ project }) => project],
  ["stale", ({ stale }) => stale],
  ["archivedAt", ({ archivedAt }) => archivedAt],
  ["lastSeenAt", ({ lastSeenAt }) => lastSeenAt],
  ["lifecycle", ({ stage }) => stage],
  ["environment", () => null],
]);

/** What flags are sorted by; undefined for their age. */
function keyFor(db: Database, { sortBy }: FeatureSearch) {
  const [, environment] = /^environment:(.+)$/s.exec(sortBy) ?? [];
  if (environment === undefined) return KEYS.get(sortBy);
  const projects = projectsWith(db, environment);
  return ({ project, enabled }: Flag) =>
    projects.has(project) ? Number(enabled.includes(environment)) : null;
}

const favorites = query<{ userId: number }, string>(
  `SELECT feature FROM feature_favorites WHERE user_id = :userId`,
);

const favoritesFor = (db: Database, { favoritesFirst }: FeatureSearch, userId: number | null) =>
  new Set(favoritesFirst === "true" && userId !== null ? favorites(db).pluck().all({ userId }) : []);
