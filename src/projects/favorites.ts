import * as v from "valibot";
import { requirePerson } from "../access/require-permission.ts";
import { command } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { NoBody, operation } from "../http/operation.ts";
import { requireProject } from "./require.ts";

type ProjectFavorite = { project: string; userId: number };

export const insertProjectFavorite = command<ProjectFavorite>(`
  INSERT INTO project_favorites (project, user_id) VALUES (:project, :userId)`);

const removeProjectFavorite = command<ProjectFavorite>(`
  DELETE FROM project_favorites WHERE project = :project AND user_id = :userId`);

const ofProject = {
  tag: "Favorites",
  path: "/api/admin/projects/:projectId/favorites",
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string() }),
  errors: ["NotFoundError"],
  response: NoBody,
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

/** Adds a project to a user's favorites, or removes it. */
function setProjectFavorite(tx: Tx, { project, userId }: ProjectFavorite, isFavorite: boolean) {
  removeProjectFavorite(tx).run({ project, userId });
  if (isFavorite) insertProjectFavorite(tx).run({ project, userId });
  tx.record({ type: isFavorite ? "project-favorited" : "project-unfavorited", project, data: { project } });
}
