import { type Database, query } from "../../db/statement.ts";
import { RawJson, type Wire } from "../../http/raw-json.ts";
import type { Strategy } from "./schema.ts";

type StrategyRow = Omit<Strategy, "disabled" | "segments" | "constraints" | "variants" | "parameters"> & {
  disabled: 0 | 1;
} & Record<"segments" | "constraints" | "variants" | "parameters", string>;

const strategiesInOrder = query<{ feature: string; environment: string }, StrategyRow>(`
  SELECT id, name, title, disabled, feature AS featureName, sort_order AS sortOrder,
    (SELECT json_group_array(segment ORDER BY segment) FROM strategy_segments WHERE strategy = strategies.id)
      AS segments,
    constraints, variants, parameters
  FROM strategies WHERE feature = :feature AND environment = :environment
  ORDER BY sort_order, id`);

/** A feature's strategies in an environment, in order. */
export const strategies = (db: Database, feature: string, environment: string): Wire<Strategy>[] =>
  strategiesInOrder(db).all({ feature, environment }).map(toStrategy);

const enabled = query<{ feature: string; environment: string }, 0 | 1>(`
  SELECT enabled FROM feature_environments WHERE feature = :feature AND environment = :environment`);

/** Whether a flag is on in an environment. */
export const isEnabled = (db: Database, feature: string, environment: string): boolean =>
  enabled(db).pluck().get({ feature, environment }) === 1;

/** The same as values, for changes to start from. */
export const strategiesAsValues = (db: Database, feature: string, environment: string): Strategy[] =>
  strategiesInOrder(db).all({ feature, environment }).map(toValues);

const toValues = (row: StrategyRow): Strategy => ({
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
