import { ROLES } from "../access/permissions.ts";
import { command, type Database } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { insertUserRole } from "./access-store.ts";
import { isTaken } from "./require.ts";
import type { CreatedProject, NewProject } from "./schema.ts";
import { defaultEnvironments, projectById } from "./store.ts";

interface ProjectRow {
  id: string;
  name: string;
  description: string | null;
  mode: "open" | "protected" | "private";
  defaultStickiness: string;
  createdAt: string;
  archivedAt: string | null;
  updatedAt: string | null;
  /** The maximum number of live flags. */
  featureLimit: number | null;
  /** As JSON. */
  featureNaming: string;
}

export const insertProject = command<ProjectRow>(`
  INSERT INTO projects (id, name, description, mode, default_stickiness, created_at, archived_at, updated_at,
    feature_limit, feature_naming)
  VALUES (:id, :name, :description, :mode, :defaultStickiness, :createdAt, :archivedAt, :updatedAt,
    :featureLimit, :featureNaming)`);

interface ProjectEnvironmentRow {
  project: string;
  environment: string;
  /** JSON; null if flags without strategies are on for everyone. */
  defaultStrategy: string | null;
}

export const insertProjectEnvironment = command<ProjectEnvironmentRow>(`
  INSERT INTO project_environments (project, environment, default_strategy)
  VALUES (:project, :environment, :defaultStrategy)`);

/**
 * Creates a project with the given environments, or all enabled ones if none are given; its creator becomes its owner.
 * An SQLite constraint error if the id is taken.
 */
export function createProject(tx: Tx, { environments, ...project }: NewProject): CreatedProject {
  const { name, description, mode, defaultStickiness } = project;
  const id = project.id ?? freeId(tx.db, name);
  insertProject(tx).run({
    id,
    name,
    description,
    mode,
    defaultStickiness,
    createdAt: tx.now,
    archivedAt: null,
    updatedAt: null,
    featureLimit: null,
    featureNaming: "{}",
  });
  for (const environment of new Set(environments ?? defaultEnvironments(tx.db)))
    insertProjectEnvironment(tx).run({ project: id, environment, defaultStrategy: null });
  const { userId } = tx.actor;
  if (userId !== null) insertUserRole(tx).run({ project: id, user: userId, role: ROLES.owner });
  tx.record({ type: "project-created", project: id, data: { id, name, description, defaultStickiness } });
  return projectById(tx.db, id);
}

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
