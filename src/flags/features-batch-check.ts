import type { Actor } from "../access/actor.ts";
import { PERMISSIONS, type Permission } from "../access/permissions.ts";
import { holds, requirePermission } from "../access/require-permission.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { matchesWhole } from "../lib/pattern.ts";
import { requireLiveProject } from "../projects/projects-store.ts";
import type { Data, FeaturesImport, Finding, ImportCheck } from "./features-batch-schema.ts";

/** An import, with what of it already exists. */
interface Import extends FeaturesImport {
  existing: Existing;
  /** Without archived flags, which stay as they are (original), and without their parts. */
  included: Data;
  /** Projects that must not be named. */
  hidden: readonly string[];
}

/** @throws ApiError `NoAccessError` for a hidden project */
function requireVisibleImport(db: Database, actor: Actor, body: FeaturesImport): Import {
  requirePermission(db, actor, { permissions: [], project: body.project });
  const existing = existingParts(db, body);
  const included = importable(body.data, existing);
  return { ...body, existing, included, hidden: hiddenProjects(db, actor) };
}

function importable(data: Data, { features }: Existing): Data {
  const included = data.features.filter(({ name }) => features.get(name)?.isArchived !== 1);
  const names = new Set(namesOf(included));
  return {
    ...data,
    features: included,
    featureStrategies: data.featureStrategies.filter(({ featureName }) => names.has(featureName)),
    featureEnvironments: data.featureEnvironments.filter(({ featureName }) => names.has(featureName)),
    featureTags: data.featureTags.filter(({ featureName }) => names.has(featureName)),
    dependencies: data.dependencies.filter(({ feature }) => names.has(feature)),
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
    errors: errorsOf(wanted),
    warnings: warningsOf(wanted),
    permissions: toFindings(["You lack these permissions", missing]),
  };
}

/**
 * An import that can be carried out.
 * @throws ApiError `NoAccessError` naming the missing permissions, `ValidationError` with everything that prevents it
 */
export function requireImport(db: Database, actor: Actor, body: FeaturesImport): Import {
  const wanted = requireVisibleImport(db, actor, body);
  const missing = missingPermissions(db, actor, wanted);
  if (missing.length > 0)
    throw new ApiError("NoAccessError", `You need the permissions ${missing.join(", ")} to import this`);
  requireLiveProject(db, body.project);
  const [first, ...rest] = errorsOf(wanted).map(({ message, affectedItems }) => ({
    path: "body.data",
    message: `${message}: ${affectedItems.join(", ")}`,
  }));
  if (first) throw invalid(first, ...rest);
  return wanted;
}

function missingPermissions(db: Database, actor: Actor, wanted: Import): Permission[] {
  const { project, environment } = wanted;
  return requiredPermissions(wanted).filter(
    (permission) => !holds(db, actor, { permissions: [permission], project, environment }),
  );
}

/** The permissions that an import needs, depending on its content. */
function requiredPermissions({ included, existing }: Import): Permission[] {
  const states = included.featureEnvironments;
  const needs: ReadonlyArray<[Permission, boolean]> = [
    ["UPDATE_FEATURE", true],
    ["DELETE_FEATURE_STRATEGY", included.features.some(({ name }) => existing.withStrategies.has(name))],
    ["CREATE_FEATURE", included.features.some(({ name }) => !existing.features.has(name))],
    [
      "CREATE_FEATURE_STRATEGY",
      included.featureStrategies.length > 0 || states.some(({ enabled }) => enabled),
    ],
    [
      "UPDATE_FEATURE_ENVIRONMENT",
      states.some(({ enabled, featureName }) => enabled !== existing.enabled.has(featureName)),
    ],
    ["UPDATE_FEATURE_ENVIRONMENT_VARIANTS", states.some(({ variants }) => variants.length > 0)],
    ["UPDATE_FEATURE_DEPENDENCY", parentsOf(included).length > 0],
    ["CREATE_CONTEXT_FIELD", included.contextFields.some(({ name }) => !existing.contextFields.has(name))],
    ["CREATE_TAG_TYPE", included.tagTypes.some(({ name }) => !existing.tagTypes.has(name))],
  ];
  return needs.filter(([, isNeeded]) => isNeeded).map(([permission]) => permission);
}

/** A problem and the items affected; without any, it is none. */
type Rule = readonly [message: string, items: readonly string[]];

/** The findings that have items, without duplicate items. */
const toFindings = (...rules: readonly Rule[]): Finding[] =>
  rules
    .filter(([, items]) => items.length > 0)
    .map(([message, items]) => ({ message, affectedItems: [...new Set(items)] }));

