import type { PastChange } from "../db/row-versions.ts";
import {
  allEventTypes,
  type Change,
  changesOf,
  type DemoEvent,
  furtherChanges,
  isUsed,
  madeAt,
  notifications,
  usage,
} from "./activity.ts";
import {
  DAY,
  type DemoFeature,
  ENVIRONMENTS,
  GROUPS,
  HOUR,
  makeFeatures,
  PROJECTS,
  ROBOT,
  stagesOf,
  USERS,
} from "./company.ts";
import { INTEGRATIONS, integrationEvents } from "./integrations.ts";
import { goBack } from "./past.ts";
import { createRandom, type Random } from "./random.ts";
import { makeConstraint } from "./strategies.ts";

const SEED = 20_260_101;

/** How much there is of what there is most of. */
export interface DemoSize {
  flags: number;
  /** The newest ones, if the flags have more. */
  events: number;
}

export const DEMO_SIZE: DemoSize = { flags: 324, events: 4500 };

/**
 * The demo: a company's year of work that ends at `now` (milliseconds), as lines of a dataset, and what was before each
 * change. The same `now` and size give the same.
 */
export function makeDemo(now: number, size = DEMO_SIZE): { lines: object[]; past: PastChange[] } {
  const random = createRandom(SEED);
  const before = makeFeatures(random, now, size.flags).map(beforeIncident);
  const events = toEvents(random, before, now, size.events);
  const features = before
    .map(afterIncident)
    .map((feature) => ({ ...feature, stages: stagesOf(random, now, feature) }));
  const past = goBack(features, events);
  return { lines: toLines(random, features, events, now), past };
}

type StagedFeature = DemoFeature & { stages: ReturnType<typeof stagesOf> };

function toLines(
  random: Random,
  features: readonly StagedFeature[],
  events: DemoEvent[],
  now: number,
): object[] {
  const createdAt = new Date(now - 365 * DAY).toISOString();
  return [
    { kind: "dataset", version: 1, source: "Flagstone demo" },
    ...ENVIRONMENTS.map((environment) => ({ kind: "environment", ...environment })),
    ...ROLES.map((role) => ({ kind: "role", ...role })),
    ...people(random, now, createdAt),
    ...projects(createdAt),
    ...VOCABULARY,
    ...segments(random, createdAt),
    ...features.map((feature) => toLine(feature, now)),
    ...INTEGRATIONS.map((integration) => ({ kind: "integration", createdAt, ...integration })),
    ...events.map(({ at, isExample: _, ...event }) => ({
      kind: "event",
      ...event,
      createdAt: new Date(at).toISOString(),
    })),
    ...integrationEvents(random, events),
    ...notifications(random, events, now),
    ...usage(features, now),
  ];
}

const ROLES = [
  { id: 6, name: "Auditor", type: "custom-root", permissions: [{ name: "READ_LOGS" }] },
  { id: 7, name: "Release manager", type: "custom-root", permissions: [{ name: "CREATE_SEGMENT" }] },
  {
    id: 8,
    name: "Production gatekeeper",
    type: "custom",
    permissions: [{ name: "UPDATE_FEATURE_ENVIRONMENT", environment: "production" }],
  },
];

const VOCABULARY = [
  { kind: "tagType", name: "simple", description: "Any word", icon: "#" },
  { kind: "tagType", name: "team", description: "Who looks after it", icon: "T" },
  { kind: "tagType", name: "slack", description: "The channel that hears of it", icon: "S" },
  { kind: "contextField", name: "userId", stickiness: true, sortOrder: 1 },
  { kind: "contextField", name: "sessionId", stickiness: true, sortOrder: 2 },
  { kind: "contextField", name: "country", legalValues: [{ value: "DE" }, { value: "FR" }, { value: "JP" }] },
];

const people = (random: Random, now: number, createdAt: string) => [
  ...USERS.map((user) => {
    const seenAt = new Date(now - random.below(20 * DAY)).toISOString();
    return { kind: "user", ...user, createdAt, seenAt, loginAttempts: random.below(3) };
  }),
  { kind: "user", ...ROBOT, createdAt },
  ...GROUPS.map((group) => ({ kind: "group", ...group, createdAt })),
];

