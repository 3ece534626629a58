import { type Database, query } from "../../db/statement.ts";
import type { Strategy } from "../../evaluation/strategy.ts";
import { RawJson, type Wire } from "../../lib/raw-json.ts";

/** The columns of a strategy that are not stored as plain values; lists and objects are JSON. */
export interface StoredParts extends Record<"segments" | "constraints" | "variants" | "parameters", string> {
  disabled: 0 | 1;
}

/** The same as values. */
interface Parts<Segment> extends Pick<Strategy, "disabled" | "constraints" | "variants" | "parameters"> {
  segments: Segment[];
}

type StrategyRow = Omit<Strategy, keyof StoredParts> & StoredParts;

const COLUMNS = `strategies.id, strategies.name, title, disabled, feature AS featureName, sort_order AS sortOrder,
  (SELECT json_group_array(segment ORDER BY segment) FROM strategy_segments WHERE strategy = strategies.id)
    AS segments,
  constraints, variants, parameters`;

const strategiesInOrder = query<{ feature: string; environment: string }, StrategyRow>(`
  SELECT ${COLUMNS}
  FROM strategies WHERE feature = :feature AND environment = :environment
  ORDER BY sort_order, id`);

/** A strategy, its project and environment. */
export type PlacedStrategy = Strategy & { project: string; environment: string };

const byId = query<{ id: string }, StrategyRow & Pick<PlacedStrategy, "project" | "environment">>(`
  SELECT ${COLUMNS}, project, environment
  FROM strategies JOIN features ON features.name = feature WHERE strategies.id = :id`);

const count = query<{ feature: string; environment: string }, number>(`
  SELECT count(*) FROM strategies WHERE feature = :feature AND environment = :environment`);

const ownerOfSegment = query<{ id: number }, { project: string | null; name: string }>(`
  SELECT project, name FROM segments WHERE id = :id`);

/** A feature's strategies in an environment, in order. */
export const strategies = (db: Database, feature: string, environment: string): Wire<Strategy>[] =>
  strategiesInOrder(db).all({ feature, environment }).map(toStrategy);

const enabled = query<{ feature: string; environment: string }, 0 | 1>(`
  SELECT enabled FROM feature_environments WHERE feature = :feature AND environment = :environment`);

/** Whether a flag is on in an environment. */
export const isEnabled = (db: Database, feature: string, environment: string): boolean =>
  enabled(db).pluck().get({ feature, environment }) === 1;

/** The same as values, as the basis for changes. */
export const strategiesAsValues = (db: Database, feature: string, environment: string): Strategy[] =>
  strategiesInOrder(db).all({ feature, environment }).map(toValues);

const usable = query<{ feature: string; environment: string; countsDisabled: 0 | 1 }>(`
  SELECT 1 FROM strategies
  WHERE feature = :feature AND environment = :environment AND (:countsDisabled OR NOT disabled) LIMIT 1`);

/**
 * Whether a flag gets the default strategy when it is enabled: if it has no enabled strategy, unless its disabled ones
 * are to be enabled (original).
 */
export const getsStrategy = (
  db: Database,
  { feature, environment }: { feature: string; environment: string },
  enablesStrategies: boolean,
): boolean => !usable(db).get({ feature, environment, countsDisabled: enablesStrategies ? 1 : 0 });

/** The strategy with this id, of any flag; undefined if there is none. */
export function placedStrategy(db: Database, id: string): PlacedStrategy | undefined {
  const row = byId(db).get({ id });
  return row && { ...toValues(row), project: row.project, environment: row.environment };
}

export const strategyCount = (db: Database, feature: string, environment: string): number =>
  count(db).pluck().get({ feature, environment })!;

/** A segment's name and the project that it is limited to, or null; undefined if there is no such segment. */
export const segmentOwner = (db: Database, id: number) => ownerOfSegment(db).get({ id });

/** A row with its stored parts as values. Segments are ids, or what the query selects for them. */
export const toValues = <Row extends StoredParts, Segment = number>(
  row: Row,
): Omit<Row, keyof StoredParts> & Parts<Segment> => ({
  ...row,
  disabled: row.disabled === 1,
  segments: JSON.parse(row.segments),
  constraints: JSON.parse(row.constraints),
  variants: JSON.parse(row.variants),
  parameters: JSON.parse(row.parameters),
});

const toStrategy = (row: StrategyRow): Wire<Strategy> => ({
  ...row,
  disabled: row.disabled === 1,
  segments: new RawJson(row.segments),
  constraints: new RawJson(row.constraints),
  variants: new RawJson(row.variants),
  parameters: new RawJson(row.parameters),
});
