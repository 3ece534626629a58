import { type Database, query } from "../db/statement.ts";
import { RawJson } from "../lib/raw-json.ts";
import { projectHealth, projectStats } from "./insights-store.ts";
import type { FeatureNaming, ProjectBasics } from "./projects-schema.ts";
import { MEMBER_COUNT } from "./projects-store.ts";

interface Row {
  name: string;
  description: string | null;
  mode: ProjectBasics["mode"];
  featureLimit: number | null;
  featureNaming: string;
  defaultStickiness: string;
  updatedAt: string;
  createdAt: string;
  archivedAt: string | null;
  favorite: 0 | 1;
  members: number;
  environments: string;
}

const byId = query<{ id: string; userId: number | null }, Row>(`
  SELECT name, description, mode, feature_limit AS featureLimit, feature_naming AS featureNaming,
    default_stickiness AS defaultStickiness, ifnull(updated_at, created_at) AS updatedAt, created_at AS createdAt,
    archived_at AS archivedAt, ${MEMBER_COUNT} AS members,
    EXISTS (SELECT 1 FROM project_favorites WHERE project = projects.id AND user_id = :userId) AS favorite,
    (SELECT json_group_array(iif(default_strategy IS NULL, json_object('environment', environment),
        json_object('environment', environment, 'defaultStrategy', json(default_strategy)))
        ORDER BY sort_order, environment)
      FROM project_environments JOIN environments ON environments.name = environment
      WHERE project = projects.id) AS environments
  FROM projects WHERE id = :id`);

/** What all views of a project have in common; the project exists. */
export function projectBasics(db: Database, id: string, userId: number | null) {
  const { archivedAt, ...row } = byId(db).get({ id, userId })!;
  return {
    stats: projectStats(db, id),
    name: row.name,
    description: row.description,
    mode: row.mode,
    featureLimit: row.featureLimit,
    featureNaming: toNaming(row.featureNaming),
    defaultStickiness: row.defaultStickiness,
    health: projectHealth(db, id).rating,
    favorite: row.favorite === 1,
    updatedAt: row.updatedAt,
    createdAt: row.createdAt,
    ...(archivedAt !== null && { archivedAt }),
    environments: new RawJson<ProjectBasics["environments"]>(row.environments),
    members: row.members,
    version: 1 as const,
  };
}

/** The project in events. */
export function projectData(db: Database, id: string) {
  const row = byId(db).get({ id, userId: null })!;
  return {
    id,
    name: row.name,
    description: row.description,
    createdAt: row.createdAt,
    health: projectHealth(db, id).rating,
    updatedAt: row.updatedAt,
    mode: row.mode,
    defaultStickiness: row.defaultStickiness,
    featureLimit: row.featureLimit,
    featureNaming: toNaming(row.featureNaming),
  };
}

const toNaming = (json: string): FeatureNaming => ({
  pattern: null,
  example: null,
  description: null,
  ...JSON.parse(json),
});
