import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { PERMISSIONS, type Permission } from "../access/permissions.ts";
import { holds, requirePermission } from "../access/require-permission.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { isKnown, type KnownKind } from "../db/known.ts";
import { query } from "../db/statement.ts";
import { NewConstraint } from "../evaluation/constraint.ts";
import { NewFlagVariant, NewVariant } from "../evaluation/variant.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { matchesWhole } from "../lib/pattern.ts";
import { dictionary, NonEmptyText, ShortText, Text } from "../lib/validation.ts";
import { requireLiveProject } from "../projects/projects-store.ts";
import { findUsableField, NewContextField } from "./context-fields.ts";
import { NewDependency } from "./dependencies.ts";
import { isEnabled } from "./feature-environments-store.ts";
import { NewFeatureLink } from "./feature-links.ts";
import { NewFeature } from "./features-schema.ts";
import { findFeature } from "./features-store.ts";
import { usableSegments } from "./segments.ts";
import { strategiesOf } from "./strategies-store.ts";
import { findStrategyType } from "./strategy-types.ts";
import { NewTagType } from "./tag-types.ts";
import { TagPart } from "./tags.ts";

const NewStrategy = v.object({
  name: NonEmptyText,
  featureName: v.string(),
  title: v.nullish(ShortText, null),
  disabled: v.nullish(v.boolean(), false),
  parameters: v.optional(dictionary(Text), {}),
  constraints: v.optional(v.array(NewConstraint), []),
  variants: v.optional(v.array(NewVariant), []),
  segments: v.optional(v.array(v.number()), []),
});

const NewState = v.object({
  featureName: v.string(),
  enabled: v.boolean(),
  variants: v.optional(v.array(NewFlagVariant), []),
});

const NewFeatureTag = v.object({
  featureName: v.string(),
  tagType: v.optional(TagPart, "simple"),
  tagValue: TagPart,
});

/** Where there is no description, an existing flag keeps its own (original). */
const ImportedFeature = v.object({
  ...v.omit(NewFeature, ["tags"]).entries,
  description: v.nullish(ShortText),
});

/** Exported flags as an import accepts them; defaults are filled in. */
const Data = v.object({
  features: v.array(ImportedFeature),
  featureStrategies: v.array(NewStrategy),
  featureEnvironments: v.optional(v.array(NewState), []),
  contextFields: v.optional(v.array(NewContextField), []),
  featureTags: v.optional(v.array(NewFeatureTag), []),
  segments: v.optional(v.array(v.object({ id: v.number(), name: v.string() })), []),
  tagTypes: v.array(NewTagType),
  dependencies: v.optional(
    v.array(v.object({ feature: v.string(), dependencies: v.array(NewDependency) })),
    [],
  ),
  links: v.optional(v.array(v.object({ feature: v.string(), links: v.array(NewFeatureLink) })), []),
});
export type Data = v.InferOutput<typeof Data>;

/** The flags to import, and where to. */
export const FeaturesImport = v.object({ project: v.string(), environment: v.string(), data: Data });
export type FeaturesImport = v.InferOutput<typeof FeaturesImport>;

/** A problem that an import would run into, and the items affected. */
export const Finding = v.strictObject({ message: v.string(), affectedItems: v.array(v.string()) });
export type Finding = v.InferOutput<typeof Finding>;

/** What makes an import impossible, its side effects, and the caller's missing permissions. */
export const ImportCheck = v.strictObject({
  errors: v.array(Finding),
  warnings: v.array(Finding),
  permissions: v.array(Finding),
});
export type ImportCheck = v.InferOutput<typeof ImportCheck>;

/** An import, with the flags that already have the names in it. */
interface Import extends FeaturesImport {
  /** By name, sorted. Those of other projects only get in the way: nothing else about them matters. */
  existing: ReadonlyMap<string, Existing>;
  /** Without archived flags, which stay as they are (original), and without their parts. */
  included: Data;
  place: Place;
  /** Projects that must not be named. */
  hidden: readonly string[];
}

interface Existing {
  name: string;
  project: string;
  /** And in the project of the import. */
  isArchived: 0 | 1;
}

const featuresNamed = query<{ names: string; project: string }, Existing>(`
  SELECT name, project, project = :project AND archived_at IS NOT NULL AS isArchived
  FROM json_each(:names) AS wanted CROSS JOIN features ON name = wanted.value ORDER BY name`);

interface Place {
  hasProject: 0 | 1;
  hasEnvironment: 0 | 1;
  /** What the names of its flags must match; may be empty. */
  pattern: string;
  /** How many more flags it may have; null for any number. */
  room: number | null;
}

const placeOf = query<{ project: string; environment: string }, Place>(`
  SELECT EXISTS (SELECT 1 FROM projects WHERE id = :project AND archived_at IS NULL) AS hasProject,
    EXISTS (SELECT 1 FROM project_environments WHERE project = :project AND environment = :environment)
      AS hasEnvironment,
    ifnull((SELECT feature_naming ->> 'pattern' FROM projects WHERE id = :project), '') AS pattern,
    (SELECT feature_limit FROM projects WHERE id = :project) -
      (SELECT count(*) FROM features WHERE project = :project AND archived_at IS NULL) AS room`);

