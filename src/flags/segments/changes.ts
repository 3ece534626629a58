import { command, query } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { insertStrategySegment } from "../strategies/changes.ts";
import type { NewSegment, Segment } from "./schema.ts";
import { segmentById } from "./store.ts";

interface Row {
  name: string;
  description: string | null;
  project: string | null;
  /** As JSON. */
  constraints: string;
}

export const insertSegment = command<
  Row & { id: number | null; createdBy: string | null; createdAt: string }
>(`
  INSERT INTO segments (id, name, description, project, constraints, created_by, created_at)
  VALUES (:id, :name, :description, :project, :constraints, :createdBy, :createdAt)`);

const update = command<Row & { id: number }>(`
  UPDATE segments SET name = :name, description = :description, project = :project, constraints = :constraints
  WHERE id = :id`);

const ofProject = query<{ project: string }, number>(
  `SELECT id FROM segments WHERE project = :project ORDER BY id`,
);

const remove = command<{ id: number }>(`DELETE FROM segments WHERE id = :id`);

const removeFromStrategy = command<{ strategy: string }>(`
  DELETE FROM strategy_segments WHERE strategy = :strategy`);

/** Creates a segment; an SQLite constraint error if the name is taken. */
export function createSegment(tx: Tx, { description = null, ...segment }: NewSegment): Segment {
  const { createdBy } = tx.actor;
  const row = { ...segment, description, constraints: JSON.stringify(segment.constraints) };
  const { lastInsertRowid } = insertSegment(tx).run({ ...row, id: null, createdBy, createdAt: tx.now });
  const created = segmentById(tx.db, Number(lastInsertRowid))!;
  tx.record({ type: "segment-created", project: segment.project, data: created });
  return created;
}

/** Changes a segment; without a new description, it keeps the old one. */
export function updateSegment(tx: Tx, before: Segment, segment: NewSegment) {
  const { id } = before;
  const { description = before.description } = segment;
  update(tx).run({ ...segment, id, description, constraints: JSON.stringify(segment.constraints) });
  const data = segmentById(tx.db, id)!;
  tx.record({ type: "segment-updated", project: segment.project, data, preData: before });
}

/** Deletes a segment that is not in use. */
export function deleteSegment(tx: Tx, segment: Segment) {
  remove(tx).run({ id: segment.id });
  tx.record({ type: "segment-deleted", project: segment.project ?? null, preData: segment });
}

/** Deletes all segments that belong to a project; none of them is in use. */
export function deleteSegmentsOf(tx: Tx, project: string) {
  for (const id of ofProject(tx.db).pluck().all({ project })) deleteSegment(tx, segmentById(tx.db, id)!);
}

/** Replaces a strategy's segments; no event is recorded (original). */
export function setStrategySegments(tx: Tx, strategy: string, segments: readonly number[]) {
  removeFromStrategy(tx).run({ strategy });
  for (const segment of new Set(segments)) insertStrategySegment(tx).run({ strategy, segment });
}
