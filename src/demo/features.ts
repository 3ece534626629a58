import { ENVIRONMENTS, membersOf, PROJECTS, type Project, TAGS, USERS } from "./company.ts";
import type { Random } from "./random.ts";
import { makeStrategy, makeVariants } from "./strategies.ts";

export const HOUR = 60 * 60 * 1000;
export const DAY = 24 * HOUR;

const TYPES = ["release", "release", "release", "experiment", "operational", "kill-switch", "permission"];
const SUBJECTS = [
  "redesign",
  "speedup",
  "suggestions",
  "experiment",
  "fallback",
  "assistant",
  "layout",
  "limits",
];
const FLAGS_PER_AREA = 12;

export type DemoFeature = ReturnType<typeof makeFeature>;

/** Every flag of every project, oldest first. */
export function makeFeatures(random: Random, now: number): DemoFeature[] {
  const features = PROJECTS.flatMap((project) => project.areas.map((area) => ({ project, area })))
    .flatMap((place) => Array.from({ length: FLAGS_PER_AREA }, (_, number) => ({ ...place, number })))
    .map(({ project, area, number }, index) => {
      const subject = SUBJECTS[number % SUBJECTS.length];
      const name = `${area}-${subject}${number < SUBJECTS.length ? "" : `-${1 + Math.floor(number / SUBJECTS.length)}`}`;
      return makeFeature(random, now, project, name, index);
    });
  return features.sort((a, b) => a.createdAt - b.createdAt);
}

function makeFeature(random: Random, now: number, project: Project, name: string, index: number) {
  const type = random.pick(TYPES);
  const createdAt = now - HOUR - random.below(364 * DAY);
  const authorId = random.pick(membersOf(project));
  const archivedAt = random.chance(0.12) ? createdAt + random.below(now - createdAt) : undefined;
  return {
    name,
    project,
    type,
    author: USERS.find((user) => user.id === authorId)!,
    createdAt,
    archivedAt,
    description: random.chance(0.8) ? `Tries ${name.replaceAll("-", " ")}` : undefined,
    stale: random.chance(0.1),
    impressionData: type === "experiment",
    tags: random.chance(0.4) ? random.some(TAGS, 1 + random.below(2)) : [],
    favoritedBy: random.chance(0.2)
      ? random.some(
          USERS.map((user) => user.id),
          1 + random.below(4),
        )
      : [],
    environments: ENVIRONMENTS.map((environment, order) => ({
      name: environment.name,
      enabled: random.chance(0.9 - order * 0.25),
      ...(random.chance(0.6) && {
        lastSeenAt: new Date(createdAt + random.below(now - createdAt)).toISOString(),
      }),
      variants: type === "experiment" && order === 2 ? makeVariants(random) : [],
      strategies: Array.from({ length: 1 + random.below(2) }, (_, extra) =>
        makeStrategy(random, name, index + order * 7 + extra * 3),
      ),
    })),
  };
}