const projects = (createdAt: string) => [
  ...PROJECTS.map(({ id, name, mode }) => ({
    kind: "project",
    id,
    name,
    mode,
    createdAt,
    environments: ENVIRONMENTS.map((environment) => environment.name),
    favoritedBy: id === "storefront" ? [1, 3] : [],
  })),
  ...PROJECTS.flatMap((project) => [
    ...project.owners.map((user) => ({ kind: "projectRole", project: project.id, role: 4, user })),
    ...project.members.map((user) => ({ kind: "projectRole", project: project.id, role: 5, user })),
    ...(project.group ? [{ kind: "projectRole", project: project.id, role: 4, group: project.group }] : []),
  ]),
  { kind: "projectRole", project: "storefront", role: 8, user: 1 },
];

const segments = (random: Random, createdAt: string) =>
  ["Employees", "Beta testers", "Wholesale customers"].map((name, index) => ({
    kind: "segment",
    id: index + 1,
    name,
    constraints: [makeConstraint(random, index), makeConstraint(random, index + 2)],
    createdBy: "ada@bikes.example",
    createdAt,
  }));

const toLine = (feature: StagedFeature, now: number) => ({
  kind: "feature",
  ...feature,
  environments: feature.environments.map((one) => ({
    ...one,
    ...(isUsed(feature, one) && { lastSeenAt: new Date(now).toISOString() }),
  })),
  project: feature.project.id,
  author: undefined,
  createdByUserId: feature.author.id,
  createdAt: new Date(feature.createdAt).toISOString(),
  archivedAt: feature.archivedAt && new Date(feature.archivedAt).toISOString(),
});

/** All changes in chronological order. */
function toEvents(random: Random, features: DemoFeature[], now: number, count: number): DemoEvent[] {
  const flag = features.find(({ name }) => name === FLAG)!;
  const made = madeAt(flag, now);
  const agrees = (change: Change) => change.at < made || !isSwitch(change);
  const changes = [
    ...features.flatMap((feature) => changesOf(random, feature, now)),
    ...allEventTypes(random, now - HOUR, 364 * DAY, flag),
    incident(now),
  ].filter(agrees);
  const further = furtherChanges(random, features, now)
    .filter(agrees)
    .take(Math.max(0, count - changes.length));
  const all = [...changes, ...further].sort((a, b) => a.at - b.at);
  return all.slice(-count).map((change, index) => ({ id: index + 1, ...change }));
}

/*
 * What went wrong today: a flag meant for a few was rolled out to everyone in production.
 */

const FLAG = "payment-redesign";
const ENVIRONMENT = "production";
const AT_FIRST = 10;
const NOW = 100;

const strategy = (rollout: number) => ({
  id: "5f0c2a86-6f1d-4d0b-9c58-0e5d7c1b6a42",
  name: "flexibleRollout",
  title: "Slow start",
  disabled: false,
  segments: [],
  constraints: [],
  variants: [],
  parameters: { rollout: String(rollout), stickiness: "default", groupId: FLAG },
});

/** The flag as it was before; others as they are. */
const beforeIncident = (feature: DemoFeature) => rolledOut(feature, AT_FIRST);

/** The flag as it is now; others as they are. */
const afterIncident = (feature: DemoFeature) => rolledOut(feature, NOW);

function rolledOut(feature: DemoFeature, rollout: number): DemoFeature {
  if (feature.name !== FLAG) return feature;
  const environments = feature.environments.map((one) =>
    one.name === ENVIRONMENT
      ? { ...one, enabled: true, lastSeenAt: EVER, variants: [], strategies: [strategy(rollout)] }
      : one,
  );
  return { ...feature, archivedAt: undefined, stale: false, environments };
}

/** Replaced by the time of the dataset, since the flag is in use. */
const EVER = new Date(0).toISOString();

/** Whether a change turns the flag on or off there, where it has been on since it was made. */
const isSwitch = ({ featureName, environment, type, isExample }: Change) =>
  featureName === FLAG &&
  environment === ENVIRONMENT &&
  type.startsWith("feature-environment-") &&
  !isExample;

/** The change that did it, 40 minutes ago. */
function incident(now: number): Change {
  const { id, email } = USERS.find(({ username }) => username === "farid")!;
  return {
    at: now - (2 / 3) * HOUR,
    type: "feature-strategy-update",
    createdBy: email,
    createdByUserId: id,
    project: "checkout",
    environment: ENVIRONMENT,
    featureName: FLAG,
    preData: strategy(AT_FIRST),
    data: strategy(NOW),
  };
}
