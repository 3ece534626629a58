import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";
import type { ClientFeature } from "../evaluation/client-feature.ts";
import { EVENT_TYPES, type EventType } from "../events/schema.ts";
import { RawJson, toJson, type Wire } from "../lib/raw-json.ts";

/** A flag as SDKs evaluate it in an environment. */
export interface Flag {
  readonly name: string;
  readonly project: string;
  /** A `ClientFeature` as JSON. */
  readonly text: string;
}

/** A segment in use. */
export interface Segment {
  /** The private projects whose flags use it; null if flags of any other project do. */
  readonly projects: readonly string[] | null;
  /** A `ClientSegment` as JSON. */
  readonly text: string;
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

interface StrategyRow {
  feature: string;
  name: string;
  constraints: string;
  parameters: string;
  variants: string;
  segments: string;
}

interface Bind {
  environment: string;
  /** A JSON list; unused for all flags. */
  names: string;
}

const ALL = `projects CROSS JOIN features ON features.project = projects.id AND features.archived_at IS NULL`;
const NAMED = `
  json_each(:names) AS wanted CROSS JOIN features ON features.name = wanted.value AND features.archived_at IS NULL`;

// A flag without a state in the environment is off there, and so is one whose project lacks the environment.
const featuresFrom = (source: string) =>
  query<Bind, FeatureRow>(`
    SELECT features.name, features.type, features.project, stale, features.description,
      impression_data AS impressionData,
      ifnull(feature_environments.enabled, 0) AND EXISTS (
        SELECT 1 FROM project_environments
        WHERE project_environments.project = features.project AND environment = :environment) AS enabled,
      ifnull(feature_environments.variants, '[]') AS variants,
      (SELECT json_group_array(json(iif(feature_dependencies.enabled,
          json_object('feature', parent, 'enabled', json('true'), 'variants', json(feature_dependencies.variants)),
          json_object('feature', parent, 'enabled', json('false')))) ORDER BY parent)
        FROM feature_dependencies WHERE feature = features.name) AS dependencies
    FROM ${source}
    LEFT JOIN feature_environments
      ON feature_environments.feature = features.name AND feature_environments.environment = :environment
    ORDER BY features.name`);

const strategiesFrom = (source: string) =>
  query<Bind, StrategyRow>(`
    SELECT strategies.feature, strategies.name, constraints, parameters, variants,
      (SELECT json_group_array(segment ORDER BY segment) FROM strategy_segments WHERE strategy = strategies.id)
        AS segments
    FROM ${source}
    JOIN strategies ON strategies.feature = features.name AND strategies.environment = :environment
    WHERE NOT disabled
    ORDER BY strategies.feature, strategies.sort_order, strategies.id`);

const all = { features: featuresFrom(ALL), strategies: strategiesFrom(ALL) };
const named = { features: featuresFrom(NAMED), strategies: strategiesFrom(NAMED) };

const users = (isPrivate: string) => `
  strategy_segments JOIN strategies ON strategies.id = strategy JOIN features ON features.name = feature
  JOIN projects ON projects.id = features.project WHERE segment = segments.id AND ${isPrivate}`;

const usedSegments = query<
  object,
  { id: number; name: string; constraints: string; projects: string | null }
>(`
  SELECT * FROM (
    SELECT id, name, constraints, iif(EXISTS (SELECT 1 FROM ${users("mode <> 'private'")}), NULL,
      (SELECT json_group_array(DISTINCT projects.id) FROM ${users("mode = 'private'")})) AS projects
    FROM segments)
  WHERE projects IS NOT '[]' ORDER BY id`);

export const liveProjects = query<object, string>(
  `SELECT id FROM projects WHERE archived_at IS NULL ORDER BY id`,
);

const tagged = query<{ tags: string }, string>(`
  SELECT feature FROM feature_tags WHERE type || ':' || value IN (SELECT value FROM json_each(:tags))`);

// Events of this type mean that some flags or segments have changed.
const newestOf = query<{ type: string }, number>(`SELECT max(id) FROM events WHERE type = :type`);

export const recordedAfter = query<{ id: number }, { type: EventType; featureName: string | null }>(`
  SELECT type, feature_name AS featureName FROM events WHERE id > :id`);

/** The live flags of an environment by name, or those with the given names. */
export function flags(db: Database, environment: string, names?: Iterable<string>): Flag[] {
  const bind = { environment, names: JSON.stringify([...(names ?? [])]) };
  const from = names ? named : all;
  const strategies = Map.groupBy(from.strategies(db).all(bind), ({ feature }) => feature);
  return from
    .features(db)
    .all(bind)
    .map((row) => toFlag(row, (strategies.get(row.name) ?? []).map(toStrategy)));
}

export const segmentsInUse = (db: Database): Map<number, Segment> =>
  new Map(
    usedSegments(db)
      .all({})
      .map(({ projects, constraints, ...row }) => [
        row.id,
        {
          projects: projects === null ? null : JSON.parse(projects),
          text: toJson({ ...row, constraints: new RawJson(constraints) }),
        },
      ]),
  );

/** The names of flags with any of these tags, written as `type:value`. */
export const flagsTagged = (db: Database, tags: readonly string[]): Set<string> =>
  new Set(
    tagged(db)
      .pluck()
      .all({ tags: JSON.stringify(tags) }),
  );

const FLAG_EVENTS = EVENT_TYPES.filter((type) =>
  /^(feature|segment|strategy-order|project-(archived|revived|deleted|environment))/.test(type),
);

/** The newest event that may have changed what applications receive. */
export const revision = (db: Database): number =>
  Math.max(...FLAG_EVENTS.map((type) => newestOf(db).pluck().get({ type }) ?? 0));

const toFlag = (row: FeatureRow, strategies: Wire<ClientFeature["strategies"]>): Flag => ({
  name: row.name,
  project: row.project,
  text: toJson({
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
  } satisfies Wire<ClientFeature>),
});

/** Segments as ids; omitted if there are none. */
const toStrategy = ({ name, constraints, parameters, variants, segments }: StrategyRow) => ({
  name,
  constraints: new RawJson<ClientFeature["strategies"][number]["constraints"]>(constraints),
  parameters: new RawJson<Record<string, string>>(parameters),
  variants: new RawJson<ClientFeature["strategies"][number]["variants"]>(variants),
  ...(segments !== "[]" && { segments: new RawJson<number[]>(segments) }),
});
