import type { Actor } from "../access/actor.ts";
import { requirePerson } from "../access/require-permission.ts";
import { firstPrivate } from "../access/visibility.ts";
import { command } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, POST } from "../http/operation.ts";
import { requireFeature } from "./features-store.ts";

const ofFeature = {
  tag: "Favorites",
  path: "/api/admin/projects/:projectId/features/:featureName/favorites",
  permission: { project: "projectId" },
  errors: ["NotFoundError"],
} as const;

export const addFavoriteFeature = POST({
  ...ofFeature,
  id: "addFavoriteFeature",
  summary: "Add a flag to the caller's favorites",
  records: ["feature-favorited"],
}).change(({ tx, actor, params }) => setFavorite(tx, actor, params, true));

export const removeFavoriteFeature = DELETE({
  ...ofFeature,
  id: "removeFavoriteFeature",
  summary: "Remove a flag from the caller's favorites",
  records: ["feature-unfavorited"],
}).change(({ tx, actor, params }) => setFavorite(tx, actor, params, false));

type FeatureFavorite = { feature: string; userId: number };

export const insertFeatureFavorite = command<FeatureFavorite>(`
  INSERT INTO feature_favorites (feature, user_id) VALUES (:feature, :userId)`);

const remove = command<FeatureFavorite>(`
  DELETE FROM feature_favorites WHERE feature = :feature AND user_id = :userId`);

/** Adds a flag to a user's favorites, or removes it; the event has only a private project (original: none). */
function setFavorite(
  tx: Tx,
  actor: Actor,
  { projectId, featureName }: Record<"projectId" | "featureName", string>,
  isFavorite: boolean,
) {
  requireFeature(tx.db, projectId, featureName);
  const favorite = { feature: featureName, userId: requirePerson(actor) };
  remove(tx).run(favorite);
  if (isFavorite) insertFeatureFavorite(tx).run(favorite);
  const type = isFavorite ? "feature-favorited" : "feature-unfavorited";
  const project = firstPrivate(tx.db, [projectId]);
  tx.record({ type, featureName, project, data: { feature: featureName } });
}
