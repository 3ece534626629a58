import * as v from "valibot";
import type { Line } from "../dataset/kind.ts";
import { DAY_MS } from "../lib/time.ts";
import { constraints } from "./definitions.ts";
import {
  inPath,
  keep,
  lose,
  only,
  onlyOfEach,
  type Pull,
  read,
  readIfTold,
  readList,
  Thing,
  toLines,
} from "./source.ts";

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

/** A live or an archived flag as lists have it. */
interface Listed {
  project: string;
  name: string;
  tags: Thing[];
}

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
  await keep(pull, "flags", listed.map(featurePath));
  for (const flag of listed) {
    const feature = await readIfTold(pull, featurePath(flag), Feature, `the flag ${flag.name}`);
    if (!feature) continue;
    const line = { ...(await common(pull, flag, feature, fans)), environments: environments(feature) };
    yield toLines(pull, featurePath(flag), "feature", [line]);
    pull.counts.featureToggles = (pull.counts.featureToggles ?? 0) + 1;
    if (wasSeen(feature, pull.answers.source.startedAt)) recent.push(flag.name);
  }
  yield* archivedFlags(pull, projects, fans);
  return recent;
}

const wasSeen = ({ environments }: Feature, startedAt: string) =>
  environments!.some(({ lastSeenAt }) => Date.parse(String(lastSeenAt)) > Date.parse(startedAt) - SEEN_MS);

/** For longer, servers don't tell how often a flag was asked for. */
const SEEN_MS = 2 * DAY_MS;

const featurePath = ({ project, name }: Listed) =>
  `projects/${inPath(project)}/features/${inPath(name)}?variantEnvironments=true`;

async function liveFlags(pull: Pull, projects: readonly Thing[]): Promise<Listed[]> {
  const pathOf = ({ id }: Thing) => `projects/${inPath(id)}/features`;
  const live = projects.filter(({ archivedAt }) => !archivedAt);
  await keep(pull, "lists of flags", live.map(pathOf));
  const lists = live.map(async (project) =>
    (await readList(pull, pathOf(project), "features")).map(({ name, tags }) => ({
      project: String(project.id),
      name: String(name),
      tags: onlyOfEach(tags, "type", "value"),
    })),
  );
  return (await Promise.all(lists)).flat();
}

/** What live and archived flags have. */
async function common(
  pull: Pull,
  { name, project, tags }: Listed,
  feature: Feature,
  fans: readonly number[],
) {
  return {
    ...only(feature, "name", "type", "description", "stale", "impressionData", "createdAt", "archivedAt"),
    project,
    tags,
    createdByUserId: feature.createdBy?.id ?? null,
    stages: await stages(pull, { name, project, tags }, feature),
    links: onlyOfEach(feature.links, "id", "url", "title"),
    dependencies: onlyOfEach(feature.dependencies, "feature", "enabled", "variants"),
    favoritedBy: feature.favorite ? fans : [],
  };
}

/** The first stage has none before it, so it needs no request. */
async function stages(pull: Pull, { project, name }: Listed, { lifecycle }: Feature) {
  const current = lifecycle ? [lifecycle] : [];
  const path = `projects/${inPath(project)}/features/${inPath(name)}/lifecycle`;
  const isFirst = !lifecycle || lifecycle.stage === "initial";
  const all = isFirst ? current : await readIfTold(pull, path, v.array(Thing), "earlier stages of flags");
  return (all ?? current).map(({ stage, enteredStageAt, status }) => ({
    stage,
    enteredAt: enteredStageAt,
    ...(status != null && { status }),
  }));
}

const environments = ({ environments }: Feature) =>
  environments.map((environment) => ({
    ...only(environment, "name", "enabled", "lastSeenAt"),
    variants: variants(environment.variants),
    strategies: environment.strategies!.map(strategy),
  }));

export const strategy = (told: Thing) => ({
  ...only(told, "id", "name", "disabled", "sortOrder", "segments", "parameters"),
  ...(told.title !== "" && only(told, "title")), // of one without
  constraints: constraints(told.constraints),
  variants: variants(told.variants),
});

const variants = (list: unknown) =>
  onlyOfEach(list, "name", "weight", "weightType", "stickiness", "payload", "overrides");

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
      for (const feature of page.features) {
        const listed = {
          project: String(id),
          name: feature.name,
          tags: onlyOfEach(feature.tags, "type", "value"),
        };
        const environments = feature.environments!.map((one) => only(one, "name", "enabled", "lastSeenAt"));
        yield toLines(pull, path, "feature", [
          { ...(await common(pull, listed, feature, fans)), environments },
        ]);
        if (feature.environments!.some(({ hasStrategies }) => hasStrategies)) without++;
      }
      archived += page.features.length;
    }
  }
  pull.counts.archivedFeatureToggles = archived;
  lose(pull, "archived flags' strategies", without, "not told of archived flags: revive them there first");
}
