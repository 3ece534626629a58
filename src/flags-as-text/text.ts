import * as v from "valibot";
import { yaml } from "#on-demand";
import { type Database, snapshot } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import { isKnown } from "../db/known.ts";
import { Constraint } from "../evaluation/constraint.ts";
import { CreateStrategy } from "../evaluation/strategy.ts";
import { convert } from "../http/body.ts";
import { check, dictionary, type Schema, ShortText } from "../lib/validation.ts";
import { type FlagState, type NamedStrategy, type ProjectState, projectState } from "./state.ts";

/** Things by name. */
const named = <S extends Schema>(schema: S) => v.optional(dictionary(schema), {});

/** A strategy as text, with its segments by name. */
const TextStrategy = v.strictObject({
  ...v.omit(CreateStrategy, ["sortOrder", "segments", "constraints"]).entries,
  constraints: v.optional(v.array(Constraint)),
  segments: v.optional(v.array(v.string())),
});
export type TextStrategy = v.InferOutput<typeof TextStrategy>;

/** A flag in an environment, with all of its strategies there, in order. */
const TextEnvironment = v.strictObject({
  enabled: v.optional(v.boolean()),
  strategies: v.optional(v.array(TextStrategy)),
});
export type TextEnvironment = v.InferOutput<typeof TextEnvironment>;

const TextFlag = v.strictObject({
  type: v.optional(v.string()),
  description: v.optional(v.nullable(ShortText)),
  stale: v.optional(v.boolean()),
  impressionData: v.optional(v.boolean()),
  environments: named(TextEnvironment),
});
export type TextFlag = v.InferOutput<typeof TextFlag>;

const TextSegment = v.strictObject({
  description: v.optional(v.nullable(ShortText)),
  constraints: v.optional(v.array(Constraint)),
});

/** The flags and segments of a project, by name, as text for version control. Whatever is left out stays as it is. */
export const ProjectText = v.strictObject({
  version: v.literal(1, "must be 1, the only version"),
  project: v.string(),
  segments: named(TextSegment),
  flags: named(TextFlag),
});
export type ProjectText = v.InferOutput<typeof ProjectText>;

/**
 * A project from YAML, which includes JSON.
 * @param source names the text in errors
 * @throws DataError for the first thing that is invalid, with its place
 */
export function readProjectText(text: string, source: string): ProjectText {
  const result = check(ProjectText, convert(ProjectText, parsed(text, source)));
  if (!result.violations) return result.value;
  const [{ path, message }] = result.violations;
  throw new DataError(`${source}: ${path === "" ? "it" : path} ${message}`);
}

function parsed(text: string, source: string): unknown {
  const document = yaml().parseDocument(text, { stringKeys: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem?.code === "MULTIPLE_DOCS") throw new DataError(`${source}: must contain one document`);
  if (problem) throw invalid(source, problem);
  try {
    return document.toJS();
  } catch (error) {
    if (error instanceof ReferenceError) throw invalid(source, error); // too many aliases
    throw error;
  }
}

const invalid = (source: string, { message }: Error) =>
  new DataError(`${source}: ${message.split("\n")[0]!.replace(/:$/, "")}`);

/** A project as YAML that `apply` accepts. @throws DataError if there is no such project */
export function projectAsYaml(db: Database, project: string): string {
  if (!isKnown(db, "project", project)) throw new DataError(`There is no project ${project}`);
  return yaml().stringify(
    toText(
      project,
      snapshot(db, () => projectState(db, project)),
    ),
    { lineWidth: 0 },
  );
}

/** Leaves out default values, except for those that define a flag. */
const toText = (project: string, { environments, flags, segments }: ProjectState): ProjectText => ({
  version: 1,
  project,
  segments: Object.fromEntries(
    [...segments].map(([name, { description, constraints }]) => [
      name,
      { description, constraints: constraints.map(toConstraint) },
    ]),
  ),
  flags: Object.fromEntries(
    [...flags]
      .filter(([, { archived }]) => !archived)
      .map(([name, flag]) => [name, toFlag(flag, environments)]),
  ),
});

const toFlag = (flag: FlagState, environments: readonly string[]): TextFlag => ({
  type: flag.type,
  description: flag.description,
  stale: flag.stale,
  impressionData: flag.impressionData,
  environments: Object.fromEntries(
    environments.map((name) => [name, toEnvironment(flag.environments.get(name))]),
  ),
});

const toEnvironment = (state = { enabled: false, strategies: [] as NamedStrategy[] }): TextEnvironment => ({
  enabled: state.enabled,
  strategies: state.strategies.map(toStrategy),
});

const toStrategy = ({ name, title, disabled, ...rest }: NamedStrategy): TextStrategy => ({
  name,
  ...(title !== null && { title }),
  ...(disabled && { disabled }),
  parameters: rest.parameters,
  ...(rest.constraints.length > 0 && { constraints: rest.constraints.map(toConstraint) }),
  ...(rest.segments.length > 0 && { segments: rest.segments }),
  ...(rest.variants.length > 0 && { variants: rest.variants }),
});

const toConstraint = ({ caseInsensitive, inverted, values, value, ...rest }: Constraint) =>
  ({
    ...rest,
    ...(caseInsensitive && { caseInsensitive }),
    ...(inverted && { inverted }),
    ...(values.length > 0 && { values }),
    ...(value !== undefined && { value }),
  }) as Constraint;
