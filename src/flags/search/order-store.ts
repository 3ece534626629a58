import { STAGE } from "./columns.ts";
import type { Criterion } from "./criteria-store.ts";
import type { FeatureSearch } from "./schema.ts";

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
export function orderOf(
  { sortBy, sortOrder, favoritesFirst }: FeatureSearch,
  userId: number | null,
): Criterion {
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
