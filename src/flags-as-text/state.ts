import type { Database } from "../db/database.ts";
import { query, type Stored } from "../db/statement.ts";
import type { Constraint } from "../evaluation/constraint.ts";
import type { Strategy } from "../evaluation/strategy.ts";
import { toFeature } from "../flags/features-store.ts";
import { toStrategy } from "../flags/strategies-store.ts";
import { environmentsOf } from "../projects/project-environments.ts";

/** A strategy with the names of its segments, which identify them in text form. */
export type NamedStrategy = Omit<Strategy, "segments" | "featureName" | "sortOrder"> & { segments: string[] };

export interface FlagState {
  type: string;
  description: string | null;
  stale: boolean;
  impressionData: boolean;
  archived: boolean;
  /** Whether it depends on another flag. */
  hasParents: boolean;
  /** The environments where it is on or has strategies. */
  environments: Map<string, { enabled: boolean; strategies: NamedStrategy[] }>;
}

export interface SegmentState {
  id: number;
  description: string | null;
  constraints: Constraint[];
}

/** The part of a project that its text form includes. */
export interface ProjectState {
  environments: string[];
  flags: Map<string, FlagState>;
  segments: Map<string, SegmentState>;
}

type FlagRow = Stored<Omit<FlagState, "environments">> & { name: string };

const flagsOf = query<{ project: string }, FlagRow>(`
  SELECT name, type, description, stale, impression_data AS impressionData, archived_at IS NOT NULL AS archived,
    EXISTS (SELECT 1 FROM feature_dependencies WHERE feature = name) AS hasParents
  FROM features WHERE project = :project ORDER BY name`);

const enabledOf = query<{ project: string }, { feature: string; environment: string }>(`
  SELECT feature, environment FROM features
  JOIN feature_environments ON feature = name WHERE project = :project AND enabled`);

type StrategyRow = Stored<NamedStrategy> & { feature: string; environment: string };

const strategiesOf = query<{ project: string }, StrategyRow>(`
  SELECT strategies.id, strategies.name, title, disabled, feature, environment, constraints, variants, parameters,
    (SELECT json_group_array(segments.name ORDER BY segments.name)
      FROM strategy_segments JOIN segments ON segments.id = segment WHERE strategy = strategies.id) AS segments
  FROM features JOIN strategies ON feature = features.name
  WHERE project = :project
    AND environment IN (SELECT environment FROM project_environments WHERE project = :project)
  ORDER BY feature, environment, sort_order, strategies.id`);

const segmentsOf = query<
  { project: string | null },
  { id: number; name: string; description: string | null; constraints: string }
>(`
  SELECT id, name, description, constraints FROM segments WHERE project IS :project ORDER BY name`);

/** The segments of a project, or of none, by name. */
export const segmentStates = (db: Database, project: string | null): Map<string, SegmentState> =>
  new Map(
    segmentsOf(db)
      .all({ project })
      .map(({ name, ...row }) => [name, { ...row, constraints: JSON.parse(row.constraints) }]),
  );

/** The content of an existing project. */
export function projectState(db: Database, project: string): ProjectState {
  const flags = new Map(
    flagsOf(db)
      .all({ project })
      .map((row) => [row.name, toFlag(row)]),
  );
  const stateOf = ({ feature, environment }: { feature: string; environment: string }) => {
    const { environments } = flags.get(feature)!;
    const state = environments.get(environment) ?? { enabled: false, strategies: [] };
    environments.set(environment, state);
    return state;
  };
  for (const row of strategiesOf(db).all({ project })) stateOf(row).strategies.push(toNamed(row));
  for (const row of enabledOf(db).all({ project })) stateOf(row).enabled = true;
  return { environments: environmentsOf(db, project), flags, segments: segmentStates(db, project) };
}

const toFlag = ({ name: _, ...row }: FlagRow): FlagState => ({
  ...toFeature(row),
  archived: row.archived === 1,
  hasParents: row.hasParents === 1,
  environments: new Map(),
});

const toNamed = ({ feature: _, environment: __, ...row }: StrategyRow) =>
  toStrategy(row) as object as NamedStrategy;
