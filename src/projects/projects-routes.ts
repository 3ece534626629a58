import * as v from "valibot";
import { ROLES } from "../access/permissions.ts";
import { requirePerson } from "../access/require-permission.ts";
import type { Database } from "../db/database.ts";
import { command, query, toStored, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, POST, PUT } from "../http/operation.ts";
import { UrlName } from "../lib/validation.ts";
import { insertUserRole } from "./access-store.ts";
import { presetApprovals } from "./environments.ts";
import { CreatedProject, NewProject, ProjectSettings, ProjectUpdate } from "./projects-schema.ts";
import {
  insertFavorite,
  insertProject,
  insertProjectEnvironment,
  isTaken,
  projectData,
  requireAllExist,
  requireEmpty,
  requireFreeId,
  requireProject,
  requireUsablePattern,
} from "./projects-store.ts";

const PROJECTS = "/api/admin/projects";

export const validateProject = POST({
  id: "validateProject",
  summary: "Check whether a project can be created with this id",
  tag: "Projects",
  path: `${PROJECTS}/validate`,
  permission: "CREATE_PROJECT",
  body: v.object({ id: UrlName }),
  errors: ["NameExistsError"],
  example: { id: "web" },
}).run(({ db, body: { id } }) => requireFreeId(db, id));

export const createProject = POST({
  id: "createProject",
  summary: "Create a project",
  tag: "Projects",
  path: PROJECTS,
  permission: "CREATE_PROJECT",
  body: NewProject,
  status: 201,
  errors: ["NameExistsError"],
  records: ["project-created"],
  response: CreatedProject,
  example: { id: "web", name: "Web shop", environments: ["development", "production"] },
}).change(({ tx, actor: { userId }, body: { environments, changeRequestEnvironments, ...project } }) => {
  requireAllExist(tx.db, "environment", environments ?? [], "body.environments");
  if (project.id !== undefined) requireFreeId(tx.db, project.id);
  const { name, description, defaultStickiness } = project;
  const id = project.id ?? freeId(tx.db, name);
  insertProject(tx).run({ ...BLANK, ...project, id, createdAt: tx.now });
  for (const environment of new Set(environments ?? defaultEnvironments(tx.db).all({}))) {
    const wanted = changeRequestEnvironments.findLast((one) => one.name === environment);
    const requiredApprovals = presetApprovals(tx.db, environment) ?? wanted?.requiredApprovals ?? null;
    insertProjectEnvironment(tx).run({ project: id, environment, defaultStrategy: null, requiredApprovals });
  }
  if (userId !== null) insertUserRole(tx).run({ project: id, user: userId, role: ROLES.owner });
  tx.record({ type: "project-created", project: id, data: { id, name, description, defaultStickiness } });
  const { approvals, ...created } = byId(tx.db).get({ id })!;
  return {
    ...created,
    environments: JSON.parse(created.environments),
    ...(approvals !== "[]" && { changeRequestEnvironments: JSON.parse(approvals) }),
  };
});

const BLANK = {
  archivedAt: null,
  updatedAt: null,
  featureLimit: null,
  featureNaming: "{}",
  linkTemplates: "[]",
};

/** Derived from the name, with a number appended if it is taken. */
function freeId(db: Database, name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const base = slug.slice(0, 80).replaceAll(/^-+|-+$/g, "") || "project";
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!isTaken(db, id)) return id;
  }
}

const defaultEnvironments = valueQuery<object, string>(
  `SELECT name FROM environments WHERE enabled ORDER BY sort_order, name`,
);

type CreatedRow = Omit<CreatedProject, "environments" | "changeRequestEnvironments">;

const byId = query<{ id: string }, CreatedRow & Record<"environments" | "approvals", string>>(`
  SELECT id, name, description, mode, default_stickiness AS defaultStickiness,
    (SELECT json_group_array(environment ORDER BY sort_order, environment)
      FROM project_environments JOIN environments ON environments.name = environment
      WHERE project = projects.id) AS environments,
    (SELECT json_group_array(json_object('name', environment, 'requiredApprovals', required_approvals)
        ORDER BY environment)
      FROM project_environments WHERE project = projects.id AND required_approvals IS NOT NULL) AS approvals
  FROM projects WHERE id = :id`);

const ofProject = {
  tag: "Projects",
  permission: { permission: "UPDATE_PROJECT", project: "projectId" },
  errors: ["NotFoundError"],
} as const;

export const updateProject = PUT({
  ...ofProject,
  id: "updateProject",
  summary: "Change a project's name, description and mode",
  path: `${PROJECTS}/:projectId`,
  body: ProjectUpdate,
  records: ["project-updated"],
  example: { name: "Shop", description: "The online shop" },
}).change(({ tx, params: { projectId }, body }) => {
  requireProject(tx.db, projectId);
  change(tx, projectId, body);
});

