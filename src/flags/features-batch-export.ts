import * as v from "valibot";
import { firstPrivate, hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { fromStored, query, type Stored, valueQuery } from "../db/statement.ts";
import { Strategy } from "../evaluation/strategy.ts";
import { FlagVariant } from "../evaluation/variant.ts";
import type { Tx } from "../events/write.ts";
import { POST, WithHeaders } from "../http/operation.ts";
import { NonEmptyText } from "../lib/validation.ts";
import { ContextField, toField } from "./context-fields.ts";
import { LINKS } from "./feature-links.ts";
import { Feature, FeatureLink } from "./features-schema.ts";
import { DEPENDENCIES } from "./features-store.ts";
import { TagType } from "./tag-types.ts";

/** The flags to export: those named, or all if none are; those with a tag; or those of a project. */
export const ExportQuery = v.pipe(
  v.object({
    environment: v.string(),
    features: v.optional(v.array(NonEmptyText)),
    tag: v.optional(v.string()),
    project: v.optional(v.string()),
    downloadFile: v.optional(v.boolean(), false),
  }),
  v.forward(
    v.check(
      ({ features, tag, project }) => (features ?? tag ?? project) !== undefined,
      "is missing, and so are tag and project: give one of them",
    ),
    ["features"],
  ),
);
export type ExportQuery = v.InferOutput<typeof ExportQuery>;

/** The state of flags in one environment, with everything they refer to. */
export const FeaturesExport = v.strictObject({
  features: v.array(
    v.pick(Feature, ["name", "description", "type", "project", "stale", "impressionData", "archived"]),
  ),
  featureStrategies: v.array(v.omit(Strategy, ["sortOrder"])),
  featureEnvironments: v.array(
    v.strictObject({
      enabled: v.boolean(),
      featureName: v.string(),
      environment: v.string(),
      variants: v.array(FlagVariant),
      name: v.string(),
    }),
  ),
  contextFields: v.array(v.omit(ContextField, ["createdAt"])),
  featureTags: v.array(
    v.strictObject({ featureName: v.string(), tagType: v.string(), tagValue: v.string() }),
  ),
  segments: v.array(v.strictObject({ id: v.number(), name: v.string() })),
  tagTypes: v.array(TagType),
  dependencies: v.array(
    v.strictObject({
      feature: v.string(),
      dependencies: v.array(
        v.strictObject({
          feature: v.string(),
          enabled: v.boolean(),
          variants: v.optional(v.array(v.string())),
        }),
      ),
    }),
  ),
  /** Left out if there are none, since an older original refuses it. */
  links: v.optional(
    v.array(v.strictObject({ feature: v.string(), links: v.array(v.omit(FeatureLink, ["feature"])) })),
  ),
});
export type FeaturesExport = v.InferOutput<typeof FeaturesExport>;

export const exportFeatures = POST({
  id: "exportFeatures",
  summary: "Export flags as they are in an environment, with everything they refer to",
  tag: "Import and export",
  path: "/api/admin/features-batch/export",
  permission: null,
  body: ExportQuery,
  records: ["features-exported"],
  response: FeaturesExport,
  example: { environment: "development", features: ["first-flag"] },
}).change(({ tx, actor, body }) => {
  const names = namesToExport(tx.db, body, hiddenProjects(tx.db, actor));
  const exported = exportOf(tx.db, names, body.environment);
  recordExport(tx, body, exported.features);
  if (!body.downloadFile) return exported;
  const file = `export-${tx.now.slice(0, 10)}.json`;
  return new WithHeaders(exported, { "content-disposition": `attachment; filename="${file}"` });
});

const VISIBLE = `project NOT IN (SELECT value FROM json_each(:hidden))`;

const allLive = valueQuery<{ hidden: string }, string>(`
  SELECT name FROM features INDEXED BY live_features
  WHERE archived_at IS NULL AND created_at > '' AND ${VISIBLE} ORDER BY name`);

const named = valueQuery<{ hidden: string; names: string }, string>(`
  SELECT DISTINCT name FROM json_each(:names) CROSS JOIN features ON name = json_each.value
  WHERE ${VISIBLE} ORDER BY name`);

const tagged = valueQuery<{ hidden: string; tag: string }, string>(`
  SELECT DISTINCT name FROM feature_tags CROSS JOIN features ON name = feature
  WHERE (value = :tag OR feature_tags.type || ':' || value = :tag) AND archived_at IS NULL AND ${VISIBLE}
  ORDER BY name`);

const ofProject = valueQuery<{ hidden: string; project: string }, string>(`
  SELECT name FROM features WHERE project = :project AND archived_at IS NULL AND ${VISIBLE} ORDER BY name`);

/** The names of the visible flags to export; archived ones only if they are named. */
function namesToExport(
  db: Database,
  { features, tag, project }: ExportQuery,
  hiddenProjects: readonly string[],
): string[] {
  const hidden = JSON.stringify(hiddenProjects);
  if (features !== undefined && features.length > 0)
    return named(db).all({ hidden, names: JSON.stringify(features) });
  if (tag !== undefined) return tagged(db).all({ hidden, tag });
  if (project !== undefined) return ofProject(db).all({ hidden, project });
  return allLive(db).all({ hidden });
}

interface Bind {
  names: string;
  environment: string;
}

const OF_FLAGS = `(SELECT value AS flag FROM json_each(:names)) CROSS JOIN`;

type Row<Name extends keyof FeaturesExport> = Stored<NonNullable<FeaturesExport[Name]>[number]>;

const features = query<Bind, Row<"features">>(`
  SELECT name, description, features.type, project, stale, impression_data AS impressionData,
    archived_at IS NOT NULL AS archived
  FROM ${OF_FLAGS} features ON name = flag ORDER BY name`);

const strategies = query<Bind, Row<"featureStrategies">>(`
  SELECT strategies.name, strategies.id, feature AS featureName, title, parameters, constraints, variants, disabled,
    (SELECT json_group_array(segment ORDER BY segment) FROM strategy_segments WHERE strategy = strategies.id)
      AS segments
  FROM ${OF_FLAGS} strategies ON feature = flag AND environment = :environment
  ORDER BY feature, sort_order, strategies.id`);

const environments = query<Bind, Row<"featureEnvironments">>(`
  SELECT ifnull(state.enabled, 0) AS enabled, features.name AS featureName, place.environment,
    ifnull(state.variants, '[]') AS variants, features.name
  FROM ${OF_FLAGS} features ON features.name = flag
  JOIN project_environments AS place ON place.project = features.project AND place.environment = :environment
  LEFT JOIN feature_environments AS state
    ON state.feature = features.name AND state.environment = place.environment
  ORDER BY features.name`);

const contextFields = query<
  Bind & { fields: string },
  Omit<Row<"contextFields">, "project"> & { project: string | null }
>(`
  SELECT name, description, stickiness, sort_order AS sortOrder, legal_values AS legalValues, project
  FROM context_fields WHERE name IN (SELECT value FROM json_each(:fields))
    AND (project IS NULL OR project IN (SELECT project FROM ${OF_FLAGS} features ON features.name = flag))
  ORDER BY name`);

const tags = query<Bind, Row<"featureTags">>(`
  SELECT feature AS featureName, feature_tags.type AS tagType, feature_tags.value AS tagValue
  FROM ${OF_FLAGS} feature_tags ON feature = flag ORDER BY feature, feature_tags.type, feature_tags.value`);

const segments = query<{ ids: string }, Row<"segments">>(`
  SELECT id, name FROM segments WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id`);

const tagTypes = query<{ names: string }, Row<"tagTypes">>(`
  SELECT name, description, icon FROM tag_types WHERE name IN (SELECT value FROM json_each(:names)) ORDER BY name`);

const dependencies = query<Bind, Row<"dependencies">>(`
  SELECT feature, ${DEPENDENCIES} AS dependencies
  FROM ${OF_FLAGS} feature_dependencies ON feature = flag GROUP BY feature ORDER BY feature`);

const links = query<Bind, Row<"links">>(`
  SELECT feature, ${LINKS} AS links FROM ${OF_FLAGS} feature_links ON feature = flag GROUP BY feature ORDER BY feature`);

/** The state of flags in an environment, with everything they refer to. */
function exportOf(db: Database, flags: readonly string[], environment: string): FeaturesExport {
  const bind = { names: JSON.stringify(flags), environment };
  const { entries } = FeaturesExport;
  const featureStrategies = strategies(db).all(bind).map(fromStored(entries.featureStrategies.item));
  const featureEnvironments = environments(db).all(bind).map(fromStored(entries.featureEnvironments.item));
  const featureTags = tags(db).all(bind);
  const fields = JSON.stringify(fieldsOf({ featureStrategies, featureEnvironments }));
  const types = JSON.stringify(featureTags.map(({ tagType }) => tagType));
  const ids = JSON.stringify(featureStrategies.flatMap((strategy) => strategy.segments));
  const featureLinks = links(db).all(bind).map(fromStored(entries.links.wrapped.item));
  return {
    features: features(db).all(bind).map(fromStored(entries.features.item)),
    featureStrategies,
    featureEnvironments,
    contextFields: contextFields(db)
      .all({ ...bind, fields })
      .map(toField),
    featureTags,
    segments: segments(db).all({ ids }),
    tagTypes: tagTypes(db).all({ names: types }),
    dependencies: dependencies(db).all(bind).map(fromStored(entries.dependencies.item)),
    ...(featureLinks.length > 0 && { links: featureLinks }),
  };
}

/** The context fields of constraints and stickiness. */
const fieldsOf = ({
  featureStrategies,
  featureEnvironments,
}: Pick<FeaturesExport, "featureStrategies" | "featureEnvironments">) => [
  ...featureStrategies.flatMap(({ constraints, parameters }) => [
    parameters.stickiness,
    ...constraints.map(({ contextName }) => contextName),
  ]),
  ...featureEnvironments.flatMap(({ variants }) => variants.map(({ stickiness }) => stickiness)),
];

/**
 * Records that flags were exported, and with which query; separately for each private project that it names, or whose
 * flags it names.
 */
function recordExport(
  tx: Tx,
  { downloadFile: _, ...query }: ExportQuery,
  exported: ReadonlyArray<{ name: string; project: string }>,
) {
  const { createdByUserId: id, createdBy: username } = tx.actor;
  const record = (project: string | null, data: object) =>
    tx.record({ type: "features-exported", project, data: { data, auditUser: { id, username } } });
  const named = query.features ?? [];
  if (named.length === 0) return record(privateOf(tx, query.project), query);
  const projects = new Map(exported.map(({ name, project }) => [name, project]));
  const groups = Map.groupBy(named, (name) => projects.get(name));
  const homes = Map.groupBy(groups, ([project]) => privateOf(tx, project));
  for (const [project, group] of homes)
    record(project, { ...query, features: group.flatMap(([, features]) => features) });
}

/** The project if it is private and the actor may see it, else null. */
const privateOf = ({ db, actor }: Tx, project: string | undefined) =>
  project === undefined || hiddenProjects(db, actor).includes(project) ? null : firstPrivate(db, [project]);
