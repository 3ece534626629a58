import type { Actor } from "../../access/actor.ts";
import type { Permission } from "../../access/permissions.ts";
import { requirePermission } from "../../access/require-permission.ts";
import { isKnown } from "../../db/known.ts";
import { type Database, query } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { LIMITS } from "../../lib/limits.ts";
import { requireConstraints } from "../constraints/require.ts";
import { requireNoUse } from "../strategies/require.ts";
import type { NewSegment, Segment } from "./schema.ts";
import { segmentById, strategiesUsing } from "./store.ts";

const countOf = query<object, number>(`SELECT count(*) FROM segments`);

const named = query<{ name: string }>(`SELECT 1 FROM segments WHERE name = :name`);

/** @throws ApiError `NotFoundError` unless there is a segment with this id */
export function requireSegment(db: Database, id: number): Segment {
  const segment = segmentById(db, id);
  if (segment) return segment;
  throw new ApiError("NotFoundError", `There is no segment ${id}`);
}

/** @throws ApiError `NameExistsError` if there is a segment with this name */
export function requireFreeName(db: Database, name: string) {
  if (!named(db).get({ name })) return;
  throw new ApiError("NameExistsError", `body.name: there is already a segment ${name}`);
}

/** @throws ApiError `ExceedsLimitError` if the limit of segments is reached */
export function requireRoom(db: Database) {
  if (countOf(db).pluck().get({})! < LIMITS.segments) return;
  throw new ApiError(
    "ExceedsLimitError",
    `There are ${LIMITS.segments} segments, the most allowed: delete one first`,
  );
}

/**
 * Checks that the actor may create a segment in the project of the body, or move it there, with the permission for all
 * segments or the one for the project's segments.
 * @throws ApiError `NoAccessError`
 */
export function requirePlace(db: Database, actor: Actor, permission: Permission, { project }: NewSegment) {
  const permissions = [permission, "UPDATE_PROJECT_SEGMENT"] as const;
  requirePermission(db, actor, { permissions, project: project ?? undefined });
}

/** Checks a segment's project and number of values. @throws ApiError `ValidationError` */
export function requireValidSegment(db: Database, { project, constraints }: NewSegment) {
  if (project !== null && !isKnown(db, "project", project))
    throw invalid({ path: "body.project", message: `there is no project ${project}` });
  const count = constraints.reduce((total, { values }) => total + values.length, 0);
  if (count > LIMITS.segmentValues)
    throw invalid({
      path: "body.constraints",
      message: `must have ${LIMITS.segmentValues} values or fewer, not ${count}`,
    });
  requireConstraints(constraints, "body.constraints");
}

/** Checks that a segment is not used outside its new project. @throws ApiError `ValidationError` */
export function requireUsedOnlyIn(db: Database, id: number, project: string | null) {
  const isElsewhere = strategiesUsing(db, id).some(({ projectId }) => projectId !== project);
  if (project === null || !isElsewhere) return;
  throw invalid({ path: "body.project", message: "strategies of other projects use the segment" });
}

/** @throws ApiError `ConflictError` if strategies use the segment */
export const requireUnused = (db: Database, actor: Actor, { id, name }: Segment) =>
  requireNoUse(db, actor, `segment ${name}`, (hidden) => strategiesUsing(db, id, hidden));

/**
 * Checks that strategies of a project may use these segments.
 * @throws ApiError `ValidationError` for too many, or for the first that doesn't exist or belongs to another project
 */
export function requireUsableSegments(db: Database, project: string, ids: readonly number[], where: string) {
  if (ids.length > LIMITS.strategySegments)
    throw invalid({ path: where, message: `must have ${LIMITS.strategySegments} segments or fewer` });
  for (const [index, id] of ids.entries()) {
    const segment = segmentById(db, id);
    if (segment && (segment.project ?? project) === project) continue;
    throw invalid({
      path: `${where}.${index}`,
      message: `there is no segment ${id} for the project ${project}`,
    });
  }
}
