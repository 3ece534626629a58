import * as v from "valibot";
import type { Line } from "../dataset/kind.ts";
import { DataError } from "../db/error.ts";
import { DAY_MS } from "../lib/time.ts";
import {
  inPath,
  keep,
  listOf,
  lose,
  type Pull,
  read,
  readIfTold,
  readList,
  Thing,
  toLines,
} from "./pull-source.ts";

/*
 * Flags with all that belongs to them. One that is archived is told without its strategies.
 */

const Environment = v.looseObject({
  variants: v.nullish(v.array(Thing)),
  strategies: v.nullish(v.array(Thing), []),
});

const Feature = v.looseObject({
  name: v.string(),
  environments: v.nullish(v.array(Environment), []),
  createdBy: v.nullish(Thing),
  favorite: v.nullish(v.boolean()),
  lifecycle: v.nullish(Thing),
});
type Feature = v.InferOutput<typeof Feature>;

/** A live or an archived flag: its project and tags, which only lists tell, and all else. */
interface Told {
  path: string;
  project: string;
  tags: Thing[];
  feature: Feature;
}

/** A flag as lists have it. */
type Listed = Omit<Told, "feature"> & { name: string };

/** How many flags are held in memory at once. */
const BATCH = 100;

/**
 * @param fans whose favourites are told, if they come along
 * @returns the names of those that applications asked for within the last days
 */
export async function* flags(
  pull: Pull,
  projects: readonly Thing[],
  fans: readonly number[],
): AsyncGenerator<Line[], string[]> {
  const recent: string[] = [];
  const listed = await liveFlags(pull, projects);
  const paths = listed.map(({ path }) => path);
  await keep(pull, "flags", paths);
  pull.counts.featureToggles = 0;
  for (let first = 0; first < listed.length; first += BATCH) {
    const batch = await Promise.all(listed.slice(first, first + BATCH).map((one) => detailsOf(pull, one)));
    const told = batch.filter((one) => one !== undefined);
    for (const { feature } of told)
      if (wasSeen(feature, pull.answers.source.startedAt)) recent.push(feature.name);
    pull.counts.featureToggles += told.length;
    yield await linesOf(pull, told, fans);
  }
  yield* archivedFlags(pull, projects, fans);
  return recent;
}

/** Undefined if the flag has gone since it was listed. */
async function detailsOf(pull: Pull, { name, ...listed }: Listed): Promise<Told | undefined> {
  const feature = await readIfTold(pull, listed.path, Feature, `the flag ${name}`);
  return feature && { ...listed, feature };
}

const wasSeen = ({ environments }: Feature, startedAt: string) =>
  environments!.some(({ lastSeenAt }) => Date.parse(String(lastSeenAt)) > Date.parse(startedAt) - SEEN_MS);

/** For longer, servers don't tell how often a flag was asked for. */
const SEEN_MS = 2 * DAY_MS;

async function liveFlags(pull: Pull, projects: readonly Thing[]): Promise<Listed[]> {
  const pathOf = (project: unknown) => `projects/${inPath(project)}/features`;
  const live = projects.filter(({ archivedAt }) => !archivedAt).map(({ id }) => String(id));
  await keep(pull, "lists of flags", live.map(pathOf));
  const lists = live.map(async (project) =>
    (await readList(pull, pathOf(project), "features")).map(({ name, tags }) => ({
      name: String(name),
      path: `${pathOf(project)}/${inPath(name)}?variantEnvironments=true`,
      project,
      tags: listOf(tags),
    })),
  );
  return (await Promise.all(lists)).flat();
}

async function linesOf(pull: Pull, list: readonly Told[], fans: readonly number[]): Promise<Line[]> {
  await keep(pull, "stages of flags", list.filter(hasEarlierStages).map(lifecyclePath));
  const lines = list.map(async (told) => {
    const { path, project, tags, feature } = told;
    const line = {
      ...feature,
      project,
      tags,
      createdByUserId: feature.createdBy?.id ?? null,
      stages: await stages(pull, told),
      favoritedBy: feature.favorite ? fans : [],
      environments: environments(feature),
    };
    return toLines(pull, path, "feature", [line]);
  });
  return (await Promise.all(lines)).flat();
}

/** The first stage has none before it, so it needs no request. */
const hasEarlierStages = ({ feature: { lifecycle } }: Told) =>
  lifecycle != null && lifecycle.stage !== "initial";

const lifecyclePath = ({ project, feature: { name } }: Told) =>
  `projects/${inPath(project)}/features/${inPath(name)}/lifecycle`;

async function stages(pull: Pull, told: Told) {
  const current = told.feature.lifecycle ? [told.feature.lifecycle] : [];
  const all = hasEarlierStages(told)
    ? await readIfTold(pull, lifecyclePath(told), v.array(Thing), "earlier stages of flags")
    : undefined;
  return (all ?? current).map(({ stage, enteredStageAt, status }) => ({
    stage,
    enteredAt: enteredStageAt,
    ...(status != null && { status }),
  }));
}

const environments = ({ environments }: Feature) =>
  environments!.map((environment) => ({
    ...environment,
    strategies: environment.strategies!.map(strategy),
  }));

const strategy = (told: Thing) => ({ ...told, title: told.title || null });

const PAGE = 100;

const Page = v.object({ features: v.array(Feature), total: v.number() });

/** From the search, since the list of archived flags is no longer in 7.0. */
async function* archivedFlags(
  pull: Pull,
  projects: readonly Thing[],
  fans: readonly number[],
): AsyncGenerator<Line[]> {
  let without = 0;
  let archived = 0;
  for (const { id } of projects) {
    const query = `archived=IS:true&project=IS:${inPath(id)}&sortBy=name&sortOrder=asc&limit=${PAGE}`;
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const path = `search/features?${query}&offset=${offset}`;
      const page = await read(pull, path, Page);
      total = page.total;
      const told = page.features.map((feature) => ({
        path,
        project: String(id),
        tags: listOf(feature.tags),
        feature,
      }));
      yield await linesOf(pull, told, fans);
      without += told.filter(({ feature }) => feature.environments!.some((one) => one.hasStrategies)).length;
      archived += page.features.length;
    }
  }
  pull.counts.archivedFeatureToggles = archived;
  lose(pull, "archived flags' strategies", without, "not told of archived flags: revive them there first");
}

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