export const changeSettings = PUT({
  ...ofProject,
  id: "updateProjectEnterpriseSettings",
  summary: "Change a project's settings",
  path: `${PROJECTS}/:projectId/settings`,
  permission: { permission: ["UPDATE_PROJECT", "PROJECT_SETTINGS_WRITE"], project: "projectId" },
  body: ProjectSettings,
  records: ["project-updated"],
  example: { mode: "protected", featureNaming: { pattern: "^[a-z-]+$" } },
}).change(({ tx, params: { projectId }, body }) => {
  requireProject(tx.db, projectId);
  if (body.featureNaming) requireUsablePattern(body.featureNaming);
  change(tx, projectId, body);
});

/** Properties that are left out stay as they are. */
function change(tx: Tx, id: string, changed: Partial<ProjectUpdate> & ProjectSettings) {
  const preData = projectData(tx.db, id);
  const { name = null, description = preData.description, mode = null, ...settings } = changed;
  const { defaultStickiness = null, featureNaming = null, linkTemplates = null } = settings;
  const stored = toStored({ name, description, mode, defaultStickiness, featureNaming, linkTemplates });
  update(tx).run({ ...stored, id, now: tx.now });
  tx.record({ type: "project-updated", project: id, data: projectData(tx.db, id), preData });
}

/** What is null stays as it is, apart from the description. */
const update = command<
  Record<"id" | "now", string> &
    Record<
      "name" | "description" | "mode" | "defaultStickiness" | "featureNaming" | "linkTemplates",
      string | null
    >
>(`
  UPDATE projects
  SET name = ifnull(:name, name), description = :description, mode = ifnull(:mode, mode),
    default_stickiness = ifnull(:defaultStickiness, default_stickiness),
    feature_naming = ifnull(:featureNaming, feature_naming),
    link_templates = ifnull(:linkTemplates, link_templates), updated_at = :now
  WHERE id = :id`);

export const archiveProject = POST({
  ...ofProject,
  id: "archiveProject",
  summary: "Archive a project without live flags",
  path: `${PROJECTS}/archive/:projectId`,
  permission: { permission: "DELETE_PROJECT", project: "projectId" },
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["project-archived"],
  exampleParams: { projectId: "empty" },
}).change(({ tx, params: { projectId } }) => {
  requireEmpty(tx.db, projectId);
  setArchived(tx).run({ id: projectId, archivedAt: tx.now });
  tx.record({ type: "project-archived", project: projectId });
});

// Its flags stay archived.
export const reviveProject = POST({
  ...ofProject,
  id: "reviveProject",
  summary: "Revive an archived project",
  path: `${PROJECTS}/revive/:projectId`,
  permission: { permission: "DELETE_PROJECT", project: "projectId" },
  records: ["project-revived"],
  exampleParams: { projectId: "gone" },
}).change(({ tx, params: { projectId } }) => {
  requireProject(tx.db, projectId);
  setArchived(tx).run({ id: projectId, archivedAt: null });
  tx.record({ type: "project-revived", project: projectId });
});

const setArchived = command<{ id: string; archivedAt: string | null }>(`
  UPDATE projects SET archived_at = :archivedAt WHERE id = :id`);

const ofFavorite = {
  ...ofProject,
  tag: "Favorites",
  path: `${PROJECTS}/:projectId/favorites`,
  permission: { project: "projectId" },
} as const;

export const addFavoriteProject = POST({
  ...ofFavorite,
  id: "addFavoriteProject",
  summary: "Add a project to the caller's favorites",
  records: ["project-favorited"],
}).change(({ tx, actor, params: { projectId: project } }) => {
  requireProject(tx.db, project);
  const favorite = { project, userId: requirePerson(actor) };
  removeFavorite(tx).run(favorite);
  insertFavorite(tx).run(favorite);
  tx.record({ type: "project-favorited", project, data: { project } });
});

export const removeFavoriteProject = DELETE({
  ...ofFavorite,
  id: "removeFavoriteProject",
  summary: "Remove a project from the caller's favorites",
  records: ["project-unfavorited"],
}).change(({ tx, actor, params: { projectId: project } }) => {
  requireProject(tx.db, project);
  removeFavorite(tx).run({ project, userId: requirePerson(actor) });
  tx.record({ type: "project-unfavorited", project, data: { project } });
});

const removeFavorite = command<{ project: string; userId: number }>(`
  DELETE FROM project_favorites WHERE project = :project AND user_id = :userId`);
