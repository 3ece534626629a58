import * as v from "valibot";
import { NewConstraint } from "../../evaluation/constraint.ts";
import { Strategy } from "../../evaluation/strategy.ts";
import { FlagVariant, NewFlagVariant, NewVariant } from "../../evaluation/variant.ts";
import { dictionary, NonEmptyText, ShortText, Text } from "../../lib/validation.ts";
import { ContextField, NewContextField } from "../context-fields.ts";
import { NewDependency } from "../dependencies.ts";
import { Feature, NewFeature } from "../features/schema.ts";
import { NewTagType, TagType } from "../tag-types.ts";
import { TagPart } from "../tags.ts";

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
});
export type FeaturesExport = v.InferOutput<typeof FeaturesExport>;

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
