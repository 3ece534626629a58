import { stringify } from "yaml";
import { DataError } from "../../db/error.ts";
import { isKnown } from "../../db/known.ts";
import { snapshot } from "../../db/snapshot.ts";
import type { Database } from "../../db/statement.ts";
import type { Constraint } from "../../evaluation/constraint.ts";
import type { ProjectText, TextEnvironment, TextFlag, TextStrategy } from "./schema.ts";
import { type FlagState, type NamedStrategy, type ProjectState, projectState } from "./state.ts";

/** A project as YAML that `apply` accepts. @throws DataError if there is no such project */
export function projectAsYaml(db: Database, project: string): string {
  if (!isKnown(db, "project", project)) throw new DataError(`There is no project ${project}`);
  return stringify(
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
