import { firstPrivate } from "../../access/visibility.ts";
import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";

type FeatureFavorite = { feature: string; userId: number };

export const insertFeatureFavorite = command<FeatureFavorite>(`
  INSERT INTO feature_favorites (feature, user_id) VALUES (:feature, :userId)`);

const removeFeatureFavorite = command<FeatureFavorite>(`
  DELETE FROM feature_favorites WHERE feature = :feature AND user_id = :userId`);

/** Adds a flag to a user's favorites, or removes it; the event has only a private project (original: none). */
export function setFeatureFavorite(
  tx: Tx,
  { feature, project, userId }: FeatureFavorite & { project: string },
  isFavorite: boolean,
) {
  removeFeatureFavorite(tx).run({ feature, userId });
  if (isFavorite) insertFeatureFavorite(tx).run({ feature, userId });
  const type = isFavorite ? "feature-favorited" : "feature-unfavorited";
  tx.record({ type, featureName: feature, project: firstPrivate(tx.db, [project]), data: { feature } });
}
