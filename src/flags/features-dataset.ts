import crypto from "node:crypto";
import * as v from "valibot";
import {
  Flag,
  Id,
  kind,
  Name,
  nameWarnings,
  OptionalText,
  OptionalTime,
  optional,
  Real,
} from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { query, toStored } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { Constraint, constraintWarnings, isNumber } from "../evaluation/constraint.ts";
import { Variant } from "../evaluation/variant.ts";
import { dictionary, PathName, Time } from "../lib/validation.ts";
import { EXPIRED } from "../projects/projects-store.ts";
import { insertDependency } from "./dependencies.ts";
import { insertFeatureFavorite } from "./favorites.ts";
import { insertFeatureEnvironment, markFirstSeen } from "./feature-environments-store.ts";
import { insertLink, LinkOfLine, linkWarnings } from "./feature-links.ts";
import { insertFeatureTag } from "./feature-tags.ts";
import { insertFeature } from "./features-changes.ts";
import { STAGES } from "./features-schema.ts";
import { DEPENDENCIES } from "./features-store.ts";
import { insertStage } from "./lifecycle.ts";
import { insertStrategy } from "./strategies-store.ts";
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
  links: v.optional(v.array(LinkOfLine), []),
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

// A patch omits nulls.
const STAGES_OF_FLAG = `SELECT json_group_array(
    json_patch('{}', json_object('stage', stage, 'enteredAt', entered_at, 'status', status)) ORDER BY entered_at, stage)
  FROM feature_stages WHERE feature = features.name`;

const STRATEGIES = `SELECT json_group_array(json_patch('{}', json_object(
      'id', id, 'name', strategies.name, 'title', title, 'disabled', json(iif(disabled, 'true', 'false')),
      'sortOrder', sort_order, 'segments', json((SELECT json_group_array(segment ORDER BY segment)
        FROM strategy_segments WHERE strategy = strategies.id)),
      'constraints', json(constraints), 'variants', json(strategies.variants), 'parameters', json(parameters)))
    ORDER BY sort_order, id)
  FROM strategies WHERE feature = state.feature AND environment = state.environment`;

const ENVIRONMENTS = `SELECT json_group_array(json_patch('{}', json_object(
      'name', environment, 'enabled', json(iif(enabled, 'true', 'false')), 'lastSeenAt', last_seen_at,
      'variants', json(variants), 'strategies', json((${STRATEGIES}))))
    ORDER BY environment)
  FROM feature_environments AS state WHERE feature = features.name`;

const all = query<object, object>(`
  SELECT name, project, type, description, stale, impression_data AS impressionData, created_at AS createdAt,
    created_by_user_id AS createdByUserId, archived_at AS archivedAt, potentially_stale AS potentiallyStale,
    (${STAGES_OF_FLAG}) AS stages,
    (SELECT json_group_array(json_object('type', type, 'value', value) ORDER BY type, value)
      FROM feature_tags WHERE feature = features.name) AS tags,
    (SELECT json_group_array(user_id ORDER BY user_id)
      FROM feature_favorites WHERE feature = features.name) AS favoritedBy,
    (SELECT nullif(json_group_array(json_patch('{}', json_object('id', id, 'url', url, 'title', title))
        ORDER BY feature_links.rowid), '[]')
      FROM feature_links WHERE feature = features.name) AS links,
    (SELECT ${DEPENDENCIES} FROM feature_dependencies WHERE feature = features.name) AS dependencies,
    (${ENVIRONMENTS}) AS environments
  FROM features ORDER BY name`);

export const feature = kind({
  name: "feature",
  schema: Feature,
  refers: {
    project: "project",
    favoritedBy: "user",
    "tags.type": "tagType",
    "environments.name": "environment",
    "environments.strategies.segments": "segment",
  },
  insert({ tx, db, now }, { stages, tags, favoritedBy, links, dependencies, environments, ...line }) {
    const { name, type } = line;
    const createdAt = line.createdAt ?? now;
    // Filled in, so that an imported flag is not announced as potentially stale.
    const potentiallyStale =
      line.potentiallyStale ?? isExpired(db).get({ type, createdAt, now }) !== undefined;
    insertFeature(tx, toStored({ ...line, createdAt, potentiallyStale }));
    for (const stage of stages) insertStage(tx).run({ feature: name, ...stage });
    for (const tag of tags) {
      ensureTagRow(tx, tag);
      insertFeatureTag(tx).run({ feature: name, ...tag });
    }
    for (const userId of favoritedBy) insertFeatureFavorite(tx).run({ feature: name, userId });
    for (const { id, ...link } of links)
      insertLink(tx).run({ feature: name, id: id ?? crypto.randomUUID(), ...link });
    for (const { feature: parent, ...dependency } of dependencies)
      insertDependency(tx).run(toStored({ feature: name, parent, ...dependency }));
    for (const environment of environments) storeFeatureEnvironment(tx, name, environment);
  },
  rows: (db) => all(db).iterate({}),
  warnings: featureWarnings,
});

/** Stores a flag's state and strategies in an environment. */
function storeFeatureEnvironment(tx: Writing, feature: string, line: FeatureEnvironment) {
  const { name: environment, enabled, lastSeenAt, variants, strategies } = line;
  insertFeatureEnvironment(tx).run(toStored({ feature, environment, enabled, variants }));
  if (lastSeenAt !== null) markFirstSeen(tx, { feature, environment, now: lastSeenAt });
  for (const [index, strategy] of strategies.entries()) {
    const id = strategy.id ?? crypto.randomUUID();
    const sortOrder = strategy.sortOrder ?? index;
    const variants = strategy.variants.map((variant) => withStickiness(variant, strategy));
    insertStrategy(tx).run(toStored({ ...strategy, id, feature, environment, sortOrder, variants }));
    for (const segment of strategy.segments) insertStrategySegment(tx).run({ strategy: id, segment });
  }
}

/** A variant without a stickiness gets its strategy's. */
const withStickiness = (variant: Strategy["variants"][number], { parameters }: Strategy) => ({
  ...variant,
  stickiness: variant.stickiness ?? parameters.stickiness ?? "default",
});

/*
 * What a dataset may contain although the API would reject it: it is stored and returned as it is, but must be
 * corrected before it can be changed. Each warning begins with the path.
 */

function* featureWarnings(db: Database, { name, type, links, environments }: Feature): Generator<string> {
  yield* nameWarnings("name", name);
  yield* linkWarnings(links);
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
