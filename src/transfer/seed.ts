import * as v from "valibot";
import { CLI } from "../access/actor.ts";
import { toPrintable } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import { isKnown } from "../db/known.ts";
import { inNewFile } from "../db/open.ts";
import { write } from "../events/write.ts";
import { applyProject } from "../flags-as-text/plan.ts";
import { type ProjectText, readProjectText } from "../flags-as-text/text.ts";
import { parsedJson } from "../lib/text.ts";
import { check, dictionary, isObject, NonEmptyText, type Schema } from "../lib/validation.ts";
import { cloneInto } from "../projects/environment-clones.ts";
import { exportDataset } from "./export.ts";
import { importDataset } from "./import.ts";

/**
 * Fills a new file from a seed: a dataset, flags as SDKs read them, a map of flags to true and false, or a project as
 * `apply` takes it. All but the first are added to the default content of a new file; flags that name no environment are
 * the same in all.
 * @param environments where such flags are to be, besides a new file's own
 * @throws DataError, DatasetError saying what is wrong, and where
 */
export async function loadSeed(
  db: Database,
  seed: Buffer,
  environments: readonly string[] = [],
): Promise<void> {
  const text = seed.toString("utf8").replace(/^\uFEFF/, "");
  const json = parsedJson(text);
  const value = isObject(json) ? json : undefined; // anything else is left to the import, which reports what is wrong
  if (isProjectText(text, value)) return loadProject(db, text);
  const features = value && toFeatures(value);
  const bytes = features ? withDefaultContent((has) => clientFeatureLines(features, has.environments)) : seed;
  await importDataset(db, [bytes]);
  const lacking = environments.filter((name) => features && !isKnown(db, "environment", name));
  write(db, CLI, (tx) => {
    for (const name of lacking) cloneInto(tx, "development", { name, clonePermissions: true });
  });
}

/**
 * Flags in another format than a dataset's, recognised by its JSON; undefined for a dataset.
 * @throws DataError
 */
function toFeatures(value: object): ClientFeaturesFile | undefined {
  if ("features" in value && Array.isArray(value.features)) return checked(ClientFeaturesFile, value);
  if ("kind" in value) return undefined;
  return checked(ClientFeaturesFile, mapFeatures(checked(FlagMap, value)));
}

/** The text of a project, as for `apply`: the project and its context fields need not exist yet. */
async function loadProject(db: Database, text: string) {
  const project = readProjectText(text, "the project");
  await importDataset(db, [withDefaultContent((has) => prerequisiteLines(project, has))]);
  applyProject(db, project, { prunes: false, isDryRun: false });
}

function checked<S extends Schema>(schema: S, value: unknown): v.InferOutput<S> {
  const { violations, ...valid } = check(schema, value);
  if (!violations) return (valid as { value: v.InferOutput<S> }).value;
  const [{ path, message }] = violations;
  throw new DataError(toPrintable(`${path}: ${message}`));
}

interface NewFile {
  environments: string[];
  contextFields: string[];
}

/** The default content of a new file, which an import would replace, with more lines. */
function withDefaultContent(linesFor: (has: NewFile) => object[]): Buffer {
  const lines = inNewFile((fresh) => [...exportDataset(fresh)]);
  const end = lines.pop();
  const values = lines.map((line) => JSON.parse(line));
  const names = (kind: string) => values.filter((value) => value.kind === kind).map(({ name }) => name);
  const more = linesFor({ environments: names("environment"), contextFields: names("contextField") });
  const texts = more.map((line) => `${JSON.stringify(line, withoutNull)}\n`);
  return Buffer.from([...lines, ...texts, end].join(""));
}

const withoutNull = (_: string, value: unknown) => (value === null ? undefined : value);

/** Whether text is meant as a project: YAML that is not JSON, or JSON with the same two properties. */
const isProjectText = (text: string, parsed: object | undefined) =>
  parsed ? "project" in parsed && "version" in parsed : /^(version|project):/m.test(text);

/** Dataset lines for what the text refers to and a new file lacks. */
function prerequisiteLines(project: ProjectText, has: NewFile): object[] {
  const { project: id } = project;
  const fields = [...fieldsOf(project)].filter((name) => !has.contextFields.includes(name));
  return [
    ...(id === "default" ? [] : [{ kind: "project", id, name: id, environments: has.environments }]),
    ...fields.map((name) => ({ kind: "contextField", name })),
  ];
}

function fieldsOf({ segments, flags }: ProjectText): Set<string> {
  const strategies = Object.values(flags)
    .flatMap(({ environments }) => Object.values(environments))
    .flatMap((environment) => environment.strategies ?? []);
  const constraints = [...Object.values(segments), ...strategies].flatMap((one) => one.constraints ?? []);
  return new Set(constraints.map(({ contextName }) => contextName));
}

