import * as v from "valibot";
import { dictionary, NonEmptyText } from "../lib/validation.ts";

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

export const ClientFeaturesFile = v.object({
  features: v.array(Feature),
  segments: list(v.object({ id: v.number(), name: v.nullish(NonEmptyText), constraints: list(Constraint) })),
});
export type ClientFeaturesFile = v.InferOutput<typeof ClientFeaturesFile>;

/**
 * Dataset lines with the same content in each of these environments, without the project `default`. A missing segment
 * matches nobody, so a segment that matches nobody takes its place.
 */
export const clientFeatureLines = (
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