/** @throws ApiError `NoAccessError` for a hidden project */
function requireVisibleImport(db: Database, actor: Actor, body: FeaturesImport): Import {
  const { project, environment, data } = body;
  requirePermission(db, actor, { permissions: [], project });
  const features = featuresNamed(db).all({ names: JSON.stringify(namesOf(data.features)), project });
  const existing = new Map(features.map((feature) => [feature.name, feature]));
  const included = importable(data, existing);
  const place = placeOf(db).get({ project, environment })!;
  return { ...body, existing, included, place, hidden: hiddenProjects(db, actor) };
}

function importable(data: Data, existing: Import["existing"]): Data {
  const included = data.features.filter(({ name }) => existing.get(name)?.isArchived !== 1);
  const names = new Set(namesOf(included));
  const isIncluded = ({ featureName }: { featureName: string }) => names.has(featureName);
  return {
    ...data,
    features: included,
    featureStrategies: data.featureStrategies.filter(isIncluded),
    featureEnvironments: data.featureEnvironments.filter(isIncluded),
    featureTags: data.featureTags.filter(isIncluded),
    dependencies: data.dependencies.filter(({ feature }) => names.has(feature)),
    links: data.links.filter(({ feature }) => names.has(feature)),
  };
}

/**
 * The problems that an import would run into.
 * @throws ApiError `NoAccessError` for a hidden project
 */
export function checkImport(db: Database, actor: Actor, body: FeaturesImport): ImportCheck {
  const wanted = requireVisibleImport(db, actor, body);
  const missing = missingPermissions(db, actor, wanted).map((name) => PERMISSIONS[name].displayName);
  return {
    errors: errorsOf(db, wanted),
    warnings: warningsOf(db, wanted),
    permissions: toFindings(["You lack these permissions", missing]),
  };
}

/**
 * The parts of an import that can be carried out.
 * @throws ApiError `NoAccessError` naming the missing permissions, `ValidationError` with everything that prevents it
 */
export function requireImport(db: Database, actor: Actor, body: FeaturesImport): Data {
  const wanted = requireVisibleImport(db, actor, body);
  const missing = missingPermissions(db, actor, wanted);
  if (missing.length > 0)
    throw new ApiError("NoAccessError", `You need the permissions ${missing.join(", ")} to import this`);
  requireLiveProject(db, body.project);
  const [first, ...rest] = errorsOf(db, wanted).map(({ message, affectedItems }) => ({
    path: "body.data",
    message: `${message}: ${affectedItems.join(", ")}`,
  }));
  if (first) throw invalid(first, ...rest);
  return wanted.included;
}

/** The permissions that an import needs, depending on its content, and that the actor lacks. */
function missingPermissions(db: Database, actor: Actor, wanted: Import): Permission[] {
  const { project, environment, included, existing } = wanted;
  const { features, featureStrategies, featureEnvironments: states, contextFields, tagTypes } = included;
  const isNew = (kind: KnownKind) => (item: Named) => !isKnown(db, kind, item.name);
  const isOwn = (name: string) => existing.get(name)?.project === project;
  const isOn = (feature: string) => isOwn(feature) && isEnabled(db, { feature, environment });
  const hasStrategies = ({ name: feature }: Named) =>
    isOwn(feature) && strategiesOf(db, { feature, environment }).length > 0;
  const needs: ReadonlyArray<[Permission, boolean]> = [
    ["UPDATE_FEATURE", true],
    ["DELETE_FEATURE_STRATEGY", features.some(hasStrategies)],
    ["CREATE_FEATURE", features.some(({ name }) => !existing.has(name))],
    ["CREATE_FEATURE_STRATEGY", featureStrategies.length > 0 || states.some(({ enabled }) => enabled)],
    ["UPDATE_FEATURE_ENVIRONMENT", states.some(({ enabled, featureName }) => enabled !== isOn(featureName))],
    ["UPDATE_FEATURE_ENVIRONMENT_VARIANTS", states.some(({ variants }) => variants.length > 0)],
    ["UPDATE_FEATURE_DEPENDENCY", parentsOf(included).length > 0],
    ["CREATE_CONTEXT_FIELD", contextFields.some(isNew("contextField"))],
    ["CREATE_TAG_TYPE", tagTypes.some(isNew("tagType"))],
  ];
  return needs
    .filter(
      ([name, isNeeded]) => isNeeded && !holds(db, actor, { permissions: [name], project, environment }),
    )
    .map(([name]) => name);
}

type Named = { name: string };

/** A problem and the items affected; without any, it is none. */
type Rule = readonly [message: string, items: readonly string[]];

/** The findings that have items, without duplicate items. */
const toFindings = (...rules: readonly Rule[]): Finding[] =>
  rules
    .filter(([, items]) => items.length > 0)
    .map(([message, items]) => ({ message, affectedItems: [...new Set(items)] }));

