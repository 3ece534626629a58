import type { Permission } from "../../auth/permissions.ts";
import { fieldsOf, type Present } from "./check-store.ts";
import type { Data, FeaturesImport, Finding } from "./schema.ts";

/*
 * What an import would run into, given what is there. A finding without items is none.
 */

/** The import without flags that are in the archive, which stay there (original), and without what is theirs. */
export function importable(data: Data, { features }: Present): Data {
  const archived = new Set(features.filter((one) => one.isArchived === 1).map(({ name }) => name));
  const names = new Set(data.features.map(({ name }) => name).filter((name) => !archived.has(name)));
  return {
    ...data,
    features: data.features.filter(({ name }) => names.has(name)),
    featureStrategies: data.featureStrategies.filter(({ featureName }) => names.has(featureName)),
    featureEnvironments: data.featureEnvironments.filter(({ featureName }) => names.has(featureName)),
    featureTags: data.featureTags.filter(({ featureName }) => names.has(featureName)),
    dependencies: data.dependencies.filter(({ feature }) => names.has(feature)),
  };
}

/** What makes an import impossible. @param parents of the flags that it depends on, those that are live in the project */
export function errorsOf(
  { project, environment, data }: FeaturesImport,
  there: Present,
  parents: ReadonlySet<string>,
  hidden: readonly string[],
): Finding[] {
  const names = data.features.map(({ name }) => name);
  const elsewhere = there.features.filter((feature) => feature.project !== project);
  const kept = importable(data, there);
  const isNew = (name: string) => !there.features.some((feature) => feature.name === name);
  const tagTypes = new Set([...there.tagTypes, ...data.tagTypes.map(({ name }) => name)]);
  const naming = there.naming === "" ? undefined : new RegExp(`^(?:${there.naming})$`, "u");
  return found(
    ["There is no such project, or it is archived", there.hasProject ? [] : [project]],
    ["The project does not have the environment", there.hasEnvironment ? [] : [environment]],
    [
      "These flags are in other projects",
      elsewhere.map((one) =>
        hidden.includes(one.project) ? one.name : `${one.name} (in project ${one.project})`,
      ),
    ],
    ["These flags come more than once", names.filter((name, index) => names.indexOf(name) < index)],
    [
      "These types of flags do not exist",
      data.features.map(({ type }) => type).filter((type) => !there.featureTypes.has(type)),
    ],
    [
      "The names of these flags are not as the project wants them",
      kept.features.map(({ name }) => name).filter((name) => isNew(name) && naming && !naming.test(name)),
    ],
    [
      "The project has no room for so many flags",
      there.room !== null && kept.features.filter(({ name }) => isNew(name)).length > there.room
        ? [`${Math.max(0, there.room)} more are possible`]
        : [],
    ],
    [
      "These strategies have to be made first",
      kept.featureStrategies.map(({ name }) => name).filter((name) => !there.strategyTypes.has(name)),
    ],
    [
      "These context fields are there with other legal values",
      data.contextFields.filter((field) => hasOtherValues(field, there)).map(({ name }) => name),
    ],
    [
      "Constraints compare these context fields, which do not exist",
      fieldsOf(kept).filter(
        (name) => !there.contextFields.has(name) && !data.contextFields.some((one) => one.name === name),
      ),
    ],
    [
      "These segments have to be made first",
      data.segments.map(({ name }) => name).filter((name) => !there.segments.has(name)),
    ],
    [
      "These segments are used and not described",
      kept.featureStrategies
        .flatMap(({ segments }) => segments)
        .filter((id) => !data.segments.some((segment) => segment.id === id))
        .map(String),
    ],
    [
      "The types of these tags do not exist",
      kept.featureTags.filter(({ tagType }) => !tagTypes.has(tagType)).map(({ tagType }) => tagType),
    ],
    [
      "Flags depend on these, which are not in the project",
      parentsOf(kept).filter(
        (parent) => !parents.has(parent) && !kept.features.some(({ name }) => name === parent),
      ),
    ],
  );
}

/** The flags that others depend on. */
export const parentsOf = ({ dependencies }: Data): string[] =>
  dependencies.flatMap((one) => one.dependencies.map(({ feature }) => feature));

/** What an import would do that may not be expected. */
export function warningsOf({ project, data }: FeaturesImport, there: Present): Finding[] {
  const own = there.features.filter((feature) => feature.project === project);
  return found(
    [
      "These strategies are made here, and may differ from those of the same name elsewhere",
      data.featureStrategies.map(({ name }) => name).filter((name) => there.strategyTypes.get(name)),
    ],
    [
      "These flags are archived and stay as they are",
      own.filter((one) => one.isArchived === 1).map(({ name }) => name),
    ],
    [
      "These flags are there and will be replaced",
      own.filter((one) => one.isArchived === 0).map(({ name }) => name),
    ],
  );
}

/** The permissions that an import needs, by what it holds. */
export function needsOf({ data }: FeaturesImport, there: Present): Permission[] {
  const { features, featureStrategies, featureEnvironments, ...rest } = importable(data, there);
  const isNew = ({ name }: { name: string }) => !there.features.some((feature) => feature.name === name);
  const needs: ReadonlyArray<[Permission, boolean]> = [
    ["UPDATE_FEATURE", true],
    ["DELETE_FEATURE_STRATEGY", true],
    ["CREATE_FEATURE", features.some(isNew)],
    ["CREATE_FEATURE_STRATEGY", featureStrategies.length > 0],
    [
      "UPDATE_FEATURE_ENVIRONMENT",
      featureEnvironments.some((one) => one.enabled !== there.enabled.has(one.featureName)),
    ],
    ["UPDATE_FEATURE_ENVIRONMENT_VARIANTS", featureEnvironments.some(({ variants }) => variants.length > 0)],
    ["UPDATE_FEATURE_DEPENDENCY", parentsOf(data).length > 0],
    ["CREATE_CONTEXT_FIELD", rest.contextFields.some(({ name }) => !there.contextFields.has(name))],
    ["CREATE_TAG_TYPE", rest.tagTypes.some(({ name }) => !there.tagTypes.has(name))],
  ];
  return needs.filter(([, isNeeded]) => isNeeded).map(([permission]) => permission);
}

function hasOtherValues({ name, legalValues }: Data["contextFields"][number], there: Present) {
  const known = there.contextFields.get(name);
  return known !== undefined && (legalValues ?? []).some(({ value }) => !known.has(value));
}

/** The findings that have items, each item once. */
export const found = (
  ...findings: ReadonlyArray<readonly [message: string, items: readonly string[]]>
): Finding[] =>
  findings
    .filter(([, items]) => items.length > 0)
    .map(([message, items]) => ({ message, affectedItems: [...new Set(items)] }));
