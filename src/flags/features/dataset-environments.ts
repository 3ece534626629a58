import crypto from "node:crypto";
import * as v from "valibot";
import {
  bit,
  Flag,
  Id,
  Name,
  OptionalText,
  OptionalTime,
  optional,
  Real,
  withoutNulls,
} from "../../dataset/kind.ts";
import type { Database } from "../../db/database.ts";
import { query } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import { Constraint } from "../../evaluation/constraint.ts";
import { Variant } from "../../evaluation/variant.ts";
import { dictionary, PathName } from "../../lib/validation.ts";
import {
  type FeatureEnvironmentRow,
  type FeatureScope,
  insertFeatureEnvironment,
  markFirstSeen,
} from "../feature-environments-store.ts";
import { insertStrategy, type StoredParts, type StrategyRow, toValues } from "../strategies-store.ts";
import { insertStrategySegment } from "../strategy-segments.ts";

/** The default for variants from other systems, as in SDKs. */
const WEIGHT_TYPE = { weightType: v.optional(Variant.entries.weightType, "variable") };
const StrategyVariant = v.strictObject({
  ...Variant.entries,
  ...WEIGHT_TYPE,
  stickiness: v.optional(v.string()),
});

const Strategy = v.strictObject({
  id: optional(PathName),
  name: Name,
  title: OptionalText,
  disabled: Flag(false),
  sortOrder: optional(Real),
  segments: v.optional(v.array(Id), []),
  constraints: v.optional(v.array(Constraint), []),
  variants: v.optional(v.array(StrategyVariant), []),
  parameters: v.optional(dictionary(v.string()), {}),
});
type Strategy = v.InferOutput<typeof Strategy>;

/** A flag in one environment, as part of the flag's line. */
export const FeatureEnvironment = v.strictObject({
  name: Name,
  enabled: Flag(false),
  lastSeenAt: OptionalTime,
  variants: v.optional(
    v.array(
      v.strictObject({
        ...Variant.entries,
        ...WEIGHT_TYPE,
        stickiness: v.optional(v.string(), "default"),
      }),
    ),
    [],
  ),
  strategies: v.optional(v.array(Strategy), []),
});
type FeatureEnvironment = v.InferOutput<typeof FeatureEnvironment>;

const environments = query<{ feature: string }, FeatureEnvironmentRow>(`
  SELECT environment, enabled, last_seen_at AS lastSeenAt, variants FROM feature_environments
  WHERE feature = :feature ORDER BY environment`);

const strategies = query<FeatureScope, StrategyRow & StoredParts>(`
  SELECT id, name, title, disabled, sort_order AS sortOrder,
    (SELECT json_group_array(segment ORDER BY segment) FROM strategy_segments WHERE strategy = strategies.id)
      AS segments,
    constraints, variants, parameters
  FROM strategies WHERE feature = :feature AND environment = :environment ORDER BY sort_order, id`);

/** Stores a flag's state and strategies in an environment; their references have been checked. */
export function storeFeatureEnvironment(tx: Writing, feature: string, line: FeatureEnvironment) {
  const { name: environment, lastSeenAt } = line;
  const variants = JSON.stringify(line.variants);
  insertFeatureEnvironment(tx).run({ feature, environment, enabled: bit(line.enabled), variants });
  if (lastSeenAt !== null) markFirstSeen(tx, { feature, environment, now: lastSeenAt });
  for (const [index, strategy] of line.strategies.entries()) {
    const id = strategy.id ?? crypto.randomUUID();
    insertStrategy(tx).run({ feature, environment, ...toRow(strategy, id, index) });
    for (const segment of strategy.segments) insertStrategySegment(tx).run({ strategy: id, segment });
  }
}

/** The same parts, read back for an export. */
export const environmentsOf = (db: Database, feature: string) =>
  environments(db)
    .all({ feature })
    .map(({ environment, ...row }) =>
      withoutNulls({
        name: environment,
        enabled: row.enabled === 1,
        lastSeenAt: row.lastSeenAt,
        variants: JSON.parse(row.variants),
        strategies: strategies(db)
          .all({ feature, environment })
          .map((strategy) => withoutNulls(toValues(strategy))),
      }),
    );

const toRow = (strategy: Strategy, id: string, index: number): StrategyRow => ({
  id,
  name: strategy.name,
  title: strategy.title,
  disabled: bit(strategy.disabled),
  sortOrder: strategy.sortOrder ?? index,
  constraints: JSON.stringify(strategy.constraints),
  variants: JSON.stringify(strategy.variants.map((variant) => withStickiness(variant, strategy))),
  parameters: JSON.stringify(strategy.parameters),
});

/** A variant without a stickiness gets its strategy's. */
const withStickiness = (variant: Strategy["variants"][number], { parameters }: Strategy) => ({
  ...variant,
  stickiness: variant.stickiness ?? parameters.stickiness ?? "default",
});
