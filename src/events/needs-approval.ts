import type { Actor } from "../access/actor.ts";
import { holds } from "../access/require-permission.ts";
import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import type { StoredEvent } from "./record.ts";
import type { EventType } from "./schema.ts";

/*
 * Where changes must be approved, they are refused when they are recorded: whatever the way in, nothing is changed
 * without an event. What is approved is recorded by an actor who may do anything.
 */

/** Changes of an environment. An import also replaces strategies, which has no event of its own. */
const OF_ENVIRONMENT: ReadonlySet<EventType> = new Set([
  "feature-environment-enabled",
  "feature-environment-disabled",
  "feature-environment-variants-updated",
  "feature-strategy-add",
  "feature-strategy-update",
  "feature-strategy-remove",
  "strategy-order-changed",
  "features-imported",
]);

/** Changes of all environments of a project; where a flag is moved to, other rules hold. */
const OF_PROJECT: ReadonlySet<EventType> = new Set([
  "feature-archived",
  "feature-project-change",
  "feature-variants-updated",
  "feature-dependency-added",
  "feature-dependency-removed",
  "feature-dependencies-removed",
  "segment-updated",
  "segment-deleted",
]);

type Recorded = { type: EventType } & Partial<
  Pick<StoredEvent, "project" | "environment" | "data" | "preData">
>;

const approvalsIn = valueQuery<{ project: string; environment: string }, number>(`
  SELECT required_approvals FROM project_environments
  WHERE project = :project AND environment = :environment AND required_approvals IS NOT NULL`);

const anyIn = valueQuery<{ project: string }, string>(`
  SELECT environment FROM project_environments
  WHERE project = :project AND required_approvals IS NOT NULL ORDER BY environment LIMIT 1`);

const projectsUsing = valueQuery<{ segment: number }, string>(`
  SELECT DISTINCT project FROM strategy_segments
  JOIN strategies ON strategies.id = strategy JOIN features ON features.name = feature
  JOIN project_environments USING (project, environment)
  WHERE segment = :segment AND required_approvals IS NOT NULL ORDER BY project`);

/** How many must approve a change to an environment of a project; 0 for none. */
export const requiredApprovals = (db: Database, project: string, environment: string): number =>
  approvalsIn(db).get({ project, environment }) ?? 0;

/** The first environment of a project where changes must be approved. */
export const approvedEnvironment = (db: Database, project: string): string | undefined =>
  anyIn(db).get({ project });

/**
 * Requires that a change needs no approval, or that the actor may skip it: Admins everywhere, others in an environment.
 * @throws ApiError `NoAccessError` that says how to propose it instead
 */
export function requireNoApproval(db: Database, actor: Actor, event: Recorded) {
  const { type, project, environment } = event;
  if (actor.isAdmin) return;
  if (OF_ENVIRONMENT.has(type) && typeof project === "string" && typeof environment === "string")
    requireSkippable(db, actor, project, environment);
  else if (OF_PROJECT.has(type) || archives(event))
    for (const one of projectsOf(db, event)) requireAdmin(db, one, one === project);
}

/** The projects that a change concerns: also the one that a flag or a segment leaves, and all that use a common segment. */
function projectsOf(db: Database, { type, project, data, preData }: Recorded): string[] {
  const named = [project, preData?.project, data?.oldProject].filter((one) => typeof one === "string");
  return named.length === 0 && type === "segment-updated"
    ? projectsUsing(db).all({ segment: Number(data?.id) })
    : named;
}

/** For a change without an event. */
export function requireSkippable(db: Database, actor: Actor, project: string, environment: string) {
  if (requiredApprovals(db, project, environment) === 0) return;
  if (holds(db, actor, { permissions: ["SKIP_CHANGE_REQUEST"], project, environment })) return;
  throw refused(
    `You need the permission SKIP_CHANGE_REQUEST in the environment ${environment}`,
    project,
    environment,
  );
}

/** @param canPropose whether a change request could do it, too */
function requireAdmin(db: Database, project: string, canPropose: boolean) {
  const environment = approvedEnvironment(db, project);
  if (environment === undefined) return;
  const need = "You need the permission ADMIN, as SKIP_CHANGE_REQUEST in one environment isn't enough,";
  if (canPropose) throw refused(need, project, environment);
  const where = `in the project ${project}, changes of ${environment} must be approved`;
  throw new ApiError("NoAccessError", `You need the permission ADMIN to do this: ${where}`);
}

/** A flag can be archived by an update of its metadata. */
const archives = ({ type, data, preData }: Recorded) =>
  type === "feature-metadata-updated" && data?.archived === true && preData?.archived !== true;

const refused = (need: string, project: string, environment: string) =>
  new ApiError(
    "NoAccessError",
    `${need} to do this directly: changes there must be approved. Propose it as a change request ` +
      `(POST /api/admin/projects/${project}/environments/${environment}/change-requests)`,
  );
