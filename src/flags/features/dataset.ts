import * as v from "valibot";
import {
  bit,
  Flag,
  Id,
  type ImportContext,
  kind,
  Name,
  OptionalText,
  OptionalTime,
  optional,
  requireAllKnown,
  requireKnown,
  withoutNulls,
} from "../../dataset/kind.ts";
import type { Database } from "../../db/database.ts";
import { query } from "../../db/statement.ts";
import { PathName, Time } from "../../lib/validation.ts";
import { EXPIRED } from "../../projects/projects-store.ts";
import { insertDependency } from "../dependencies.ts";
import { insertFeatureFavorite } from "../favorites.ts";
import { insertFeatureTag } from "../feature-tags.ts";
import { insertStage, STAGES } from "../lifecycle.ts";
import { ensureTagRow, TagPart } from "../tags.ts";
import { type FeatureRow, insertFeature } from "./changes.ts";
import { environmentsOf, FeatureEnvironment, storeFeatureEnvironment } from "./dataset-environments.ts";
import { featureWarnings } from "./warnings.ts";

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
  tags: v.optional(
    v.array(
      v.strictObject({
        type: Name,
        value: TagPart,
      }),
    ),
    [],
  ),
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
    (SELECT json_group_array(json_object('feature', parent, 'enabled', json(iif(enabled, 'true', 'false')),
        'variants', json(variants)) ORDER BY parent)
      FROM feature_dependencies WHERE feature = features.name) AS dependencies
  FROM features ORDER BY name`);

export const feature = kind({
  name: "feature",
  schema: Feature,
  insert(context, line) {
    const { tx, db } = context;
    requireReferences(db, line);
    insertFeature(tx, toRow(context, line));
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
        ...row,
        stale: row.stale === 1,
        impressionData: row.impressionData === 1,
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
const toRow = ({ db, now }: ImportContext, { createdAt, ...line }: Feature): FeatureRow => ({
  name: line.name,
  project: line.project,
  type: line.type,
  description: line.description,
  stale: bit(line.stale),
  impressionData: bit(line.impressionData),
  createdAt: createdAt ?? now,
  createdByUserId: line.createdByUserId,
  archivedAt: line.archivedAt,
  potentiallyStale: bit(
    line.potentiallyStale ??
      isExpired(db).get({ type: line.type, createdAt: createdAt ?? now, now }) !== undefined,
  ),
});
