import crypto from "node:crypto";
import { createRandom, type Random } from "../../src/demo/random.ts";

/*
 * A company's dataset: 50 projects, 5,000 flags in three environments with two strategies each, 500 users, 2,000
 * favorites, 20,000 deliveries, and any number of events. Deterministic: the same arguments yield the same lines.
 */

export const PROJECTS = Array.from({ length: 50 }, (_, index) => `project-${index}`);
const ENVIRONMENTS = ["development", "staging", "production"];
const USERS = 500;
const FLAGS = 5000;
const DELIVERIES = 20_000;
const FAVORITES = 2000;
const NOTIFICATIONS = 500;

/** Tokens of an administrator, and of a viewer who cannot see two private projects. */
export const ADMIN = `user:${"a".repeat(56)}`;
export const VIEWER = `user:${"b".repeat(56)}`;
/** The tokens of applications; the second one's sees a thousand flags. */
export const CLIENT = `*:production.${"c".repeat(56)}`;
export const FRONTEND = `[]:production.${"f".repeat(56)}`;

/** Words that occur in nine events, and in every third event. */
export const RARE = "zeppelin";
export const COMMON = "gradualRollout";

const START = Date.UTC(2024, 0, 1);

export const featureName = (index: number) => `team-${index % 40}-feature-${index}`;

/** Lines of a dataset. @param isOlder as versions up to 0.2 know them */
export function* companyLines(events: number, isOlder = false): Generator<object> {
  const random = createRandom(7);
  yield* configuration(random, FLAGS);
  for (let id = 1; id <= events; id++) yield event(random, id, events);
  for (let id = 1; id <= DELIVERIES; id++) yield delivery(random, id, events);
  for (let id = 1; id <= NOTIFICATIONS; id++) yield isOlder ? olderNotification(id) : notification(id);
}

/** The same without events, and with another number of flags. */
export const flagLines = (flags: number) => configuration(createRandom(7), flags);

/** Half as many events again, all in one project, to import on top of the others. */
export function* eventsOfOneProject(events: number): Generator<object> {
  const random = createRandom(8);
  yield { kind: "dataset", version: 1 };
  for (let number = events + 1; number <= events * 1.5; number++) {
    const { id: _, ...line } = event(random, number, events); // that of a change by an earlier case, perhaps
    yield { ...line, project: PROJECTS[0] };
  }
}

/** The line of a token with this secret. */
export const tokenLine = (type: string, secret: string, rest: object) => ({
  kind: "token",
  type,
  name: "bench",
  hash: crypto.hash("sha256", secret, "hex"),
  ...rest,
});

function* configuration(random: Random, flags: number): Generator<object> {
  const createdAt = new Date(START).toISOString();
  yield { kind: "dataset", version: 1 };
  for (const [sortOrder, name] of ENVIRONMENTS.entries())
    yield { kind: "environment", name, type: name, sortOrder };
  for (let id = 1; id <= USERS; id++) {
    yield {
      kind: "user",
      id,
      username: `user${id}`,
      email: `user${id}@example.com`,
      rootRole: id % 50 === 1 ? 1 : 3,
      createdAt,
    };
  }
  yield tokenLine("user", ADMIN, { userId: 1 });
  yield tokenLine("user", VIEWER, { userId: 2 });
  yield tokenLine("client", CLIENT, { environment: "production" });
  yield { kind: "tagType", name: "team" };
  for (const [index, id] of PROJECTS.entries()) {
    yield {
      kind: "project",
      id,
      name: id,
      createdAt,
      environments: ENVIRONMENTS,
      mode: index % 25 === 24 ? "private" : "open",
    };
    for (let member = 0; member < 10; member++) {
      yield {
        kind: "projectRole",
        project: id,
        role: member < 2 ? 4 : 5,
        user: ((index * 10 + member) % 498) + 3,
      };
    }
    if (index < 5) for (const user of [1, 2]) yield { kind: "projectRole", project: id, role: 5, user };
  }
  yield tokenLine("frontend", FRONTEND, { environment: "production", projects: PROJECTS.slice(0, 10) });
  for (let index = 0; index < flags; index++) yield feature(random, index, createdAt);
  yield {
    kind: "integration",
    id: 1,
    provider: "webhook",
    enabled: false,
    parameters: { url: "http://127.0.0.1/" },
    events: [],
  };
}

