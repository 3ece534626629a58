import * as v from "valibot";
import type { Line } from "../dataset/kind.ts";
import { DataError } from "../db/error.ts";
import { strategy } from "./flags.ts";
import { inPath, keep, listOf, type Pull, read, readIfTold, readList, Thing, toLines } from "./source.ts";

/*
 * Projects, and who has access to them.
 */

const Overview = v.looseObject({
  environments: v.nullish(
    v.array(v.looseObject({ environment: v.string(), defaultStrategy: v.nullish(Thing) })),
    [],
  ),
  favorite: v.nullish(v.boolean()),
  featureNaming: v.nullish(Thing),
});

/** The projects that are wanted, live or archived. @throws DataError if one is not there */
export async function wantedProjects(pull: Pull): Promise<Thing[]> {
  const live = await readList(pull, "projects", "projects");
  const archived = await readList(pull, ARCHIVED, "projects");
  const all = [...new Map([...live, ...archived].map((project) => [project.id, project])).values()];
  const { projects } = pull.options;
  const missing = projects.find((id) => !all.some((project) => project.id === id));
  if (missing !== undefined)
    throw new DataError(`${pull.url} has no project ${missing} that the token may see`);
  pull.counts.projects = live.length;
  return projects.length === 0 ? all : all.filter(({ id }) => projects.includes(String(id)));
}

const ARCHIVED = "projects?archived=true";

/** @param fans whose favourites are told, if they come along */
export async function* projects(
  pull: Pull,
  list: readonly Thing[],
  fans: readonly number[],
): AsyncGenerator<Line[]> {
  await keep(pull, "projects", list.map(overviewPath));
  for (const project of list) {
    const overview = await read(pull, overviewPath(project), Overview);
    const line = {
      ...project,
      ...overview,
      featureNaming: Object.values(overview.featureNaming ?? {}).some(Boolean)
        ? overview.featureNaming
        : null,
      environments: overview.environments.map(({ environment }) => environment),
      defaultStrategies: overview.environments
        .filter((one) => one.defaultStrategy)
        .map(({ environment, defaultStrategy }) => ({ environment, strategy: strategy(defaultStrategy!) })),
      favoritedBy: overview.favorite ? fans : [],
    };
    yield toLines(pull, overviewPath(project), "project", [line]);
  }
}

const overviewPath = ({ id }: Thing) => `projects/${inPath(id)}/overview`;

export async function* projectRoles(
  pull: Pull,
  list: readonly Thing[],
  users: ReadonlySet<unknown>,
): AsyncGenerator<Line[]> {
  const pathOf = ({ id }: Thing) => `projects/${inPath(id)}/access`;
  await keep(pull, "access", list.map(pathOf));
  for (const project of list) {
    const access = await readIfTold(pull, pathOf(project), Thing, "access to projects");
    const lines = ["user", "group"].flatMap((who) =>
      listOf(access?.[`${who}s`])
        .filter(({ id }) => who === "group" || users.has(id))
        .flatMap(({ id, roleId, roles }) =>
          ((roles ?? [roleId]) as unknown[]).map((role) => ({ project: project.id, role, [who]: id })),
        ),
    );
    yield toLines(pull, pathOf(project), "projectRole", lines);
  }
}
