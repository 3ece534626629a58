import * as v from "valibot";
import { Strategy } from "../evaluation/strategy.ts";
import { FlagVariant } from "../evaluation/variant.ts";
import { Tag } from "../events/schema.ts";
import { ShortText, Timestamp, UrlName } from "../lib/validation.ts";
import { NewTag } from "./tags.ts";

/** The stages of a flag's life, in order. */
export const STAGES = ["initial", "pre-live", "live", "completed", "archived"] as const;
export type Stage = (typeof STAGES)[number];

/** A stage that a flag has reached. */
export const CurrentStage = v.strictObject({
  stage: v.picklist(STAGES),
  enteredStageAt: Timestamp,
  status: v.optional(v.string()),
});
export type CurrentStage = v.InferOutput<typeof CurrentStage>;

export const FeatureEnvironment = v.strictObject({
  name: v.string(),
  type: v.string(),
  enabled: v.boolean(),
  sortOrder: v.number(),
  variantCount: v.number(),
  lastSeenAt: v.nullable(Timestamp),
  hasStrategies: v.boolean(),
  hasEnabledStrategies: v.boolean(),
});
export type FeatureEnvironment = v.InferOutput<typeof FeatureEnvironment>;

/** A flag in a project's list; `favorite` is the caller's own. */
export const ProjectFeature = v.strictObject({
  name: v.string(),
  type: v.string(),
  description: v.nullable(v.string()),
  stale: v.boolean(),
  favorite: v.boolean(),
  impressionData: v.boolean(),
  createdAt: Timestamp,
  lastSeenAt: v.nullable(Timestamp),
  environments: v.array(FeatureEnvironment),
  tags: v.array(Tag),
});
export type ProjectFeature = v.InferOutput<typeof ProjectFeature>;

export const ProjectFeatures = v.strictObject({ version: v.literal(2), features: v.array(ProjectFeature) });

export const TagText = v.pipe(
  v.string(),
  v.regex(/^[^:]+:.+$/s, "must be a type and a value separated by a colon"),
  v.transform((text): Tag => {
    const [type = "", ...value] = text.split(":");
    return { type, value: value.join(":") };
  }),
);

/** The flags to list: those whose name begins with the prefix, in any letter case, and that have any of the tags. */
export const FeatureFilter = v.object({
  namePrefix: v.pipe(
    v.optional(v.string(), ""),
    v.description("The beginning of the name, in any letter case"),
  ),
  tag: v.array(TagText),
});
export type FeatureFilter = v.InferOutput<typeof FeatureFilter>;

/** A flag on its own, as in responses to changes and in events; the keys are in wire order. */
export const Feature = v.strictObject({
  name: v.string(),
  description: v.nullable(v.string()),
  type: v.string(),
  project: v.string(),
  stale: v.boolean(),
  createdAt: Timestamp,
  lastSeenAt: v.nullable(Timestamp),
  impressionData: v.boolean(),
  archivedAt: v.nullable(Timestamp),
  archived: v.boolean(),
});
export type Feature = v.InferOutput<typeof Feature>;

/** Someone who created or changed a flag; may be a token, or deleted. */
export const Person = v.strictObject({ id: v.number(), name: v.string(), imageUrl: v.string() });
export type Person = v.InferOutput<typeof Person>;

/** What a flag links to, such as where its code is. */
export const FeatureLink = v.strictObject({
  id: v.string(),
  url: v.string(),
  title: v.nullable(v.string()),
  feature: v.string(),
});
export type FeatureLink = v.InferOutput<typeof FeatureLink>;

/** Everything about a flag; unlike elsewhere, a strategy without a title has an empty one (original). */
export const FeatureDetails = v.strictObject({
  ...v.omit(Feature, ["archivedAt"]).entries,
  environments: v.array(
    v.strictObject({
      name: v.string(),
      lastSeenAt: v.nullable(Timestamp),
      variants: v.optional(v.array(FlagVariant)),
      enabled: v.boolean(),
      yes: v.number(),
      no: v.number(),
      type: v.string(),
      sortOrder: v.number(),
      strategies: v.array(
        v.strictObject({ ...v.omit(Strategy, ["featureName"]).entries, title: v.string() }),
      ),
    }),
  ),
  favorite: v.boolean(),
  createdBy: Person,
  variants: v.array(FlagVariant),
  dependencies: v.array(
    v.strictObject({ feature: v.string(), enabled: v.boolean(), variants: v.array(v.string()) }),
  ),
  children: v.array(v.string()),
  lifecycle: v.optional(v.omit(CurrentStage, ["status"])),
  links: v.array(FeatureLink),
  collaborators: v.strictObject({ users: v.array(Person) }),
});
export type FeatureDetails = v.InferOutput<typeof FeatureDetails>;

/** The metadata of a flag after a change; the name can't be changed and may be left out. */
export const FeatureUpdate = v.object({
  name: v.optional(v.string()),
  type: v.optional(v.string(), "release"),
  description: v.optional(v.nullable(ShortText)),
  stale: v.optional(v.boolean(), false),
  impressionData: v.optional(v.boolean(), false),
  archived: v.optional(v.boolean(), false),
});
export type FeatureUpdate = v.InferOutput<typeof FeatureUpdate>;

/** The body that creates a flag. */
export const NewFeature = v.object({
  name: UrlName,
  type: v.optional(v.string(), "release"),
  description: v.nullish(ShortText, null),
  stale: v.optional(v.boolean(), false),
  impressionData: v.optional(v.boolean(), false),
  tags: v.optional(v.array(NewTag)),
});
export type NewFeature = v.InferOutput<typeof NewFeature>;

/** A flag in the archive's list; without its environments (original). */
export const ArchivedFeature = v.strictObject({
  ...v.omit(Feature, ["archived"]).entries,
  environments: v.pipe(v.array(v.unknown()), v.maxLength(0)),
});
export type ArchivedFeature = v.InferOutput<typeof ArchivedFeature>;

export const ArchivedFeatures = v.strictObject({ version: v.literal(2), features: v.array(ArchivedFeature) });

/** Several flags by name. */
export const FeatureNames = v.object({
  features: v.pipe(v.array(v.string()), v.maxLength(1000, "must have 1000 names or fewer")),
});
export type FeatureNames = v.InferOutput<typeof FeatureNames>;

export const StaleFeatures = v.object({ ...FeatureNames.entries, stale: v.boolean() });

/** Problems with archiving flags: live flags depend on some of them, or some of them depend on others. */
export const ArchiveCheck = v.strictObject({
  parentsWithChildFeatures: v.array(v.string()),
  hasDeletedDependencies: v.boolean(),
});

/** The name of the copy. */
export const CloneFeature = v.object({ name: UrlName, replaceGroupId: v.optional(v.boolean(), true) });

/** A name for a flag, possibly in a given project. */
export const NameToCheck = v.object({ name: UrlName, projectId: v.nullish(v.string()) });

/** The project to move a flag to. */
export const MoveTarget = v.object({ newProjectId: v.string() });
