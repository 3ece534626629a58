import { DEFAULT_PROJECT } from "../access/permissions.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { matchesWhole } from "../lib/pattern.ts";
import { startOfMinute } from "../lib/time.ts";
import { removeProject } from "../people/tokens-store.ts";
import type { CreatedProject, FeatureNaming, LinkTemplate } from "./projects-schema.ts";

const live = query<{ id: string }>(`SELECT 1 FROM projects WHERE id = :id AND archived_at IS NULL`);

/** @throws ApiError `NotFoundError` unless there is a project with this id, archived or not. */
export function requireProject(db: Database, id: string) {
  if (!isKnown(db, "project", id)) throw new ApiError("NotFoundError", `There is no project ${id}`);
}

/** Checks the project that a body names, if it does. @throws ApiError `ValidationError` */
export function requireProjectOfBody(db: Database, project: string | null | undefined) {
  if (project != null && !isKnown(db, "project", project))
    throw invalid({ path: "body.project", message: `there is no project ${project}` });
}

/** The same, unless it is archived. @throws ApiError `NotFoundError` */
export function requireLiveProject(db: Database, id: string) {
  requireProject(db, id);
  if (!live(db).get({ id })) throw new ApiError("NotFoundError", `The project ${id} is archived`);
}

/** @throws ApiError `ValidationError` for the first key that doesn't exist; `path` is that of the list */
export function requireAllExist(
  db: Database,
  kind: "environment" | "group" | "project" | "user",
  keys: ReadonlyArray<string | number>,
  path: string,
) {
  const index = keys.findIndex((key) => !isKnown(db, kind, key));
  if (index >= 0) throw invalid({ path: `${path}.${index}`, message: `there is no ${kind} ${keys[index]}` });
}

/** Whether a new project could not have this id: a private project's stays taken, since its log is still there. */
export const isTaken = (db: Database, id: string) =>
  isKnown(db, "project", id) || isKnown(db, "deletedPrivateProject", id);

/** @throws ApiError `NameExistsError` if a new project can't have this id */
export function requireFreeId(db: Database, id: string) {
  if (isTaken(db, id)) throw new ApiError("NameExistsError", `body.id: there is or was a project ${id}`);
}

const limitOf = query<{ id: string }, { max: number | null; count: number }>(`
  SELECT feature_limit AS max, iif(feature_limit IS NULL, 0,
    (SELECT count(*) FROM features WHERE project = projects.id AND archived_at IS NULL)) AS count
  FROM projects WHERE id = :id`);

/** @throws ApiError `InvalidOperationError` if a project has reached its limit of live flags (original) */
export function requireRoom(db: Database, id: string) {
  const { max, count } = limitOf(db).get({ id })!;
  if (max !== null && count >= max)
    throw refused(`The project ${id} may have ${max} live flags and has ${count}: archive one first`);
}

const namingOf = valueQuery<{ id: string }, string>(`SELECT feature_naming FROM projects WHERE id = :id`);

/** @throws ApiError `ValidationError` unless the project, if there is one, allows this name for a flag */
export function requireAllowedName(db: Database, id: string, name: string) {
  const naming: Partial<FeatureNaming> = JSON.parse(namingOf(db).get({ id }) ?? "{}");
  const { pattern, example, description } = naming;
  if (!pattern) return;
  const isMatch = matchesWhole(pattern, name);
  if (isMatch) return;
  const hints = [example && `such as ${example}`, description].filter(Boolean).join("; ");
  const problem = isMatch === undefined ? "takes too long to match against" : "must match all of";
  const message = `${problem} the pattern ${pattern} of the project ${id}${hints && ` (${hints})`}`;
  throw invalid({ path: "body.name", message });
}

/**
 * @throws ApiError `ValidationError` for a pattern that can't be used, an example that doesn't match it, or an example or
 * a description without a pattern (original)
 */
export function requireUsablePattern({ pattern, example, description }: FeatureNaming) {
  const path = "body.featureNaming";
  const idle = example ? "example" : description && "description";
  if (!pattern && idle) throw invalid({ path: `${path}.${idle}`, message: "is of no use without a pattern" });
  if (!pattern) return;
  const isMatch = matchesWhole(pattern, example ?? "");
  if (isMatch === undefined) throw invalid({ path: `${path}.pattern`, message: "takes too long to match" });
  if (example && !isMatch)
    throw invalid({ path: `${path}.example`, message: `must match all of the pattern ${pattern}` });
}

const liveFeature = valueQuery<{ id: string }, string>(`
  SELECT name FROM features WHERE project = :id AND archived_at IS NULL ORDER BY name LIMIT 1`);

/**
 * Checks that a project can be archived or deleted.
 * @throws ApiError `NotFoundError`; `InvalidOperationError` if it has live flags, or is the default project
 */
export function requireEmpty(db: Database, id: string) {
  requireProject(db, id);
  if (id === DEFAULT_PROJECT) throw refused("The project default can't be archived or deleted");
  const name = liveFeature(db).get({ id });
  if (name !== undefined)
    throw refused(`The project ${id} has live flags, such as ${name}: archive them first`);
}

const refused = (message: string) => new ApiError("InvalidOperationError", message);

/** Permanently deletes an empty project, without flags and segments, and the tokens for it alone; its events stay. */
export function deleteEmptyProject(tx: Tx, id: string) {
  removeProject(tx, id);
  rememberPrivate(tx).run({ id });
  remove(tx).run({ id });
  tx.record({ type: "project-deleted", project: id });
}

