import * as v from "valibot";
import { DefaultStrategy } from "../evaluation/strategy.ts";
import { dictionary, NonEmptyText, UrlName } from "../lib/validation.ts";

/** Each flag has its own state in every environment; a protected one can't be deleted. */
export const Environment = v.strictObject({
  name: v.string(),
  type: v.string(),
  sortOrder: v.number(),
  enabled: v.boolean(),
  protected: v.boolean(),
});
export type Environment = v.InferOutput<typeof Environment>;

/** With the number of visible projects that have it, of its tokens, and of live flags that are on in it. */
export const CountedEnvironment = v.strictObject({
  ...Environment.entries,
  projectCount: v.number(),
  apiTokenCount: v.number(),
  enabledToggleCount: v.number(),
});
export type CountedEnvironment = v.InferOutput<typeof CountedEnvironment>;

export const Environments = v.strictObject({
  version: v.literal(1),
  environments: v.array(CountedEnvironment),
});

/** The same for one project; with a default strategy only if the project has set one. */
export const ProjectEnvironment = v.strictObject({
  ...Environment.entries,
  projectApiTokenCount: v.number(),
  projectEnabledToggleCount: v.number(),
  defaultStrategy: v.optional(DefaultStrategy),
});
export type ProjectEnvironment = v.InferOutput<typeof ProjectEnvironment>;

export const ProjectEnvironments = v.strictObject({
  version: v.literal(1),
  environments: v.array(ProjectEnvironment),
});

const SortOrder = v.pipe(v.number(), v.safeInteger());

/** The body that creates an environment. */
export const NewEnvironment = v.object({
  name: UrlName,
  type: NonEmptyText,
  enabled: v.optional(v.boolean(), true),
  sortOrder: v.optional(SortOrder, 9999),
});
export type NewEnvironment = v.InferOutput<typeof NewEnvironment>;

/** A name for an environment. */
export const EnvironmentName = v.pick(NewEnvironment, ["name"]);

/** The body that clones an environment; all its projects if none are given, and its type. */
export const EnvironmentClone = v.object({
  name: UrlName,
  type: v.optional(NonEmptyText),
  projects: v.optional(v.array(v.string())),
  clonePermissions: v.optional(v.boolean(), true),
});
export type EnvironmentClone = v.InferOutput<typeof EnvironmentClone>;

/** A change to an environment; properties that are left out stay as they are. */
export const UpdateEnvironment = v.object({
  type: v.optional(NonEmptyText),
  sortOrder: v.optional(SortOrder),
});
export type UpdateEnvironment = v.InferOutput<typeof UpdateEnvironment>;

/** Sort orders by environment name. */
export const EnvironmentOrder = dictionary(SortOrder);
