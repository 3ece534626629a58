import type { Permission } from "../../auth/permissions.ts";
import { fieldsOf, type Present } from "./check-store.ts";
import type { Data, FeaturesImport, Finding } from "./schema.ts";

/*
 * The problems that an import would meet. A finding counts only if it has items.
 */

/** The import without archived flags, which stay as they are (original), and without their parts. */
export function importable(data: Data, { features }: Present): Data {
  const kept = data.features.filter(({ name }) => features.get(name)?.isArchived !== 1);
  const names = new Set(kept.map(({ name }) => name));
  return {
    ...data,
    features: kept,
    featureStrategies: data.featureStrategies.filter(({ featureName }) => names.has(featureName)),
    featureEnvironments: data.featureEnvironments.filter(({ featureName }) => names.has(featureName)),
    featureTags: data.featureTags.filter(({ featureName }) => names.has(featureName)),
    dependencies: data.dependencies.filter(({ feature }) => names.has(feature)),
  };
}

/** A possible finding; without items, there is no problem. */
type Rule = readonly [message: string, items: readonly string[]];

/**
 * The problems that make an import impossible.
 * @param parents those of the flags it depends on that are live in the project
 * @param hidden projects that must not be named
 */
export function errorsOf(
  body: FeaturesImport,
  there: Present,
  parents: ReadonlySet<string>,
  hidden: readonly string[],
): Finding[] {
  const kept = importable(body.data, there);
  return found(
    ...ofPlace(body, there, kept),
    ...ofFlags(body, there, kept, hidden),
    ...ofDefinitions(there, kept),
    ...ofReferences(there, kept, parents),
  );
}

const ofPlace = ({ project, environment }: FeaturesImport, there: Present, { features }: Data): Rule[] => [
  ["There is no such project, or it is archived", there.hasProject ? [] : [project]],
  ["The project does not have the environment", there.hasEnvironment ? [] : [environment]],
  [
    "The project has no room for so many flags",
    there.room !== null && features.filter(({ name }) => !there.features.has(name)).length > there.room
      ? [`${Math.max(0, there.room)} more are possible`]
      : [],
  ],
];

function ofFlags(
  { project, data }: FeaturesImport,
  there: Present,
  kept: Data,
  hidden: readonly string[],
): Rule[] {
  const seen = new Set<string>();
  const naming = there.naming === "" ? undefined : new RegExp(`^(?:${there.naming})$`, "u");
  const elsewhere = [...there.features.values()].filter((feature) => feature.project !== project);
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
      kept.features.map(({ type }) => type).filter((type) => !there.featureTypes.has(type)),
    ],
    [
      "The names of these flags do not match the project's pattern",
      namesOf(kept.features.filter(({ name }) => !there.features.has(name) && naming?.test(name) === false)),
    ],
  ];
}

const ofDefinitions = (there: Present, { contextFields, segments, featureStrategies }: Data): Rule[] => [
  [
    "These strategy types must be created first",
    namesOf(featureStrategies.filter(({ name }) => !there.strategyTypes.has(name))),
  ],
  [
    "These context fields exist with different legal values",
    namesOf(contextFields.filter((field) => hasOtherValues(field, there))),
  ],
  ["These segments must be created first", namesOf(segments.filter(({ name }) => !there.segments.has(name)))],
];

function ofReferences(there: Present, data: Data, parents: ReadonlySet<string>): Rule[] {
  const names = new Set(namesOf(data.features));
  const fields = new Set([...there.contextFields.keys(), ...namesOf(data.contextFields)]);
  const segments = new Set(data.segments.map(({ id }) => id));
  const tagTypes = new Set([...there.tagTypes, ...namesOf(data.tagTypes)]);
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
export function warningsOf({ project, data }: FeaturesImport, there: Present): Finding[] {
  const own = [...there.features.values()].filter((feature) => feature.project === project);
  return found(
    [
      "These strategies are custom, and may differ from those with the same name elsewhere",
      namesOf(data.featureStrategies.filter(({ name }) => there.strategyTypes.get(name))),
    ],
    ["These flags are archived and stay as they are", namesOf(own.filter((one) => one.isArchived === 1))],
    ["These flags exist and will be replaced", namesOf(own.filter((one) => one.isArchived === 0))],
  );
}

/** The permissions that an import needs, depending on its content. */
export function needsOf({ data }: FeaturesImport, there: Present): Permission[] {
  const kept = importable(data, there);
  const states = kept.featureEnvironments;
  const needs: ReadonlyArray<[Permission, boolean]> = [
    ["UPDATE_FEATURE", true],
    ["DELETE_FEATURE_STRATEGY", true],
    ["CREATE_FEATURE", kept.features.some(({ name }) => !there.features.has(name))],
    ["CREATE_FEATURE_STRATEGY", kept.featureStrategies.length > 0],
    [
      "UPDATE_FEATURE_ENVIRONMENT",
      states.some(({ enabled, featureName }) => enabled !== there.enabled.has(featureName)),
    ],
    ["UPDATE_FEATURE_ENVIRONMENT_VARIANTS", states.some(({ variants }) => variants.length > 0)],
    ["UPDATE_FEATURE_DEPENDENCY", parentsOf(kept).length > 0],
    ["CREATE_CONTEXT_FIELD", kept.contextFields.some(({ name }) => !there.contextFields.has(name))],
    ["CREATE_TAG_TYPE", kept.tagTypes.some(({ name }) => !there.tagTypes.has(name))],
  ];
  return needs.filter(([, isNeeded]) => isNeeded).map(([permission]) => permission);
}

function hasOtherValues({ name, legalValues }: Data["contextFields"][number], there: Present) {
  const known = there.contextFields.get(name);
  return known !== undefined && (legalValues ?? []).some(({ value }) => !known.has(value));
}

/** The findings that have items, without duplicate items. */
export const found = (...rules: readonly Rule[]): Finding[] =>
  rules
    .filter(([, items]) => items.length > 0)
    .map(([message, items]) => ({ message, affectedItems: [...new Set(items)] }));