const rememberPrivate = command<{ id: string }>(`
  INSERT INTO deleted_private_projects (id) SELECT id FROM projects WHERE id = :id AND mode = 'private'`);

const remove = command<{ id: string }>(`DELETE FROM projects WHERE id = :id`);

interface ProjectRow extends Omit<CreatedProject, "environments"> {
  createdAt: string;
  archivedAt: string | null;
  updatedAt: string | null;
  /** The maximum number of live flags. */
  featureLimit: number | null;
  featureNaming: string;
  linkTemplates: string;
}

export const insertProject = command<ProjectRow>(`
  INSERT INTO projects (id, name, description, mode, default_stickiness, created_at, archived_at, updated_at,
    feature_limit, feature_naming, link_templates)
  VALUES (:id, :name, :description, :mode, :defaultStickiness, :createdAt, :archivedAt, :updatedAt,
    :featureLimit, :featureNaming, :linkTemplates)`);

/** The default strategy is JSON; null if flags without strategies are on for everyone. */
export const insertProjectEnvironment = command<{
  project: string;
  environment: string;
  defaultStrategy: string | null;
  /** Null if nobody must approve a change. */
  requiredApprovals: number | null;
}>(`
  INSERT INTO project_environments (project, environment, default_strategy, required_approvals)
  VALUES (:project, :environment, :defaultStrategy, :requiredApprovals)`);

export const insertFavorite = command<{ project: string; userId: number }>(`
  INSERT INTO project_favorites (project, user_id) VALUES (:project, :userId)`);

const templatesOf = valueQuery<{ id: string }, string>(`SELECT link_templates FROM projects WHERE id = :id`);

/** The links that a new flag of the project gets. */
export const linkTemplates = (db: Database, id: string): LinkTemplate[] =>
  JSON.parse(templatesOf(db).get({ id })!);

/*
 * SQL for counting what a project contains, in queries on `projects` that begin with EXPIRED.
 */

/** Each flag type, with the time before which flags must have been created to have outlived it. */
export const EXPIRED = `expired (type, before) AS MATERIALIZED (
  SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', :now, -lifetime_days || ' days') FROM feature_types
  WHERE lifetime_days IS NOT NULL)`;

/** The number of distinct users with a role in the project, also through groups. */
export const MEMBER_COUNT = `(SELECT count(*) FROM (
    SELECT user_id FROM project_user_roles WHERE project = projects.id
    UNION
    SELECT user_id FROM project_group_roles JOIN group_users USING (group_id) WHERE project = projects.id))`;

const LIVE = `project = projects.id AND archived_at IS NULL`;

export const COUNTS = `
  ${MEMBER_COUNT} AS memberCount,
  (SELECT count(*) FROM features WHERE ${LIVE}) AS featureCount,
  (SELECT count(*) FROM features INDEXED BY live_features_by_type WHERE ${LIVE} AND stale = 1)
    + (SELECT count(*) FROM expired CROSS JOIN features ON features.type = expired.type AND created_at < before
      WHERE ${LIVE} AND stale = 0) AS unhealthyCount`;

/** The percentages of live flags that are neither stale nor older than expected, and of those that are. */
export function toHealth({
  featureCount,
  unhealthyCount,
}: Record<"featureCount" | "unhealthyCount", number>) {
  const health =
    featureCount === 0 ? 100 : Math.round((100 * (featureCount - unhealthyCount)) / featureCount);
  return { health, technicalDebt: 100 - health };
}

const healthOf = query<
  { project: string; now: string },
  Record<"total" | "stale" | "potentiallyStale", number>
>(`
  WITH ${EXPIRED}
  SELECT count(*) AS total, count(*) FILTER (WHERE stale) AS stale,
    count(*) FILTER (WHERE NOT stale AND created_at < expired.before) AS potentiallyStale
  FROM features LEFT JOIN expired ON expired.type = features.type
  WHERE project = :project AND archived_at IS NULL`);

/** The health of a project's live flags. */
export function projectHealth(db: Database, project: string) {
  const now = new Date(startOfMinute()).toISOString();
  const { total, stale, potentiallyStale } = healthOf(db).get({ project, now })!;
  const unhealthyCount = stale + potentiallyStale;
  return {
    activeCount: total - unhealthyCount,
    potentiallyStaleCount: potentiallyStale,
    staleCount: stale,
    rating: toHealth({ featureCount: total, unhealthyCount }).health,
  };
}

const dataOf = query<{ id: string }, ProjectData>(`
  SELECT id, name, description, created_at AS createdAt, ifnull(updated_at, created_at) AS updatedAt, mode,
    default_stickiness AS defaultStickiness, feature_limit AS featureLimit, feature_naming AS featureNaming
  FROM projects WHERE id = :id`);

interface ProjectData extends Omit<ProjectRow, "archivedAt" | "linkTemplates"> {
  updatedAt: string;
}

/** A project as events have it; its link templates only if there are any. */
export function projectData(db: Database, id: string) {
  const { updatedAt, mode, defaultStickiness, featureLimit, featureNaming, ...row } = dataOf(db).get({ id })!;
  const naming: FeatureNaming = {
    pattern: null,
    example: null,
    description: null,
    ...JSON.parse(featureNaming),
  };
  const health = projectHealth(db, id).rating;
  const templates = linkTemplates(db, id);
  return {
    ...row,
    health,
    updatedAt,
    mode,
    defaultStickiness,
    featureLimit,
    featureNaming: naming,
    ...(templates.length > 0 && { linkTemplates: templates }),
  };
}