/*
 * Flags in the form SDKs read: the state of one environment. As in SDKs, much of it is optional.
 */

const Plain = v.union([v.string(), v.number(), v.boolean()], "must be text");
const AsText = v.pipe(Plain, v.transform(String));
const OptionalBoolean = v.nullish(v.boolean(), false);
const list = <S extends v.GenericSchema>(schema: S) => v.nullish(v.array(schema), []);

const Constraint = v.object({
  contextName: v.string(),
  operator: v.string(),
  inverted: OptionalBoolean,
  caseInsensitive: OptionalBoolean,
  values: list(AsText),
  value: v.nullish(AsText),
});

const Variant = v.object({
  name: v.string(),
  weight: v.number(),
  weightType: v.nullish(v.picklist(["variable", "fix"]), "variable"),
  stickiness: v.nullish(v.string()),
  payload: v.nullish(v.object({ type: v.string(), value: AsText })),
  overrides: v.nullish(v.array(v.object({ contextName: v.string(), values: v.array(AsText) }))),
});

const Feature = v.object({
  name: NonEmptyText,
  project: v.nullish(v.string(), "default"),
  type: v.nullish(v.string(), "release"),
  description: v.nullish(v.string()),
  enabled: v.boolean(),
  stale: OptionalBoolean,
  impressionData: OptionalBoolean,
  variants: list(Variant),
  dependencies: list(
    v.object({ feature: v.string(), enabled: v.nullish(v.boolean(), true), variants: list(v.string()) }),
  ),
  strategies: list(
    v.object({
      name: v.string(),
      parameters: v.nullish(dictionary(AsText), {}),
      constraints: list(Constraint),
      segments: list(v.number()),
      variants: list(Variant),
    }),
  ),
});

const ClientFeaturesFile = v.object({
  features: v.array(Feature),
  segments: list(v.object({ id: v.number(), name: v.nullish(NonEmptyText), constraints: list(Constraint) })),
});
type ClientFeaturesFile = v.InferOutput<typeof ClientFeaturesFile>;

/**
 * Dataset lines with the same content in each of these environments, without the project `default`. A missing segment
 * matches nobody, so a segment that matches nobody takes its place.
 */
const clientFeatureLines = (
  { features, segments }: ClientFeaturesFile,
  environments: readonly string[],
): object[] => [
  ...projectsOf(features).map((id) => ({ kind: "project", id, name: id, environments })),
  ...segments.map(({ name, ...segment }) => ({
    kind: "segment",
    name: name ?? `segment ${segment.id}`,
    ...segment,
  })),
  ...missing(features, segments).map((id) => ({
    kind: "segment",
    id,
    name: `missing segment ${id}`,
    constraints: [{ contextName: "userId", operator: "IN", values: [] }],
  })),
  ...features.map(({ enabled, strategies, variants, ...feature }) => ({
    kind: "feature",
    ...feature,
    environments: environments.map((name) => ({ name, enabled, strategies, variants })),
  })),
];

type Features = ClientFeaturesFile["features"];

const projectsOf = (features: Features) =>
  [...new Set(features.map(({ project }) => project))].filter((id) => id !== "default");

function missing(features: Features, segments: ClientFeaturesFile["segments"]): number[] {
  const known = new Set(segments.map(({ id }) => id));
  const used = features.flatMap(({ strategies }) => strategies.flatMap((strategy) => strategy.segments));
  return [...new Set(used)].filter((id) => !known.has(id));
}

/*
 * The short form: flag names, each with true or false, or with its enabled state and variant, as offline
 * proxies read it.
 */

const FlagMap = v.record(
  v.string(),
  v.union(
    [v.boolean(), v.object({ enabled: v.boolean(), variant: v.nullish(v.string()) })],
    "must be true, false, or an object with enabled and variant",
  ),
);
type FlagMap = v.InferOutput<typeof FlagMap>;

/** Converts a map to flags that are on for everyone or off. */
const mapFeatures = (map: FlagMap) => ({
  features: Object.entries(map).map(([name, flag]) => toFeature(name, flag)),
});

function toFeature(name: string, flag: FlagMap[string]) {
  const { enabled, variant } = typeof flag === "boolean" ? { enabled: flag } : { variant: null, ...flag };
  return {
    name,
    enabled,
    strategies: [{ name: "default" }],
    variants: variant ? [{ name: variant, weight: 1000, stickiness: "default" }] : [],
  } satisfies v.InferInput<typeof ClientFeaturesFile>["features"][number];
}
