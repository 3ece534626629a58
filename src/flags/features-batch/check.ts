import type { Permission } from "../../access/permissions.ts";
import { type Existing, fieldsOf } from "./check-store.ts";
import type { Data, FeaturesImport, Finding } from "./schema.ts";

/*
 * The problems that an import would run into. A finding without items is no problem.
 */

/** The import without archived flags, which stay as they are (original), and without their parts. */
export function importable(data: Data, { features }: Existing): Data {
  const included = data.features.filter(({ name }) => features.get(name)?.isArchived !== 1);
  const names = new Set(included.map(({ name }) => name));
  return {
    ...data,
    features: included,
    featureStrategies: data.featureStrategies.filter(({ featureName }) => names.has(featureName)),
    featureEnvironments: data.featureEnvironments.filter(({ featureName }) => names.has(featureName)),
    featureTags: data.featureTags.filter(({ featureName }) => names.has(featureName)),
    dependencies: data.dependencies.filter(({ feature }) => names.has(feature)),
  };
}

/** A finding, if there are any items. */
type Rule = readonly [message: string, items: readonly string[]];

/**
 * The problems that make an import impossible.
 * @param parents the flags that others depend on and that are live in the project
 * @param hidden projects that must not be named
 */
export function errorsOf(
  body: FeaturesImport,
  existing: Existing,
  parents: ReadonlySet<string>,
  hidden: readonly string[],
): Finding[] {
  const included = importable(body.data, existing);
  return found(
    ...ofPlace(body, existing, included),
    ...ofFlags(body, existing, included, hidden),
    ...ofDefinitions(existing, included),
    ...ofReferences(existing, included, parents),
  );
}

const ofPlace = (
  { project, environment }: FeaturesImport,
  existing: Existing,
  { features }: Data,
): Rule[] => [
  ["There is no such project, or it is archived", existing.hasProject ? [] : [project]],
  ["The project does not have the environment", existing.hasEnvironment ? [] : [environment]],
  [
    "The project can't hold this many flags",
    existing.room !== null &&
    features.filter(({ name }) => !existing.features.has(name)).length > existing.room
      ? [`${Math.max(0, existing.room)} more are possible`]
      : [],
  ],
];

function ofFlags(
  { project, data }: FeaturesImport,
  existing: Existing,
  included: Data,
  hidden: readonly string[],
): Rule[] {
  const seen = new Set<string>();
  const naming = existing.naming === "" ? undefined : new RegExp(`^(?:${existing.naming})$`, "u");
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
      namesOf(
        included.features.filter(({ name }) => !existing.features.has(name) && naming?.test(name) === false),
      ),
    ],
  ];
}

const ofDefinitions = (existing: Existing, { contextFields, segments, featureStrategies }: Data): Rule[] => [
  [
    "These strategy types must be created first",
    namesOf(featureStrategies.filter(({ name }) => !existing.strategyTypes.has(name))),
  ],
  [
    "These context fields exist with different legal values",
    namesOf(contextFields.filter((field) => hasOtherValues(field, existing))),
  ],
  [
    "These segments must be created first",
    namesOf(segments.filter(({ name }) => !existing.segments.has(name))),
  ],
];

function ofReferences(existing: Existing, data: Data, parents: ReadonlySet<string>): Rule[] {
  const names = new Set(namesOf(data.features));
  const fields = new Set([...existing.contextFields.keys(), ...namesOf(data.contextFields)]);
  const segments = new Set(data.segments.map(({ id }) => id));
  const tagTypes = new Set([...existing.tagTypes, ...namesOf(data.tagTypes)]);
  const usedSegments = data.featureStrategies.flatMap((strategy) => strategy.segments);
  const usedTagTypes = data.featureTags.map(({ tagType }) => tagType);
  return [
    [
      "Constraints compare these context fields, which do not exist",
      fieldsOf(data).filter((name) => !fields.has(name)),
    ],
    ["These segments are used but not included", usedSegments.filter((id) => !segments.has(id)).map(String)],
    ["The types of these tags do not exist", usedTagTypes.filter((type) => !tagTypes.has(type))],
    [
      "Flags depend on these, which are not in the project",
      parentsOf(data).filter((parent) => !parents.has(parent) && !names.has(parent)),
    ],
  ];
}

const namesOf = (items: ReadonlyArray<{ name: string }>) => items.map(({ name }) => name);

/** The flags that other flags depend on. */
export const parentsOf = ({ dependencies }: Data): string[] =>
  dependencies.flatMap((one) => one.dependencies.map(({ feature }) => feature));

/** Effects of an import that may be unexpected. */
export function warningsOf({ project, data }: FeaturesImport, existing: Existing): Finding[] {
  const own = [...existing.features.values()].filter((feature) => feature.project === project);
  return found(
    [
      "These strategies are custom, and may differ from those with the same name elsewhere",
      namesOf(data.featureStrategies.filter(({ name }) => existing.strategyTypes.get(name))),
    ],
    ["These flags are archived and stay as they are", namesOf(own.filter((one) => one.isArchived === 1))],
    ["These flags exist and will be replaced", namesOf(own.filter((one) => one.isArchived === 0))],
  );
}

/** The permissions that an import needs, depending on its content. */
export function requiredPermissions({ data }: FeaturesImport, existing: Existing): Permission[] {
  const included = importable(data, existing);
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

function hasOtherValues({ name, legalValues }: Data["contextFields"][number], existing: Existing) {
  const existingValues = existing.contextFields.get(name);
  return existingValues !== undefined && (legalValues ?? []).some(({ value }) => !existingValues.has(value));
}

/** The findings that have items, without duplicate items. */
export const found = (...rules: readonly Rule[]): Finding[] =>
  rules
    .filter(([, items]) => items.length > 0)
    .map(([message, items]) => ({ message, affectedItems: [...new Set(items)] }));
