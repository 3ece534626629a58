import crypto from "node:crypto";
import * as v from "valibot";
import {
  bit,
  Flag,
  Id,
  type ImportContext,
  kind,
  Name,
  nameWarnings,
  OptionalText,
  OptionalTime,
  optional,
  Real,
  requireAllKnown,
  requireKnown,
  withoutNulls,
} from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { Constraint, constraintWarnings, isNumber } from "../evaluation/constraint.ts";
import { Variant } from "../evaluation/variant.ts";
import { dictionary, PathName, Time } from "../lib/validation.ts";
import { EXPIRED } from "../projects/projects-store.ts";
import { insertDependency } from "./dependencies.ts";
import { insertFeatureFavorite } from "./favorites.ts";
import {
  type FeatureEnvironmentRow,
  type FeatureScope,
  insertFeatureEnvironment,
  markFirstSeen,
} from "./feature-environments-store.ts";
import { insertFeatureTag } from "./feature-tags.ts";
import { type FeatureRow, insertFeature } from "./features-changes.ts";
import { STAGES } from "./features-schema.ts";
import { DEPENDENCIES, withBooleans } from "./features-store.ts";
import { insertStage } from "./lifecycle.ts";
import { insertStrategy, type StoredParts, type StrategyRow, toValues } from "./strategies-store.ts";
import { insertStrategySegment } from "./strategy-segments.ts";
import { ensureTagRow, TagPart } from "./tags.ts";

/** Variants from other systems get the default weight type, as in SDKs. */
const Variants = <S extends v.GenericSchema>(stickiness: S) =>
  v.optional(
    v.array(
      v.strictObject({
        ...Variant.entries,
        weightType: v.optional(Variant.entries.weightType, "variable"),
        stickiness,
      }),
    ),
    [],
  );

const Strategy = v.strictObject({
  id: optional(PathName),
  name: Name,
  title: OptionalText,
  disabled: Flag(false),
  sortOrder: optional(Real),
  segments: v.optional(v.array(Id), []),
  constraints: v.optional(v.array(Constraint), []),
  variants: Variants(v.optional(v.string())),
  parameters: v.optional(dictionary(v.string()), {}),
});
type Strategy = v.InferOutput<typeof Strategy>;

/** A flag in one environment, as part of the flag's line. */
const FeatureEnvironment = v.strictObject({
  name: Name,
  enabled: Flag(false),
  lastSeenAt: OptionalTime,
  variants: Variants(v.optional(v.string(), "default")),
  strategies: v.optional(v.array(Strategy), []),
});
type FeatureEnvironment = v.InferOutput<typeof FeatureEnvironment>;

const Feature = v.strictObject({
  name: PathName,
  project: Name,
  type: v.optional(Name, "release"),
  description: OptionalText,
  stale: Flag(false),
  impressionData: Flag(false),
  createdAt: OptionalTime,
  createdByUserId: v.nullish(v.pipe(v.number(), v.safeInteger()), null),
  archivedAt: OptionalTime,
  potentiallyStale: optional(v.boolean()),
  stages: v.optional(
    v.array(v.strictObject({ stage: v.picklist(STAGES), enteredAt: Time, status: OptionalText })),
    [],
  ),
  tags: v.optional(v.array(v.strictObject({ type: Name, value: TagPart })), []),
  favoritedBy: v.optional(v.array(Id), []),
  dependencies: v.optional(
    v.array(
      v.strictObject({ feature: Name, enabled: Flag(true), variants: v.optional(v.array(v.string()), []) }),
    ),
    [],
  ),
  environments: v.optional(v.array(FeatureEnvironment), []),
});
type Feature = v.InferOutput<typeof Feature>;

const isExpired = query<{ type: string; createdAt: string; now: string }>(`
  WITH ${EXPIRED} SELECT 1 FROM expired WHERE type = :type AND :createdAt < before`);

const all = query<object, FeatureRow & Record<"stages" | "tags" | "favoritedBy" | "dependencies", string>>(`
  SELECT name, project, type, description, stale, impression_data AS impressionData, created_at AS createdAt,
    created_by_user_id AS createdByUserId, archived_at AS archivedAt, potentially_stale AS potentiallyStale,
    (SELECT json_group_array(json_object('stage', stage, 'enteredAt', entered_at, 'status', status)
        ORDER BY entered_at, stage)
      FROM feature_stages WHERE feature = features.name) AS stages,
    (SELECT json_group_array(json_object('type', type, 'value', value) ORDER BY type, value)
      FROM feature_tags WHERE feature = features.name) AS tags,
    (SELECT json_group_array(user_id ORDER BY user_id)
      FROM feature_favorites WHERE feature = features.name) AS favoritedBy,
    (SELECT ${DEPENDENCIES} FROM feature_dependencies WHERE feature = features.name) AS dependencies
  FROM features ORDER BY name`);

