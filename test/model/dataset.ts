import fc from "fast-check";
import { hashSecret } from "../../src/access/token.ts";
import { OPERATORS } from "../../src/evaluation/constraint.ts";
import { EVENT_TYPES } from "../../src/events/schema.ts";
import { personal } from "../support/world.ts";

/** Small words that collide, fold, escape and sort in surprising ways. */
const WORDS = [
  "a",
  "A",
  "ab",
  "Ab",
  "ß",
  "SS",
  "ς",
  "é",
  "e\u0301",
  "😀",
  "Ａ",
  '"',
  "\\",
  "%",
  "_",
  "*",
  "b c",
  "\n",
];
export const word = fc.constantFrom(...WORDS);
// JSON.parse of Node 24.21 mistakes a key of a single escaped character for another such key that it has read before.
const key = word.filter((text) => !/["\\\n]/.test(text));
export const phrase = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(""));

const time = fc
  .date({ min: new Date("2025-06-01"), max: new Date("2026-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const subset = <T>(list: readonly T[]) => fc.subarray([...list]);

export const ENVIRONMENTS = ["development", "staging", "production"];
export const USERS = [1, 2, 3, 4];
export const PROJECTS = ["p", "P", "q/r", "ö", "default"];
const GROUPS = [1, 2];
const ROLES = [4, 5, 7];
export const INTEGRATIONS = [1, 2];
export const TAG_TYPES = ["simple", "Team"];
const SEGMENTS = [1, 2, 3];

const user = (id: number) =>
  fc.record({
    kind: fc.constant("user"),
    id: fc.constant(id),
    name: maybe(phrase),
    username: maybe(fc.constant(`user${id}`)),
    email: maybe(fc.constant(`User${id}@example.com`)),
    imageUrl: maybe(fc.constant("https://pictures.example/1.png")),
    accountType: fc.constantFrom("User", "Service Account"),
    rootRole: fc.constantFrom(1, 2, 3, 3, 3, 6),
    createdAt: time,
    seenAt: maybe(time),
    emailSent: maybe(fc.boolean()),
    scimId: maybe(word),
    madeBy: maybe(fc.constantFrom("oidc", "proxy")),
  });

const token = (userId: number) => ({
  kind: "token",
  type: "user",
  name: "test",
  hash: hashSecret(personal(userId)),
  userId,
});

const group = (id: number) =>
  fc.record({
    kind: fc.constant("group"),
    id: fc.constant(id),
    name: fc.constant(`group ${9 - id}`),
    users: subset(USERS),
    rootRole: maybe(fc.constantFrom(1, 3)),
  });

const project = (id: string) =>
  fc.record({
    kind: fc.constant("project"),
    id: fc.constant(id),
    name: phrase,
    mode: fc.constantFrom("open", "protected", "private"),
    createdAt: time,
    archivedAt: fc.option(time, { nil: undefined, freq: 4 }),
    environments: subset(ENVIRONMENTS),
  });

const projectRoles = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom(...PROJECTS),
      fc.constantFrom(...ROLES),
      fc.constantFrom("user" as const, "group" as const),
      fc.constantFrom(...USERS),
    ),
    { maxLength: 12, selector: (parts) => parts.join() },
  )
  .map((all) =>
    all
      .filter(([, , holder, id]) => holder === "user" || GROUPS.includes(id))
      .map(([project, role, holder, id]) => ({ kind: "projectRole", project, role, [holder]: id })),
  );

const constraint = fc.record(
  {
    contextName: word,
    operator: fc.constantFrom(...OPERATORS),
    caseInsensitive: fc.boolean(),
    inverted: fc.boolean(),
    values: fc.array(word, { maxLength: 2 }),
    value: word,
  },
  { requiredKeys: ["contextName", "operator"] },
);

const variant = fc.record(
  {
    name: word,
    weight: fc.integer({ min: 0, max: 1000 }),
    weightType: fc.constantFrom("fix", "variable"),
    stickiness: word,
    payload: fc.record({ type: fc.constantFrom("json", "csv", "string", "number"), value: word }),
  },
  { requiredKeys: ["name", "weight", "weightType", "stickiness"] },
);

const strategy = fc.record(
  {
    id: fc.uuid(),
    name: word,
    title: phrase,
    disabled: fc.boolean(),
    sortOrder: fc.constantFrom(0, 1, 1.5, -2),
    segments: subset(SEGMENTS),
    constraints: fc.array(constraint, { maxLength: 2 }),
    variants: fc.array(variant, { maxLength: 2 }),
    parameters: fc.dictionary(fc.oneof(key, fc.constant("__proto__")), word, { maxKeys: 2 }),
  },
  { requiredKeys: ["id", "name"] },
);

const featureEnvironment = (name: string) =>
  fc.record({
    name: fc.constant(name),
    enabled: fc.boolean(),
    lastSeenAt: maybe(time),
    variants: fc.array(variant, { maxLength: 2 }),
    strategies: fc.array(strategy, { maxLength: 3 }),
  });

const environments = subset(ENVIRONMENTS).chain((names) =>
  fc.tuple(...names.map(featureEnvironment)).map((list) => [...list]),
);

const feature = fc.record(
  {
    kind: fc.constant("feature"),
    name: phrase,
    project: fc.constantFrom(...PROJECTS),
    type: fc.constantFrom("release", "experiment", "operational", "kill-switch", "permission"),
    description: phrase,
    stale: fc.boolean(),
    impressionData: fc.boolean(),
    createdAt: time,
    createdByUserId: fc.constantFrom(...USERS, -42),
    archivedAt: time,
    tags: fc.uniqueArray(
      fc.record({ type: fc.constantFrom(...TAG_TYPES), value: fc.constantFrom("aa", "Bb", "éé") }),
      { maxLength: 3, selector: ({ type, value }) => type + value },
    ),
    favoritedBy: subset(USERS),
    environments,
  },
  { requiredKeys: ["kind", "name", "project", "createdAt", "environments"] },
);

const jsonObject = fc.dictionary(
  fc.oneof(key, fc.constant("__proto__")),
  fc.oneof(phrase, fc.integer(), fc.constant(null), fc.array(word)),
  {
    maxKeys: 3,
  },
);

const event = fc.record(
  {
    kind: fc.constant("event"),
    createdAt: time,
    type: fc.constantFrom(...EVENT_TYPES.slice(0, 6)),
    createdBy: phrase,
    createdByUserId: fc.constantFrom(...USERS, 99, -42),
    environment: fc.constantFrom(...ENVIRONMENTS),
    project: fc.constantFrom(...PROJECTS, "gone"),
    featureName: word,
    data: jsonObject,
    preData: jsonObject,
    tags: fc.array(fc.record({ type: word, value: word }), { maxLength: 2 }),
    label: phrase,
    summary: phrase,
  },
  { requiredKeys: ["kind", "createdAt", "type", "createdBy", "label", "summary"] },
);

const integrationEvent = fc.record({
  kind: fc.constant("integrationEvent"),
  integrationId: fc.constantFrom(...INTEGRATIONS),
  createdAt: time,
  state: fc.constantFrom("success", "failed", "successWithErrors"),
  stateDetails: phrase,
  eventIndex: fc.nat(),
  details: jsonObject,
});

/** For named users, or for the members of a project, some of whom have read it. */
const notification = fc
  .record({
    kind: fc.constant("notification"),
    message: phrase,
    link: fc.constant("/projects/p"),
    notificationType: fc.constantFrom("change-request", "toggle"),
    createdByUserId: fc.constantFrom(...USERS, -42),
    createdAt: fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"),
    project: fc.option(fc.constantFrom(...PROJECTS), { nil: undefined }),
    recipients: subset(USERS),
  })
  .map(({ project, recipients, ...line }) => ({
    ...line,
    ...(project !== undefined && { project }),
    recipients: recipients.map((userId) => ({
      userId,
      ...((project !== undefined || userId % 2 === 0) && { readAt: "2026-03-01T00:00:00.000Z" }),
    })),
  }));

// biome-ignore lint/suspicious/noExplicitAny: a line has the keys of its kind
export type Line = Record<string, any>;

const FIXED: Line[] = [
  { kind: "dataset", version: 1 },
  ...ENVIRONMENTS.map((name, index) => ({
    kind: "environment",
    name,
    type: name,
    sortOrder: index === 1 ? 1 : 0,
  })),
  { kind: "role", id: 6, name: "Custom admin", type: "custom-root", permissions: [{ name: "ADMIN" }] },
  {
    kind: "role",
    id: 7,
    name: "Custom",
    type: "custom",
    permissions: [
      { name: "CREATE_FEATURE" },
      { name: "UPDATE_FEATURE_ENVIRONMENT", environment: "development" },
    ],
  },
];

/** A small dataset with every kind; event ids may have gaps. */
export const dataset: fc.Arbitrary<Line[]> = fc
  .record({
    users: fc.tuple(...USERS.map(user)),
    groups: fc.tuple(...GROUPS.map(group)),
    projects: fc.tuple(...PROJECTS.map(project)),
    projectRoles,
    features: fc.uniqueArray(feature, { maxLength: 8, selector: ({ name }) => name }),
    events: fc.array(fc.tuple(event, fc.integer({ min: 1, max: 3 })), { maxLength: 25 }),
    integrationEvents: fc.array(integrationEvent, { maxLength: 8 }),
    notifications: fc.array(notification, { maxLength: 6 }),
  })
  .map((parts) => {
    let last = 0;
    const events = parts.events.map(([line, gap]) => {
      last += gap;
      return { ...line, id: last };
    });
    const handled = events.length === 0 ? [] : parts.integrationEvents;
    return [
      ...FIXED,
      ...parts.users,
      ...parts.groups,
      ...USERS.map(token),
      ...parts.projects,
      ...parts.projectRoles,
      ...TAG_TYPES.map((name) => ({ kind: "tagType", name })),
      ...SEGMENTS.map((segment) => ({ kind: "segment", id: segment, name: `segment ${segment}` })),
      ...parts.features,
      ...INTEGRATIONS.map((integration) => ({ kind: "integration", id: integration, provider: "webhook" })),
      ...events,
      ...handled.map(({ eventIndex, ...line }, index) => ({
        ...line,
        id: String(index + 1),
        eventId: events[eventIndex % events.length]!.id,
      })),
      ...parts.notifications.map((line, index) => ({ ...line, id: index + 1 })),
    ];
  });
