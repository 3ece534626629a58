import type { Actor } from "../../auth/actor.ts";
import type { Permission } from "../../auth/permissions.ts";
import { requirePermission } from "../../auth/require-permission.ts";
import { isKnown } from "../../db/known.ts";
import { type Database, query } from "../../db/statement.ts";
import { ApiError, invalid } from "../../http/error.ts";
import { requireConstraints } from "../constraints/require.ts";
import { requireNoUse } from "../strategies/require.ts";
import type { NewSegment, Segment } from "./schema.ts";
import { segmentById, strategiesUsing } from "./store.ts";

/** How many segments there may be, how many values one may have, and how many a strategy may use (original). */
const MOST = { segments: 300, values: 1000, ofStrategy: 5 };

const countOf = query<object, number>(`SELECT count(*) FROM segments`);

const named = query<{ name: string }>(`SELECT 1 FROM segments WHERE name = :name`);

/** @throws ApiError `NotFoundError` unless there is a segment with this id */
export function requireSegment(db: Database, id: number): Segment {
  const segment = segmentById(db, id);
  if (segment) return segment;
  throw new ApiError("NotFoundError", `There is no segment ${id}`);
}

/** @throws ApiError `NameExistsError` where there is a segment of this name */
export function requireFreeName(db: Database, name: string) {
  if (!named(db).get({ name })) return;
  throw new ApiError("NameExistsError", `body.name: there is a segment ${name} already`);
}

/** @throws ApiError `ExceedsLimitError` where there are as many segments as there may be */
export function requireRoom(db: Database) {
  if (countOf(db).pluck().get({})! < MOST.segments) return;
  throw new ApiError(
    "ExceedsLimitError",
    `There are ${MOST.segments} segments, and more are not possible: delete one first`,
  );
}

/**
 * That the actor may put a segment where the body says: with the permission for all segments, or with the one for those
 * of the project.
 * @throws ApiError `NoAccessError`
 */
export function requirePlace(db: Database, actor: Actor, permission: Permission, { project }: NewSegment) {
  const permissions = [permission, "UPDATE_PROJECT_SEGMENT"] as const;
  requirePermission(db, actor, { permissions, project: project ?? undefined });
}

/** What a segment is made of. @throws ApiError `ValidationError` */
export function requireFit(db: Database, { project, constraints }: NewSegment) {
  if (project !== null && !isKnown(db, "project", project))
    throw invalid({ path: "body.project", message: `there is no project ${project}` });
  const count = constraints.reduce((total, { values }) => total + values.length, 0);
  if (count > MOST.values)
    throw invalid({
      path: "body.constraints",
      message: `must have ${MOST.values} values or less, not ${count}`,
    });
  requireConstraints(constraints, "body.constraints");
}

/** That a segment is not used in other projects than the one it goes to. @throws ApiError `ValidationError` */
export function requireNoOtherProject(db: Database, id: number, project: string | null) {
  const isElsewhere = strategiesUsing(db, id).some(({ projectId }) => projectId !== project);
  if (project === null || !isElsewhere) return;
  throw invalid({ path: "body.project", message: "strategies of other projects use the segment" });
}

/** @throws ApiError `ConflictError` where strategies use the segment */
export const requireUnused = (db: Database, actor: Actor, { id, name }: Segment) =>
  requireNoUse(db, actor, `segment ${name}`, (hidden) => strategiesUsing(db, id, hidden));

/**
 * Segments that a strategy of a project may use.
 * @throws ApiError `ValidationError` for too many, and for the first that does not exist or is of another project
 */
export function requireUsableSegments(db: Database, project: string, ids: readonly number[], where: string) {
  if (ids.length > MOST.ofStrategy)
    throw invalid({ path: where, message: `must be ${MOST.ofStrategy} segments or less` });
  for (const [index, id] of ids.entries()) {
    const segment = segmentById(db, id);
    if (segment && (segment.project ?? project) === project) continue;
    throw invalid({
      path: `${where}.${index}`,
      message: `there is no segment ${id} for the project ${project}`,
    });
  }
}
