import { type Database, perDatabase } from "../db/database.ts";
import { noteRead, query, valueQuery } from "../db/statement.ts";
import type { ClientFeature } from "../evaluation/client-feature.ts";
import { EVENT_TYPES, type EventType } from "../events/schema.ts";
import { RawJson, toJson } from "../lib/raw-json.ts";

/** A flag as SDKs evaluate it in an environment. */
export interface Flag {
  readonly name: string;
  readonly project: string;
  /** A `ClientFeature` as JSON. */
  readonly text: string;
  /** The same as a value, and whether a user always gets the same result: once an evaluator has asked. */
  feature?: ClientFeature;
  isSteady?: boolean;
}

/** A segment in use. */
export interface Segment {
  /** The private projects whose flags use it; null if flags of any other project do. */
  readonly projects: readonly string[] | null;
  /** A `ClientSegment` as JSON. */
  readonly text: string;
}

interface Bind {
  environment: string;
  /** A JSON list; unused for all flags. */
  names: string;
}

const ALL = `projects CROSS JOIN features ON features.project = projects.id AND features.archived_at IS NULL`;
const NAMED = `
  json_each(:names) AS wanted CROSS JOIN features ON features.name = wanted.value AND features.archived_at IS NULL`;

const STRATEGIES = `
  SELECT json_group_array(json_patch(
      json_object('name', name, 'constraints', json(constraints), 'parameters', json(parameters),
        'variants', json(variants)),
      json_object('segments', json(nullif((SELECT json_group_array(segment ORDER BY segment)
        FROM strategy_segments WHERE strategy = strategies.id), '[]'))))
    ORDER BY sort_order, id)
  FROM strategies WHERE feature = features.name AND environment = :environment AND NOT disabled`;

const DEPENDENCIES = `
  SELECT json_group_array(json(iif(enabled,
      json_object('feature', parent, 'enabled', json('true'), 'variants', json(variants)),
      json_object('feature', parent, 'enabled', json('false')))) ORDER BY parent)
  FROM feature_dependencies WHERE feature = features.name`;

const bool = (value: string) => `json(iif(${value}, 'true', 'false'))`;

// A flag without a state in the environment is off there, and so is one whose project lacks the environment. A patch leaves
// out what is null: segments and dependencies, if there are none.
const flagsFrom = (source: string) =>
  query<Bind, Flag>(`
    SELECT features.name, features.project, json_patch(
      json_object('name', features.name, 'type', features.type,
        'enabled', ${bool(`ifnull(state.enabled, 0) AND EXISTS (
          SELECT 1 FROM project_environments AS own
          WHERE own.project = features.project AND own.environment = :environment)`)},
        'project', features.project, 'stale', ${bool("stale")}, 'strategies', json((${STRATEGIES})),
        'variants', json(ifnull(state.variants, '[]')), 'description', features.description,
        'impressionData', ${bool("impression_data")}),
      json_object('dependencies', json(nullif((${DEPENDENCIES}), '[]')))) AS text
    FROM ${source}
    LEFT JOIN feature_environments AS state ON state.feature = features.name AND state.environment = :environment
    ORDER BY features.name`);

const all = flagsFrom(ALL);
const named = flagsFrom(NAMED);

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

export const liveProjects = valueQuery<object, string>(
  `SELECT id FROM projects WHERE archived_at IS NULL ORDER BY id`,
);

const tagged = valueQuery<{ tags: string }, string>(`
  SELECT feature FROM feature_tags WHERE type || ':' || value IN (SELECT value FROM json_each(:tags))`);

// Events of this type mean that some flags or segments have changed.
const newestOf = valueQuery<{ type: string }, number>(`SELECT max(id) FROM events WHERE type = :type`);

export const recordedAfter = query<{ id: number }, { type: EventType; featureName: string | null }>(`
  SELECT type, feature_name AS featureName FROM events WHERE id > :id`);

/** The flags of an environment as another server has made them. */
export interface ForeignFlags {
  /** By name. */
  flags: readonly Flag[];
  segments: ReadonlyMap<number, Segment>;
  revision: number;
}

const foreign = perDatabase((): { of?: (environment: string) => ForeignFlags } => ({}));

/** What is written when such flags change; no table of ours. */
export const FOREIGN = "foreign flags";

/** From here on, applications get another server's flags; `bump(db, [FOREIGN])` says that they have changed. */
export const serveForeign = (db: Database, of: (environment: string) => ForeignFlags) =>
  void Object.assign(foreign(db), { of });

/** The flags of another server, if those are served. */
export function foreignFlags(db: Database, environment: string): ForeignFlags | undefined {
  const { of } = foreign(db);
  if (of) noteRead({ tables: [FOREIGN] });
  return of?.(environment);
}

/** The live flags of an environment by name, or those with the given names. */
export function flags(db: Database, environment: string, names?: Iterable<string>): readonly Flag[] {
  const others = foreignFlags(db, environment);
  if (others) return others.flags;
  const bind = { environment, names: JSON.stringify([...(names ?? [])]) };
  return (names ? named : all)(db).all(bind);
}

export const segmentsInUse = (db: Database, environment: string): ReadonlyMap<number, Segment> =>
  foreignFlags(db, environment)?.segments ??
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
  new Set(tagged(db).all({ tags: JSON.stringify(tags) }));

const FLAG_EVENTS = EVENT_TYPES.filter((type) =>
  /^(feature|segment|strategy-order|project-(archived|revived|deleted|environment))/.test(type),
);

/** The newest event that may have changed what applications receive. */
export const revision = (db: Database, environment: string): number =>
  foreignFlags(db, environment)?.revision ??
  Math.max(...FLAG_EVENTS.map((type) => newestOf(db).get({ type }) ?? 0));
