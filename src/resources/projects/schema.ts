import * as v from "valibot";
import { NonEmptyText, ShortText, Timestamp, UrlName } from "../../validation.ts";
import { ProjectOwner } from "../dashboard/schema.ts";

export const MODES = ["open", "protected", "private"] as const;

/** A project as the list of projects shows it; `favorite` is the caller's own. */
export const ListedProject = v.strictObject({
  name: v.string(),
  id: v.string(),
  description: v.nullable(v.string()),
  health: v.pipe(v.number(), v.minValue(0), v.maxValue(100)),
  favorite: v.boolean(),
  featureCount: v.number(),
  memberCount: v.number(),
  createdAt: Timestamp,
  archivedAt: v.nullable(Timestamp),
  mode: v.picklist(MODES),
  lastReportedFlagUsage: v.nullable(Timestamp),
  lastUpdatedAt: v.nullable(Timestamp),
  owners: v.array(ProjectOwner),
});
export type ListedProject = v.InferOutput<typeof ListedProject>;

export const ProjectList = v.strictObject({ version: v.literal(1), projects: v.array(ListedProject) });

/** A project that was just made. */
export const CreatedProject = v.strictObject({
  id: v.string(),
  name: v.string(),
  description: v.nullable(v.string()),
  mode: v.picklist(MODES),
  defaultStickiness: v.string(),
  environments: v.array(v.string()),
});
export type CreatedProject = v.InferOutput<typeof CreatedProject>;

/** What a new project is made of; without an id it gets one from its name, without environments all that are enabled. */
export const NewProject = v.object({
  id: v.optional(UrlName),
  name: v.pipe(NonEmptyText, v.trim(), v.nonEmpty("must not be empty")),
  description: v.nullish(ShortText, null),
  mode: v.optional(v.picklist(MODES), "open"),
  defaultStickiness: v.optional(NonEmptyText, "default"),
  environments: v.optional(v.pipe(v.array(v.string()), v.minLength(1, "must name an environment"))),
});
export type NewProject = v.InferOutput<typeof NewProject>;
