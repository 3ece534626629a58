import * as v from "valibot";
import { NoBody, operation } from "../../http/operation.ts";
import { requireFeature } from "../features/require.ts";
import { requireProject } from "../../projects/require.ts";
import { requirePerson } from "../../people/tokens/require.ts";
import { setFeatureFavorite, setProjectFavorite } from "./changes.ts";

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

const ofProject = {
  ...ofFeature,
  path: "/api/admin/projects/:projectId/favorites",
  params: v.object({ projectId: v.string() }),
} as const;

export const addFavoriteProject = operation({
  ...ofProject,
  id: "addFavoriteProject",
  summary: "Add a project to the caller's favorites",
  method: "POST",
  records: ["project-favorited"],
}).change(({ tx, actor, params: { projectId: project } }) => {
  requireProject(tx.db, project);
  setProjectFavorite(tx, { project, userId: requirePerson(actor) }, true);
});

export const removeFavoriteProject = operation({
  ...ofProject,
  id: "removeFavoriteProject",
  summary: "Remove a project from the caller's favorites",
  method: "DELETE",
  records: ["project-unfavorited"],
}).change(({ tx, actor, params: { projectId: project } }) => {
  requireProject(tx.db, project);
  setProjectFavorite(tx, { project, userId: requirePerson(actor) }, false);
});
