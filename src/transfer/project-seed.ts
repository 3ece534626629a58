import type { Database } from "../db/statement.ts";
import { applyProject } from "./project/apply.ts";
import { readProjectText } from "./project/read.ts";
import type { ProjectText } from "./project/schema.ts";

/*
 * A seed may be the text of a project, as for `apply`: the project and its context fields need not exist yet.
 */

/** Whether text is meant as a project: YAML that is not JSON, or JSON with the same two properties. */
export const isProjectText = (text: string, parsed: object | undefined) =>
  parsed ? "project" in parsed && "version" in parsed : /^(version|project):/m.test(text);

/** @throws DataError saying where the first mistake is */
export const readProjectSeed = (text: string) => readProjectText(text, "the project");

/** Dataset lines for what the text refers to and a new file lacks. */
export function prerequisiteLines(
  project: ProjectText,
  has: { environments: readonly string[]; contextFields: readonly string[] },
): object[] {
  const { project: id } = project;
  const fields = [...fieldsOf(project)].filter((name) => !has.contextFields.includes(name));
  return [
    ...(id === "default" ? [] : [{ kind: "project", id, name: id, environments: has.environments }]),
    ...fields.map((name) => ({ kind: "contextField", name })),
  ];
}

function fieldsOf({ segments, flags }: ProjectText): Set<string> {
  const strategies = Object.values(flags)
    .flatMap(({ environments }) => Object.values(environments))
    .flatMap((environment) => environment.strategies ?? []);
  const constraints = [...Object.values(segments), ...strategies].flatMap((one) => one.constraints ?? []);
  return new Set(constraints.map(({ contextName }) => contextName));
}

/** @throws DataError if that is not possible, having changed nothing */
export const applySeed = (db: Database, project: ProjectText) =>
  void applyProject(db, project, { prunes: false, isDryRun: false });
