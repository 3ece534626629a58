import type { Stage } from "../flags/features-schema.ts";
import { atWork, type Random } from "./random.ts";
import { makeStrategy, makeVariants } from "./strategies.ts";

/** The fictional company of the demo: a bicycle shop with its people, teams and projects. */

/** Id, name, username, root role (1 Admin, 2 Editor, 3 Viewer). */
const PEOPLE = [
  [1, "Ada Okafor", "ada", 1],
  [2, "Björn Lindqvist", "bjorn", 1],
  [3, "Chiara Ferrari", "chiara", 2],
  [4, "Daniel Mbeki", "daniel", 2],
  [5, "Elif Yılmaz", "elif", 2],
  [6, "Farid Haddad", "farid", 2],
  [7, "Greta Vogel", "greta", 2],
  [8, "Hana Novák", "hana", 3],
  [9, "Ivo Marić", "ivo", 3],
  [10, "Jia Chen", "jia", 3],
  [11, "Kofi Asante", "kofi", 3],
  [12, "Lena Schröder", "lena", 3],
  [13, "Mateo Ruiz", "mateo", 3],
  [14, "Noor Rahman", "noor", 2],
] as const;

export const USERS = PEOPLE.map(([id, name, username, rootRole]) => ({
  id,
  name,
  username,
  rootRole,
  email: `${username}@bikes.example`,
}));

const USER_IDS = USERS.map(({ id }) => id);

/** Changes by a service are recorded under the name of its token. */
export const PIPELINE = "deploy-pipeline";

export const ROBOT = {
  id: 15,
  name: "Release robot",
  username: "release-robot",
  accountType: "Service Account",
  rootRole: 2,
};

export const GROUPS = [
  { id: 1, name: "Storefront team", description: "Everything a customer sees", users: [3, 4, 8, 9] },
  { id: 2, name: "Payments team", description: "Money in, money out", users: [5, 6, 10] },
  { id: 3, name: "Platform team", description: "What the others stand on", users: [2, 7, 11, 14] },
];

const wordsOf = (text: string) => text.match(/\S+/g) ?? [];

/**
 * Id, name, mode, owners, members, owning group, the share of flags four months old that are archived, and words that
 * its flags' names begin with.
 */
const TEAMS = [
  [
    "storefront",
    "Storefront",
    "open",
    [3],
    [4, 8, 9, 13],
    1,
    0.95,
    "search gallery wishlist reviews sizing navigation landing",
  ],
  [
    "checkout",
    "Checkout",
    "protected",
    [5],
    [1, 6, 10, 12],
    2,
    0.8,
    "cart payment invoice voucher shipping tax",
  ],
  [
    "mobile",
    "Mobile apps",
    "open",
    [14, 4],
    [13, 12],
    null,
    0.5,
    "push offline camera map onboarding widget",
  ],
  ["warehouse", "Warehouse", "open", [7], [11], 3, 0.2, "picking stock labels returns forecast"],
  ["acquisition", "Acquisition (confidential)", "private", [2], [14], null, 0.6, "merger brand migration"],
  ["sandbox", "Sandbox", "open", [], [], null, 0, ""],
] as const;

export const PROJECTS = TEAMS.map(([id, name, mode, owners, members, group, archived, areas]) => ({
  id,
  name,
  mode,
  owners,
  members,
  group,
  archived,
  areas: wordsOf(areas),
}));

export type Project = (typeof PROJECTS)[number];

export const ENVIRONMENTS = [
  { name: "development", type: "development", sortOrder: 1 },
  { name: "staging", type: "pre-production", sortOrder: 2 },
  { name: "production", type: "production", sortOrder: 3, protected: true, askBeforeChange: true },
];

export const TAGS = [
  { type: "simple", value: "q3-goal" },
  { type: "simple", value: "needs-cleanup" },
  { type: "simple", value: "customer-request" },
  { type: "team", value: "growth" },
  { type: "team", value: "quality" },
  { type: "slack", value: "releases" },
];

/** Everyone with a role in a project, directly or through its group. */
export const membersOf = (project: Project): number[] => {
  const group = GROUPS.find((candidate) => candidate.id === project.group)?.users ?? [];
  return [...new Set<number>([...project.owners, ...project.members, ...group])];
};

export const HOUR = 60 * 60 * 1000;
export const DAY = 24 * HOUR;
export const YEAR = 365 * DAY;

const TYPES = ["release", "release", "release", "experiment", "operational", "kill-switch", "permission"];
const SUBJECTS = wordsOf("redesign speedup suggestions experiment fallback assistant layout limits");
const AREAS = PROJECTS.flatMap((project) => project.areas.map((area) => ({ project, area })));

export type DemoFeature = ReturnType<typeof makeFeature>;

/** As many flags, oldest first; each area has a first one before any has a second. */
export function makeFeatures(random: Random, now: number, count: number): DemoFeature[] {
  const features = Array.from({ length: count }, (_, index) => {
    const { project, area } = AREAS[index % AREAS.length]!;
    const number = Math.floor(index / AREAS.length);
    const round = 1 + Math.floor(number / SUBJECTS.length);
    const name = `${area}-${SUBJECTS[number % SUBJECTS.length]}${round === 1 ? "" : `-${round}`}`;
    return makeFeature(random, now, project, name, index);
  });
  return features.sort((a, b) => a.createdAt - b.createdAt);
}

function makeFeature(random: Random, now: number, project: Project, name: string, index: number) {
  const type = random.pick(TYPES);
  const firstDay = now - YEAR + random.below(YEAR / 2); // there are more new ones than old ones
  const createdAt = atWork(random, firstDay, now - DAY);
  const authorId = random.pick(membersOf(project));
  const isArchived = random.chance(project.archived * Math.min(1, (now - createdAt) / (YEAR / 3)));
  const archivedAt = isArchived ? atWork(random, createdAt, now - HOUR) : undefined;
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
    favoritedBy: random.chance(0.2) ? random.some(USER_IDS, 1 + random.below(4)) : [],
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

/** Where in its life a flag enters a stage, if it does. */
const ENTERED: Readonly<Record<Stage, number>> = {
  initial: 0,
  "pre-live": 0.1,
  live: 0.3,
  completed: 0.8,
  archived: 1,
};

/** The stages that a flag has entered: it is live once production uses it, and one in five of those is completed. */
export function stagesOf(random: Random, now: number, { environments, createdAt, archivedAt }: DemoFeature) {
  const seen = environments.filter(({ lastSeenAt }) => lastSeenAt !== undefined);
  const isLive = seen.some(({ name, enabled }) => name === "production" && enabled);
  const stages: Stage[] = [
    "initial",
    ...(seen.length > 0 ? (["pre-live"] as const) : []),
    ...(isLive ? (["live"] as const) : []),
    ...(isLive && random.chance(0.2) ? (["completed"] as const) : []),
    ...(archivedAt === undefined ? [] : (["archived"] as const)),
  ];
  const life = (archivedAt ?? now) - createdAt;
  return stages.map((stage) => ({
    stage,
    enteredAt: new Date(createdAt + Math.floor(life * ENTERED[stage])).toISOString(),
    ...(stage === "completed" && { status: random.pick(["kept", "kept", "discarded"]) }),
  }));
}
