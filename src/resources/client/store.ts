import { type Database, query } from "../../db/statement.ts";
import { EVENT_TYPES } from "../../events/types.ts";
import { RawJson, type Wire } from "../../http/raw-json.ts";
import type { ClientFeature, ClientSegment } from "./schema.ts";

/** The flags that are wanted: of these projects, as they are in an environment. */
export interface Wanted {
  projects: readonly string[];
  environment: string;
  /** What their names begin with, to the letter. */
  namePrefix?: string | undefined;
  /** Any of these, as `type:value`. */
  tags?: readonly string[] | undefined;
  /** Only this one. */
  name?: string | undefined;
}

interface FeatureRow {
  name: string;
  type: string;
  enabled: 0 | 1;
  project: string;
  stale: 0 | 1;
  variants: string;
  description: string | null;
  impressionData: 0 | 1;
  dependencies: string | null;
}

interface Bind {
  projects: string;
  environment: string;
}

// A flag that is nowhere near the environment is off there.
const featuresOf = query<Bind, FeatureRow>(`
  SELECT features.name, features.type, features.project, stale, description, impression_data AS impressionData,
    ifnull(feature_environments.enabled, 0) AND EXISTS (
      SELECT 1 FROM project_environments
      WHERE project_environments.project = features.project AND environment = :environment) AS enabled,
    ifnull(feature_environments.variants, '[]') AS variants,
    (SELECT json_group_array(json(iif(feature_dependencies.enabled,
        json_object('feature', parent, 'enabled', json('true'), 'variants', json(feature_dependencies.variants)),
        json_object('feature', parent, 'enabled', json('false')))) ORDER BY parent)
      FROM feature_dependencies WHERE feature = features.name) AS dependencies
  FROM json_each(:projects) AS wanted
  CROSS JOIN features ON features.project = wanted.value AND features.archived_at IS NULL
  LEFT JOIN feature_environments
    ON feature_environments.feature = features.name AND feature_environments.environment = :environment
  ORDER BY features.name`);

interface StrategyRow {
  feature: string;
  name: string;
  constraints: string;
  parameters: string;
  variants: string;
  segments: string;
}

const strategiesOf = query<Bind, StrategyRow>(`
  SELECT strategies.feature, strategies.name, constraints, parameters, variants,
    (SELECT json_group_array(segment ORDER BY segment) FROM strategy_segments WHERE strategy = strategies.id)
      AS segments
  FROM json_each(:projects) AS wanted
  CROSS JOIN features ON features.project = wanted.value AND features.archived_at IS NULL
  JOIN strategies ON strategies.feature = features.name AND strategies.environment = :environment
  WHERE NOT disabled
  ORDER BY strategies.feature, sort_order, strategies.id`);

const usedSegments = query<object, { id: number; name: string; constraints: string }>(`
  SELECT id, name, constraints FROM segments
  WHERE EXISTS (SELECT 1 FROM strategy_segments WHERE segment = segments.id) ORDER BY id`);

const liveProjects = query<object, string>(`SELECT id FROM projects WHERE archived_at IS NULL ORDER BY id`);

const tagged = query<{ tags: string }, string>(`
  SELECT feature FROM feature_tags WHERE type || ':' || value IN (SELECT value FROM json_each(:tags))`);

// What flags or segments are made of has changed with one of these.
const newestOf = query<{ type: string }, number>(`SELECT max(id) FROM events WHERE type = :type`);

/** The projects that `*` stands for. */
export const allProjects = (db: Database): string[] => liveProjects(db).pluck().all({});

/** Flags as SDKs evaluate them, by name. @param inlines puts the constraints of segments into the strategies */
export function clientFeatures(db: Database, wanted: Wanted, inlines: boolean): Wire<ClientFeature>[] {
  const bind = { projects: JSON.stringify(wanted.projects), environment: wanted.environment };
  const toStrategy = inlines ? inlining(clientSegments(db)) : naming;
  const strategies = Map.groupBy(strategiesOf(db).all(bind), ({ feature }) => feature);
  return featuresOf(db)
    .all(bind)
    .filter(conditionOf(db, wanted))
    .map((row) => toFeature(row, (strategies.get(row.name) ?? []).map(toStrategy)));
}

type SegmentJson = Omit<ClientSegment, "constraints"> & {
  constraints: RawJson<ClientSegment["constraints"]>;
};

/** The segments that any strategy uses. */
export const clientSegments = (db: Database): SegmentJson[] =>
  usedSegments(db)
    .all({})
    .map(({ constraints, ...segment }) => ({ ...segment, constraints: new RawJson(constraints) }));

function conditionOf(db: Database, { namePrefix = "", tags = [], name }: Wanted) {
  const names =
    tags.length > 0
      ? new Set(
          tagged(db)
            .pluck()
            .all({ tags: JSON.stringify(tags) }),
        )
      : undefined;
  return (row: FeatureRow) =>
    row.name.startsWith(namePrefix) && (names?.has(row.name) ?? true) && (name ?? row.name) === row.name;
}

const MOVES = EVENT_TYPES.filter((type) =>
  /^(feature|segment|strategy-order|project-(archived|revived|deleted))/.test(type),
);

/** The newest event that may have changed what applications get. */
export const revision = (db: Database): number =>
  Math.max(...MOVES.map((type) => newestOf(db).pluck().get({ type }) ?? 0));

const toFeature = (row: FeatureRow, strategies: ClientStrategies): Wire<ClientFeature> => ({
  name: row.name,
  type: row.type,
  enabled: row.enabled === 1,
  project: row.project,
  stale: row.stale === 1,
  strategies,
  variants: new RawJson(row.variants),
  description: row.description,
  impressionData: row.impressionData === 1,
  ...(row.dependencies !== "[]" && { dependencies: new RawJson(row.dependencies!) }),
});

type ClientStrategies = Wire<ClientFeature["strategies"][number]>[];

/** Segments by id; left out where there are none. */
const naming = ({
  name,
  constraints,
  parameters,
  variants,
  segments,
}: StrategyRow): ClientStrategies[number] => ({
  name,
  constraints: new RawJson(constraints),
  parameters: new RawJson(parameters),
  variants: new RawJson(variants),
  ...(segments !== "[]" && { segments: new RawJson(segments) }),
});

/** For SDKs that know no segments: their constraints behind the strategy's own. */
const inlining = (segments: SegmentJson[]) => {
  const constraintsOf = new Map(
    segments.map((segment) => [segment.id, segment.constraints.text.slice(1, -1)]),
  );
  return ({ segments: ids, ...row }: StrategyRow): ClientStrategies[number] => {
    const lists = [
      row.constraints.slice(1, -1),
      ...(JSON.parse(ids) as number[]).map((id) => constraintsOf.get(id) ?? ""),
    ];
    const constraints = `[${lists.filter((list) => list !== "").join(",")}]`;
    return naming({ ...row, constraints, segments: "[]" });
  };
};
