import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { snapshot } from "../db/snapshot.ts";
import { NoBody, operation } from "../http/operation.ts";
import { UrlName } from "../lib/validation.ts";
import * as changes from "./changes.ts";
import { requireAllExist, requireFreeId } from "./require.ts";
import { CreatedProject, NewProject, ProjectList } from "./schema.ts";
import { listedProjects } from "./store.ts";

export const listProjects = operation({
  id: "getProjects",
  summary: "The live or the archived projects",
  tag: "Projects",
  method: "GET",
  path: "/api/admin/projects",
  permission: null,
  query: v.object({ archived: v.optional(v.picklist(["true", "false"]), "false") }),
  response: ProjectList,
}).run(({ db, actor, query }) =>
  snapshot(db, () => ({
    version: 1 as const,
    projects: listedProjects(db, {
      userId: actor.userId,
      hidden: hiddenProjects(db, actor),
      archived: query.archived === "true",
    }),
  })),
);

export const validateProject = operation({
  id: "validateProject",
  summary: "Check whether a project can be created with this id",
  tag: "Projects",
  method: "POST",
  path: "/api/admin/projects/validate",
  permission: "CREATE_PROJECT",
  body: v.object({ id: UrlName }),
  errors: ["NameExistsError"],
  response: NoBody,
}).run(({ db, body: { id } }) => requireFreeId(db, id));

export const createProject = operation({
  id: "createProject",
  summary: "Create a project",
  tag: "Projects",
  method: "POST",
  path: "/api/admin/projects",
  permission: "CREATE_PROJECT",
  body: NewProject,
  status: 201,
  errors: ["NameExistsError"],
  records: ["project-created"],
  response: CreatedProject,
}).change(({ tx, body }) => {
  requireAllExist(tx.db, "environment", body.environments ?? [], "body.environments");
  if (body.id !== undefined) requireFreeId(tx.db, body.id);
  return changes.createProject(tx, body);
});