function feature(random: Random, index: number, createdAt: string) {
  const environments = ENVIRONMENTS.map((name) => ({
    name,
    enabled: random.chance(0.5),
    strategies: ["default", "flexibleRollout"].map((strategy, sortOrder) => ({
      id: random.uuid(),
      name: strategy,
      sortOrder,
      parameters: { rollout: String(random.below(100)), stickiness: "default", groupId: featureName(index) },
      constraints: [{ contextName: "country", operator: "IN", values: ["DE", "FR", "JP"] }],
    })),
  }));
  const count = Math.floor((FAVORITES * (index + 1)) / FLAGS) - Math.floor((FAVORITES * index) / FLAGS);
  return {
    kind: "feature",
    name: featureName(index),
    project: PROJECTS[index % PROJECTS.length],
    type: random.pick(["release", "experiment", "operational", "kill-switch", "permission"]),
    description: `What feature ${index} is for`,
    createdAt,
    createdByUserId: (index % USERS) + 1,
    environments,
    tags: [{ type: "team", value: `team-${index % 40}` }],
    favoritedBy: count > 0 ? [(index % USERS) + 1] : [],
  };
}

const TYPES = [
  "feature-created",
  "feature-updated",
  "feature-strategy-add",
  "feature-strategy-update",
  "feature-environment-enabled",
];
const WORDS = [
  "checkout",
  "basket",
  "payment",
  "banner",
  "search",
  "invoice",
  "customer",
  "discount",
  "delivery",
  "newsletter",
];

function event(random: Random, id: number, events: number) {
  const index = random.below(FLAGS);
  const user = random.below(USERS) + 1;
  return {
    kind: "event",
    id,
    createdAt: new Date(START + Math.floor((id / events) * 6e10)).toISOString(),
    type: random.pick(TYPES),
    createdBy: `user${user}@example.com`,
    createdByUserId: user,
    environment: random.pick(ENVIRONMENTS),
    project: PROJECTS[index % PROJECTS.length],
    featureName: featureName(index),
    data: {
      id: random.uuid(),
      name: id % 3 === 0 ? COMMON : "flexibleRollout",
      title: `${random.pick(WORDS)} ${random.pick(WORDS)} ${id % Math.floor(events / 9) === 1 ? RARE : random.pick(WORDS)}`,
      parameters: { rollout: String(random.below(100)), stickiness: "default", groupId: featureName(index) },
      constraints: [
        { contextName: "country", operator: "IN", values: [random.pick(["DE", "FR", "JP", "US"])] },
      ],
    },
    tags: [{ type: "team", value: `team-${index % 40}` }],
  };
}

const delivery = (random: Random, id: number, events: number) => ({
  kind: "integrationEvent",
  id: String(id),
  integrationId: 1,
  eventId: Math.max(1, events - id),
  createdAt: new Date(START + 6e10 + id).toISOString(),
  state: random.chance(0.9) ? "success" : "failed",
  stateDetails: "The address answered with status 200",
  details: { url: "http://127.0.0.1/", body: random.uuid() },
});

const notification = (id: number) => ({
  kind: "notification",
  id,
  message: `user3 created the flag ${featureName(id)}`,
  link: `/projects/${PROJECTS[id % PROJECTS.length]}/features/${featureName(id)}`,
  notificationType: "toggle",
  createdByUserId: 3,
  createdAt: new Date(START + id * 1e6).toISOString(),
  project: PROJECTS[id % PROJECTS.length],
  recipients: [],
});

/** They had recipients, rather than a project whose members are told. */
const olderNotification = (id: number) => ({
  ...notification(id),
  project: undefined,
  recipients: [{ userId: 1 }, { userId: 2 }],
});