export const feature = kind({
  name: "feature",
  schema: Feature,
  insert(context, line) {
    const { tx, db } = context;
    requireReferences(db, line);
    insertFeature(tx, toFeatureRow(context, line));
    for (const stage of line.stages) insertStage(tx).run({ feature: line.name, ...stage });
    for (const tag of line.tags) {
      ensureTagRow(tx, tag);
      insertFeatureTag(tx).run({ feature: line.name, ...tag });
    }
    for (const userId of line.favoritedBy) insertFeatureFavorite(tx).run({ feature: line.name, userId });
    for (const { feature: parent, enabled, variants } of line.dependencies) {
      insertDependency(tx).run({
        feature: line.name,
        parent,
        enabled: bit(enabled),
        variants: JSON.stringify(variants),
      });
    }
    for (const environment of line.environments) storeFeatureEnvironment(tx, line.name, environment);
  },
  *rows(db) {
    for (const row of all(db).iterate({})) {
      yield withoutNulls({
        ...withBooleans(row),
        potentiallyStale: row.potentiallyStale === 1,
        stages: JSON.parse(row.stages).map(withoutNulls),
        tags: JSON.parse(row.tags),
        favoritedBy: JSON.parse(row.favoritedBy),
        dependencies: JSON.parse(row.dependencies),
        environments: environmentsOf(db, row.name),
      });
    }
  },
  warnings: featureWarnings,
});

function requireReferences(db: Database, { project, tags, favoritedBy, environments }: Feature) {
  requireKnown(db, "project", project, "project");
  requireAllKnown(db, "user", favoritedBy, "favoritedBy");
  for (const [index, { type }] of tags.entries()) requireKnown(db, "tagType", type, `tags.${index}.type`);
  for (const [index, { name, strategies }] of environments.entries()) {
    requireKnown(db, "environment", name, `environments.${index}.name`);
    for (const [order, { segments }] of strategies.entries()) {
      requireAllKnown(db, "segment", segments, `environments.${index}.strategies.${order}.segments`);
    }
  }
}

/** Fills in missing values, so that an imported flag is not announced as potentially stale. */
function toFeatureRow({ db, now }: ImportContext, line: Feature): FeatureRow {
  const createdAt = line.createdAt ?? now;
  const isAged =
    line.potentiallyStale ?? isExpired(db).get({ type: line.type, createdAt, now }) !== undefined;
  return {
    ...line,
    stale: bit(line.stale),
    impressionData: bit(line.impressionData),
    createdAt,
    potentiallyStale: bit(isAged),
  };
}

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
function storeFeatureEnvironment(tx: Writing, feature: string, line: FeatureEnvironment) {
  const { name: environment, lastSeenAt } = line;
  const variants = JSON.stringify(line.variants);
  insertFeatureEnvironment(tx).run({ feature, environment, enabled: bit(line.enabled), variants });
  if (lastSeenAt !== null) markFirstSeen(tx, { feature, environment, now: lastSeenAt });
  for (const [index, strategy] of line.strategies.entries()) {
    const id = strategy.id ?? crypto.randomUUID();
    insertStrategy(tx).run({ feature, environment, ...toStrategyRow(strategy, id, index) });
    for (const segment of strategy.segments) insertStrategySegment(tx).run({ strategy: id, segment });
  }
}

/** The same parts, read back for an export. */
const environmentsOf = (db: Database, feature: string) =>
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

const toStrategyRow = (strategy: Strategy, id: string, index: number): StrategyRow => ({
  ...strategy,
  id,
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

/*
 * What a dataset may contain although the API would reject it: it is stored and returned as it is, but must be
 * corrected before it can be changed. Each warning begins with the path.
 */

function* featureWarnings(db: Database, { name, type, environments }: Feature): Generator<string> {
  yield* nameWarnings("name", name);
  if (!isKnown(db, "featureType", type)) yield `type: there is no flag type ${JSON.stringify(type)}`;
  for (const [index, { variants, strategies }] of environments.entries()) {
    yield* weightWarnings(`environments.${index}.variants`, variants);
    for (const [order, strategy] of strategies.entries())
      yield* strategyWarnings(db, `environments.${index}.strategies.${order}`, strategy);
  }
}

function* strategyWarnings(db: Database, path: string, strategy: Strategy): Generator<string> {
  const { name, parameters, constraints, variants } = strategy;
  if (!isKnown(db, "strategyType", name)) yield `${path}.name: there is no strategy ${JSON.stringify(name)}`;
  const { rollout = "100" } = parameters;
  if (name === "flexibleRollout" && !(isNumber(rollout) && Number(rollout) >= 0 && Number(rollout) <= 100))
    yield `${path}.parameters.rollout: must be 0 to 100, not ${JSON.stringify(rollout)}`;
  yield* constraintWarnings(`${path}.constraints`, constraints);
  yield* weightWarnings(`${path}.variants`, variants);
}

function* weightWarnings(path: string, variants: ReadonlyArray<{ weight: number }>): Generator<string> {
  const sum = variants.reduce((total, { weight }) => total + weight, 0);
  if (variants.length > 0 && sum !== 1000) yield `${path}: the weights must add up to 1000, not ${sum}`;
}
