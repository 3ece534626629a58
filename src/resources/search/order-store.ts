import { compare } from "../../db/order.ts";
import { type Database, query } from "../../db/statement.ts";
import type { Flag } from "./flags-store.ts";
import { projectsWith } from "./places-store.ts";
import type { FeatureSearch } from "./schema.ts";

type Key = string | number | null;

/** A flag that matches, and what it is sorted by. */
export interface Candidate {
  flag: Flag;
  isFavorite: boolean;
  key: Key;
}

/** Prepares a flag to be sorted. */
export function toCandidate(
  db: Database,
  search: FeatureSearch,
  userId: number | null,
): (flag: Flag) => Candidate {
  const [keyOf, favorites] = [keyFor(db, search), favoritesFor(db, search, userId)];
  return (flag) => ({ flag, isFavorite: favorites.has(flag.name), key: keyOf(flag) });
}

/** Favorites first, then by key, age and name; null comes last. Age alone is sorted together with the name. */
export function orderOf({ sortOrder }: FeatureSearch): (a: Candidate, b: Candidate) => number {
  const sign = sortOrder === "desc" ? -1 : 1;
  return (a, b) =>
    Number(b.isFavorite) - Number(a.isFavorite) ||
    Number(a.key === null) - Number(b.key === null) ||
    sign * compare(a.key ?? 0, b.key ?? 0) ||
    compare(a.flag.createdAt, b.flag.createdAt) ||
    (a.key === a.flag.createdAt ? sign : 1) * compare(a.flag.name, b.flag.name);
}

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

function keyFor(db: Database, { sortBy }: FeatureSearch) {
  const [, environment] = /^environment:(.+)$/s.exec(sortBy) ?? [];
  if (environment === undefined) return KEYS.get(sortBy) ?? (({ createdAt }: Flag): Key => createdAt);
  const projects = projectsWith(db, environment);
  return ({ project, enabled }: Flag) =>
    projects.has(project) ? Number(enabled.includes(environment)) : null;
}

const favorites = query<{ userId: number }, string>(
  `SELECT feature FROM feature_favorites WHERE user_id = :userId`,
);

const favoritesFor = (db: Database, { favoritesFirst }: FeatureSearch, userId: number | null) =>
  new Set(favoritesFirst === "true" && userId !== null ? favorites(db).pluck().all({ userId }) : []);
