import * as v from "valibot";
import { NonEmptyText, ShortText, Timestamp, UrlName } from "../lib/validation.ts";
import { WebAddress } from "../lib/web-address.ts";

export const MODES = ["open", "protected", "private"] as const;

export const UserOwner = v.strictObject({
  ownerType: v.literal("user"),
  name: v.string(),
  email: v.nullable(v.string()),
  imageUrl: v.nullable(v.string()),
});
export type UserOwner = v.InferOutput<typeof UserOwner>;

export const ProjectOwner = v.variant("ownerType", [
  UserOwner,
  v.strictObject({ ownerType: v.literal("group"), name: v.string() }),
  v.strictObject({ ownerType: v.literal("system") }),
]);
export type ProjectOwner = v.InferOutput<typeof ProjectOwner>;

export const Percentage = v.pipe(v.number(), v.minValue(0), v.maxValue(100));

/** A project as in the list of projects; `favorite` is the caller's own. */
export const ListedProject = v.strictObject({
  name: v.string(),
  id: v.string(),
  description: v.nullable(v.string()),
  health: Percentage,
  technicalDebt: Percentage,
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

/** A project that was just created. */
export const CreatedProject = v.strictObject({
  id: v.string(),
  name: v.string(),
  description: v.nullable(v.string()),
  mode: v.picklist(MODES),
  defaultStickiness: v.string(),
  environments: v.array(v.string()),
  changeRequestEnvironments: v.optional(
    v.array(v.strictObject({ name: v.string(), requiredApprovals: v.number() })),
  ), // only if there are any
});
export type CreatedProject = v.InferOutput<typeof CreatedProject>;

/** A blank id counts as missing (original). */
const orMissing = (id: string) => (id.trim() === "" ? undefined : id);

/** The body that creates a project; the id defaults to one from the name, the environments to all enabled ones. */
export const NewProject = v.object({
  id: v.optional(v.pipe(v.string(), v.transform(orMissing), v.optional(UrlName))),
  name: v.pipe(NonEmptyText, v.trim(), v.nonEmpty("must not be empty")),
  description: v.nullish(ShortText, null),
  mode: v.optional(v.picklist(MODES), "open"),
  defaultStickiness: v.optional(NonEmptyText, "default"),
  environments: v.optional(v.pipe(v.array(v.string()), v.minLength(1, "must name an environment"))),
  changeRequestEnvironments: v.optional(
    v.array(
      v.object({
        name: v.string(),
        requiredApprovals: v.optional(
          v.pipe(v.number(), v.integer("must be a whole number"), v.minValue(1), v.maxValue(10)),
          1,
        ),
      }),
    ),
    [],
  ),
});

/** The naming pattern for a project's flags; null for no restriction. */
export const FeatureNaming = v.strictObject({
  pattern: v.nullable(v.string()),
  example: v.nullable(v.string()),
  description: v.nullable(v.string()),
});
export type FeatureNaming = v.InferOutput<typeof FeatureNaming>;

/** Changes to a project's name, description and mode; properties that are left out stay as they are. */
export const ProjectUpdate = v.object({
  name: v.pipe(NonEmptyText, v.trim(), v.nonEmpty("must not be empty")),
  description: v.optional(v.nullable(ShortText)),
  mode: v.optional(v.picklist(MODES)),
  defaultStickiness: v.optional(NonEmptyText),
});
export type ProjectUpdate = v.InferOutput<typeof ProjectUpdate>;

const Pattern = v.pipe(
  ShortText,
  v.maxLength(1000, "must have 1000 characters or fewer"),
  v.check((pattern) => isPattern(pattern), "must be a regular expression"),
);

/** A new naming pattern for flags; null for no restriction. */
export const NewFeatureNaming = v.object({
  pattern: v.nullable(Pattern),
  example: v.nullish(ShortText, null),
  description: v.nullish(ShortText, null),
});

/** A link that each new flag of a project gets; `{{project}}` and `{{feature}}` in its address stand for their names. */
export const LinkTemplate = v.strictObject({
  title: v.optional(v.nullable(v.string())),
  urlTemplate: v.string(),
});
export type LinkTemplate = v.InferOutput<typeof LinkTemplate>;

/** The address that a template gives. */
export const filledTemplate = (template: string, names: Record<"project" | "feature", string>) =>
  template.replaceAll(/\{\{(project|feature)\}\}/g, (_, name: keyof typeof names) =>
    encodeURIComponent(names[name].toWellFormed()),
  );

/** Whether new flags can get links from it. */
export const isUsableTemplate = (template: string) =>
  v.is(WebAddress, filledTemplate(template, { project: "a", feature: "b" }));

export const NewLinkTemplate = v.object({
  title: v.optional(v.nullable(ShortText)),
  urlTemplate: v.pipe(ShortText, v.check(isUsableTemplate, "must become a web address")),
});

/** How many links a flag may have (original). */
export const MAX_LINKS = 10;

/** The settings of a project, apart from its description. */
export const ProjectSettings = v.object({
  mode: v.optional(v.picklist(MODES)),
  featureNaming: v.optional(NewFeatureNaming),
  linkTemplates: v.optional(
    v.pipe(v.array(NewLinkTemplate), v.maxLength(MAX_LINKS, `must have ${MAX_LINKS} templates or fewer`)),
  ),
});
export type ProjectSettings = v.InferOutput<typeof ProjectSettings>;

function isPattern(text: string) {
  try {
    return new RegExp(text) !== null;
  } catch {
    return false;
  }
}