/** The problems that make an import impossible. */
const errorsOf = (wanted: Import): Finding[] =>
  toFindings(...ofPlace(wanted), ...ofFlags(wanted), ...ofDefinitions(wanted), ...ofReferences(wanted));

function ofPlace({ project, environment, existing, included }: Import): Rule[] {
  const { hasProject, hasEnvironment, room } = existing;
  const added = included.features.filter(({ name }) => !existing.features.has(name));
  const isFull = room !== null && added.length > room;
  return [
    ["There is no such project, or it is archived", hasProject ? [] : [project]],
    ["The project does not have the environment", hasEnvironment ? [] : [environment]],
    ["The project can't hold this many flags", isFull ? [`${Math.max(0, room)} more are possible`] : []],
  ];
}

/** Whether a project's pattern matches a name; none does once it has taken too long, or if it is invalid. */
function nameRule(pattern: string) {
  let isUsable = true;
  return (name: string) => {
    if (pattern === "" || !isUsable) return isUsable;
    const isMatch = matchesWhole(pattern, name);
    isUsable = isMatch !== undefined;
    return isMatch === true;
  };
}

function ofFlags({ project, data, existing, included, hidden }: Import): Rule[] {
  const seen = new Set<string>();
  const isAllowed = nameRule(existing.naming);
  const elsewhere = [...existing.features.values()].filter((feature) => feature.project !== project);
  return [
    [
      "These flags are in other projects",
      elsewhere.map((one) =>
        hidden.includes(one.project) ? one.name : `${one.name} (in project ${one.project})`,
      ),
    ],
    [
      "These flags are repeated",
      namesOf(data.features.filter(({ name }) => seen.size === seen.add(name).size)),
    ],
    [
      "These flag types do not exist",
      included.features.map(({ type }) => type).filter((type) => !existing.featureTypes.has(type)),
    ],
    [
      "The names of these flags do not match the project's pattern",
      namesOf(included.features.filter(({ name }) => !existing.features.has(name) && !isAllowed(name))),
    ],
  ];
}

const ofDefinitions = ({ existing, included }: Import): Rule[] => [
  [
    "These strategy types must be created first",
    namesOf(included.featureStrategies.filter(({ name }) => !existing.strategyTypes.has(name))),
  ],
  [
    "These context fields exist with different legal values",
    namesOf(included.contextFields.filter((field) => hasOtherValues(field, existing))),
  ],
  [
    "These segments must be created first",
    namesOf(included.segments.filter(({ name }) => !existing.segments.has(name))),
  ],
];

function hasOtherValues({ name, legalValues }: Data["contextFields"][number], existing: Existing) {
  const existingValues = existing.contextFields.get(name);
  return existingValues !== undefined && (legalValues ?? []).some(({ value }) => !existingValues.has(value));
}

function ofReferences({ existing, included }: Import): Rule[] {
  const parents = new Set([...existing.parents, ...namesOf(included.features)]);
  const fields = new Set([...existing.contextFields.keys(), ...namesOf(included.contextFields)]);
  const segments = new Set(included.segments.map(({ id }) => id));
  const tagTypes = new Set([...existing.tagTypes, ...namesOf(included.tagTypes)]);
  const usedSegments = included.featureStrategies.flatMap((strategy) => strategy.segments);
  const usedTagTypes = included.featureTags.map(({ tagType }) => tagType);
  return [
    [
      "Constraints compare these context fields, which do not exist",
      fieldsOf(included).filter((name) => !fields.has(name)),
    ],
    ["These segments are used but not included", usedSegments.filter((id) => !segments.has(id)).map(String)],
    ["The types of these tags do not exist", usedTagTypes.filter((type) => !tagTypes.has(type))],
    [
      "Flags depend on these, which are not in the project",
      parentsOf(included).filter((parent) => !parents.has(parent)),
    ],
  ];
}

/** Effects of an import that may be unexpected. */
function warningsOf({ project, data, existing }: Import): Finding[] {
  const own = [...existing.features.values()].filter((feature) => feature.project === project);
  return toFindings(
    [
      "These strategies are custom, and may differ from those with the same name elsewhere",
      namesOf(data.featureStrategies.filter(({ name }) => existing.strategyTypes.get(name) === 1)),
    ],
    ["These flags are archived and stay as they are", namesOf(own.filter((one) => one.isArchived === 1))],
    ["These flags exist and will be replaced", namesOf(own.filter((one) => one.isArchived === 0))],
  );
}

const namesOf = (items: ReadonlyArray<{ name: string }>) => items.map(({ name }) => name);

/** The flags that other flags depend on. */
const parentsOf = ({ dependencies }: Data): string[] =>
  dependencies.flatMap((one) => one.dependencies.map(({ feature }) => feature));

