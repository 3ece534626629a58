import * as v from "valibot";
import { requirePerson } from "../../access/require-permission.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { requireFeature } from "../features/require.ts";
import { setFeatureFavorite } from "./changes.ts";

const ofFeature = {
  tag: "Favorites",
  path: "/api/admin/projects/:projectId/features/:featureName/favorites",
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string(), featureName: v.string() }),
  errors: ["NotFoundError"],
  response: NoBody,
} as const;

export const addFavoriteFeature = operation({
  ...ofFeature,
  id: "addFavoriteFeature",
  summary: "Add a flag to the caller's favorites",
  method: "POST",
  records: ["feature-favorited"],
}).change(({ tx, actor, params: { projectId, featureName } }) => {
  const { name: feature, project } = requireFeature(tx.db, projectId, featureName);
  setFeatureFavorite(tx, { feature, project, userId: requirePerson(actor) }, true);
});

export const removeFavoriteFeature = operation({
  ...ofFeature,
  id: "removeFavoriteFeature",
  summary: "Remove a flag from the caller's favorites",
  method: "DELETE",
  records: ["feature-unfavorited"],
}).change(({ tx, actor, params: { projectId, featureName } }) => {
  const { name: feature, project } = requireFeature(tx.db, projectId, featureName);
  setFeatureFavorite(tx, { feature, project, userId: requirePerson(actor) }, false);
});
