import * as v from "valibot";
import { DELETE } from "../http/operation.ts";
import { deleteEmptyProject, requireEmpty } from "../projects/projects-store.ts";
import { deleteArchivedFeatures } from "./features-archive.ts";
import { deleteSegmentsOf } from "./segments.ts";

/** Its archived flags and its segments are deleted first, each with an event. */
export const deleteProject = DELETE({
  tag: "Projects",
  id: "deleteProject",
  summary: "Permanently delete a project without live flags",
  path: "/api/admin/projects/:projectId",
  params: v.object({ projectId: v.string() }),
  permission: { permission: "DELETE_PROJECT", project: "projectId" },
  errors: ["NotFoundError", "InvalidOperationError"],
  records: [
    "feature-deleted",
    "segment-deleted",
    "api-token-deleted",
    "api-token-updated",
    "project-deleted",
  ],
}).change(({ tx, params: { projectId } }) => {
  requireEmpty(tx.db, projectId);
  deleteArchivedFeatures(tx, projectId);
  deleteSegmentsOf(tx, projectId);
  deleteEmptyProject(tx, projectId);
});
