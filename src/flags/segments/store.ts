import { type Database, query } from "../../db/statement.ts";
import type { StrategyUse } from "../../evaluation/constraint.ts";
import { RawJson, type Wire } from "../../lib/raw-json.ts";
import type { ListedSegment, Segment } from "./schema.ts";

type Row = Omit<Segment, "project" | "constraints"> & { project: string | null; constraints: string };

const COLUMNS = `segments.id, segments.name, segments.description, segments.project, segments.constraints,
    segments.created_by AS createdBy, segments.created_at AS createdAt`;

const byId = query<{ id: number }, Row>(`SELECT ${COLUMNS} FROM segments WHERE id = :id`);

const listed = query<{ hidden: string }, Row & Pick<ListedSegment, "usedInProjects" | "usedInFeatures">>(`
  SELECT ${COLUMNS}, count(DISTINCT features.project) AS usedInProjects,
    count(DISTINCT features.name) AS usedInFeatures
  FROM segments
  LEFT JOIN strategy_segments ON segment = segments.id
  LEFT JOIN strategies ON strategies.id = strategy
  LEFT JOIN features ON features.name = strategies.feature AND features.archived_at IS NULL
    AND features.project NOT IN (SELECT value FROM json_each(:hidden))
  WHERE ifnull(segments.project, '') NOT IN (SELECT value FROM json_each(:hidden))
  GROUP BY segments.id ORDER BY segments.name`);

const ofStrategy = query<{ strategy: string; hidden: string }, Row>(`
  SELECT ${COLUMNS}
  FROM strategy_segments JOIN segments ON segments.id = segment
  JOIN strategies ON strategies.id = strategy JOIN features ON features.name = feature
  WHERE strategy = :strategy
    AND features.project NOT IN (SELECT value FROM json_each(:hidden))
    AND ifnull(segments.project, '') NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY segments.id`);

const usesOf = query<{ id: number; hidden: string }, StrategyUse>(`
  SELECT strategies.id, project AS projectId, feature AS featureName, strategies.name AS strategyName, environment
  FROM strategy_segments JOIN strategies ON strategies.id = strategy JOIN features ON features.name = feature
  WHERE segment = :id AND project NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY feature, environment, strategies.sort_order, strategies.id`);

export function segmentById(db: Database, id: number): Segment | undefined {
  const row = byId(db).get({ id });
  return row && { ...withProject(row), constraints: JSON.parse(row.constraints) };
}

/** All segments by name. @param hidden projects whose segments are left out and whose flags are not counted */
export const listedSegments = (db: Database, hidden: readonly string[]): Wire<ListedSegment>[] =>
  listed(db)
    .all({ hidden: JSON.stringify(hidden) })
    .map(toWire);

/** A strategy's segments by id; none if there is no such strategy or its project is hidden. */
export const segmentsOfStrategy = (
  db: Database,
  strategy: string,
  hidden: readonly string[],
): Wire<Segment>[] =>
  ofStrategy(db)
    .all({ strategy, hidden: JSON.stringify(hidden) })
    .map(toWire);

/** The strategies that use a segment, including those of archived flags. */
export const strategiesUsing = (db: Database, id: number, hidden: readonly string[] = []): StrategyUse[] =>
  usesOf(db).all({ id, hidden: JSON.stringify(hidden) });

const toWire = <R extends Row>(row: R) => ({
  ...withProject(row),
  constraints: new RawJson<Segment["constraints"]>(row.constraints),
});

const withProject = <R extends Row>({ project, ...row }: R) => ({
  ...row,
  ...(project !== null && { project }),
});