/** The problems that make an import impossible. */
const errorsOf = (db: Database, wanted: Import): Finding[] =>
  toFindings(
    ...ofPlace(wanted),
    ...ofFlags(db, wanted),
    ...ofDefinitions(db, wanted),
    ...ofReferences(db, wanted),
  );

function ofPlace({ project, environment, place, existing, included }: Import): Rule[] {
  const { hasProject, hasEnvironment, room } = place;
  const added = included.features.filter(({ name }) => !existing.has(name));
  const isFull = room !== null && added.length > room;
  return [
    ["There is no such project, or it is archived", hasProject ? [] : [project]],
    ["The project does not have the environment", hasEnvironment ? [] : [environment]],
    ["The project can't hold this many flags", isFull ? [`${Math.max(0, room)} more are possible`] : []],
  ];
}

function ofFlags(db: Database, { project, data, existing, included, place, hidden }: Import): Rule[] {
  const seen = new Set<string>();
  const names = namesOf(data.features);
  const types = included.features.map(({ type }) => type);
  const elsewhere = [...existing.values()].filter((feature) => feature.project !== project);
  const added = namesOf(included.features).filter((name) => !existing.has(name));
  const named = (one: Existing) =>
    hidden.includes(one.project) ? one.name : `${one.name} (in project ${one.project})`;
  return [
    ["These flags are in other projects", elsewhere.map(named)],
    ["These flags are repeated", names.filter((name) => seen.size === seen.add(name).size)],
    ["These flag types do not exist", unknown(db, "featureType", types)],
    ["The names of these flags do not match the project's pattern", misnamed(place.pattern, added)],
  ];
}

/** The names that a project's pattern does not match; none does once it has taken too long, or if it is invalid. */
function misnamed(pattern: string, names: readonly string[]): string[] {
  if (pattern === "") return [];
  let isUsable = true;
  return names.filter((name) => {
    const isMatch = isUsable ? matchesWhole(pattern, name) : undefined;
    isUsable = isMatch !== undefined;
    return !isMatch;
  });
}

const unknown = (db: Database, kind: KnownKind, keys: readonly string[]) =>
  keys.filter((key) => !isKnown(db, kind, key));

function ofDefinitions(db: Database, { project, included }: Import): Rule[] {
  const { featureStrategies, contextFields } = included;
  const segments = usableSegments(db, project);
  const fieldsThatDiffer = contextFields.filter(({ name, legalValues = [] }) => {
    const values = findUsableField(db, name, project)?.legalValues.map(({ value }) => value);
    return values && legalValues.some(({ value }) => !values.includes(value));
  });
  return [
    ["These strategy types must be created first", unknown(db, "strategyType", namesOf(featureStrategies))],
    ["These context fields exist with different legal values", namesOf(fieldsThatDiffer)],
    [
      "These segments must be created first",
      namesOf(included.segments).filter((name) => !segments.has(name)),
    ],
  ];
}

function ofReferences(db: Database, { project, included }: Import): Rule[] {
  const flags = new Set(namesOf(included.features));
  const segments = new Set(included.segments.map(({ id }) => id));
  const tagTypes = new Set(namesOf(included.tagTypes));
  const compared = included.featureStrategies.flatMap(({ constraints }) =>
    constraints.map(({ contextName }) => contextName),
  );
  const used = included.featureStrategies.flatMap((strategy) => strategy.segments);
  const tags = included.featureTags.map(({ tagType }) => tagType);
  const newFields = new Set(unknown(db, "contextField", namesOf(included.contextFields)));
  const isLiveHere = (name: string) => {
    const feature = findFeature(db, name);
    return feature?.project === project && !feature.archived;
  };
  return [
    [
      "Constraints compare these context fields, which do not exist",
      compared.filter((name) => !findUsableField(db, name, project) && !newFields.has(name)),
    ],
    ["These segments are used but not included", used.filter((id) => !segments.has(id)).map(String)],
    // Even if they exist here: an export has the types of its tags.
    ["The types of these tags do not exist", tags.filter((type) => !tagTypes.has(type))],
    [
      "Flags depend on these, which are not in the project",
      parentsOf(included).filter((name) => !flags.has(name) && !isLiveHere(name)),
    ],
  ];
}

/** Effects of an import that may be unexpected. */
function warningsOf(db: Database, { project, data, existing }: Import): Finding[] {
  const isCustom = (name: string) => findStrategyType(db, name)?.editable;
  const own = [...existing.values()].filter((feature) => feature.project === project);
  return toFindings(
    [
      "These strategies are custom, and may differ from those with the same name elsewhere",
      namesOf(data.featureStrategies).filter(isCustom),
    ],
    ["These flags are archived and stay as they are", namesOf(own.filter((one) => one.isArchived === 1))],
    ["These flags exist and will be replaced", namesOf(own.filter((one) => one.isArchived === 0))],
  );
}

const namesOf = (items: readonly Named[]) => items.map(({ name }) => name);

/** The flags that other flags depend on. */
const parentsOf = ({ dependencies }: Data): string[] =>
  dependencies.flatMap((one) => one.dependencies.map(({ feature }) => feature));
