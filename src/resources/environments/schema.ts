import * as v from "valibot";
import { NonEmptyText, UrlName } from "../../validation.ts";
import { DefaultStrategy } from "../strategies/schema.ts";

/** A place in which flags have a state of their own; a protected one can't be removed. */
export const Environment = v.strictObject({
  name: v.string(),
  type: v.string(),
  sortOrder: v.number(),
  enabled: v.boolean(),
  protected: v.boolean(),
});
export type Environment = v.InferOutput<typeof Environment>;

/** The same with how many projects have it, tokens are for it, and live flags are on in it, of those that are visible. */
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

/** The same for one project; a default strategy only where the project says something of it. */
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

/** What a new environment is made of. */
export const NewEnvironment = v.object({
  name: UrlName,
  type: NonEmptyText,
  enabled: v.optional(v.boolean(), true),
  sortOrder: v.optional(SortOrder, 9999),
});
export type NewEnvironment = v.InferOutput<typeof NewEnvironment>;

/** What an environment becomes; what is left out stays. */
export const UpdateEnvironment = v.object({
  type: v.optional(NonEmptyText),
  sortOrder: v.optional(SortOrder),
});
export type UpdateEnvironment = v.InferOutput<typeof UpdateEnvironment>;

/** Names of environments and their numbers in the order. */
export const EnvironmentOrder = v.record(v.string(), SortOrder);
export type EnvironmentOrder = v.InferOutput<typeof EnvironmentOrder>;