/** The context fields used in constraints. */
const fieldsOf = ({ featureStrategies }: Data): string[] =>
  featureStrategies.flatMap(({ constraints }) => constraints.map(({ contextName }) => contextName));

const place = query<
  { project: string; environment: string },
  Record<"hasProject" | "hasEnvironment", 0 | 1> & { naming: string; room: number | null }
>(`
  SELECT EXISTS (SELECT 1 FROM projects WHERE id = :project AND archived_at IS NULL) AS hasProject,
    EXISTS (SELECT 1 FROM project_environments WHERE project = :project AND environment = :environment)
      AS hasEnvironment,
    ifnull((SELECT feature_naming ->> 'pattern' FROM projects WHERE id = :project), '') AS naming,
    (SELECT feature_limit FROM projects WHERE id = :project) -
      (SELECT count(*) FROM features WHERE project = :project AND archived_at IS NULL) AS room`);

// Those of other projects only get in the way: nothing else about them matters, and they may be hidden.
const featuresNamed = query<
  { names: string; project: string },
  { name: string; project: string; isArchived: 0 | 1 }
>(`
  SELECT name, project, project = :project AND archived_at IS NOT NULL AS isArchived
  FROM json_each(:names) AS wanted CROSS JOIN features ON name = wanted.value ORDER BY name`);

const enabled = query<{ names: string; environment: string }, string>(`
  SELECT feature FROM json_each(:names) AS wanted
  CROSS JOIN feature_environments ON feature = wanted.value AND environment = :environment WHERE enabled`);

const withStrategies = query<{ names: string; environment: string }, string>(`
  SELECT value FROM json_each(:names) AS wanted
  WHERE EXISTS (SELECT 1 FROM strategies WHERE feature = wanted.value AND environment = :environment)`);

const strategyTypes = query<{ names: string }, { name: string; isCustom: 0 | 1 }>(`
  SELECT name, editable AS isCustom FROM strategy_types WHERE name IN (SELECT value FROM json_each(:names))`);

const featureTypes = query<object, string>(`SELECT id FROM feature_types`);

const usableSegments = query<{ names: string; project: string }, { id: number; name: string }>(`
  SELECT id, name FROM segments
  WHERE name IN (SELECT value FROM json_each(:names)) AND ifnull(project, :project) = :project`);

const contextFields = query<{ names: string }, { name: string; legalValues: string }>(`
  SELECT name, legal_values AS legalValues FROM context_fields WHERE name IN (SELECT value FROM json_each(:names))`);

const tagTypes = query<{ names: string }, string>(`
  SELECT name FROM tag_types WHERE name IN (SELECT value FROM json_each(:names))`);

type Existing = ReturnType<typeof existingParts>;

/** The parts of an import that already exist, with one query for each kind. */
function existingParts(db: Database, { project, environment, data }: FeaturesImport) {
  const features = featuresNamed(db).all({ names: toNames(data.features), project });
  const own = { names: toNames(features.filter((feature) => feature.project === project)), environment };
  const types = strategyTypes(db).all({ names: toNames(data.featureStrategies) });
  const fields = JSON.stringify([...namesOf(data.contextFields), ...fieldsOf(data)]);
  const parents = featuresNamed(db).all({ names: JSON.stringify(parentsOf(data)), project });
  return {
    ...place(db).get({ project, environment })!,
    features: new Map(features.map((feature) => [feature.name, feature])),
    enabled: new Set(enabled(db).pluck().all(own)),
    withStrategies: new Set(withStrategies(db).pluck().all(own)),
    strategyTypes: new Map(types.map(({ name, isCustom }) => [name, isCustom])),
    featureTypes: new Set(featureTypes(db).pluck().all({})),
    /** The local ids of segments that the project's strategies may use, by name. */
    segments: new Map(
      usableSegments(db)
        .all({ names: toNames(data.segments), project })
        .map(({ name, id }) => [name, id]),
    ),
    contextFields: new Map(
      contextFields(db)
        .all({ names: fields })
        .map(({ name, legalValues }) => [name, legalValuesOf(legalValues)]),
    ),
    tagTypes: new Set(
      tagTypes(db)
        .pluck()
        .all({ names: toNames(data.tagTypes) }),
    ),
    parents: namesOf(parents.filter((one) => one.project === project && one.isArchived === 0)),
  };
}

const toNames = (items: ReadonlyArray<{ name: string }>) => JSON.stringify(namesOf(items));

const legalValuesOf = (json: string) =>
  new Set((JSON.parse(json) as Array<{ value: string }>).map(({ value }) => value));
