import * as v from "valibot";
import { NewConstraint } from "../evaluation/constraint.ts";
import { NewFlagVariant, NewVariant } from "../evaluation/variant.ts";
import { dictionary, NonEmptyText, ShortText, Text } from "../lib/validation.ts";
import { NewContextField } from "./context-fields.ts";
import { NewDependency } from "./dependencies.ts";
import { NewFeature } from "./features-schema.ts";
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
