import { hashSecret } from "../../src/access/token.ts";

/*
 * A small company with odd names and a private project. Two words mark what is hidden: the project's name, which anyone
 * may guess, and a text in its flags and events, which only responses to callers with access may contain.
 */

export const HIDDEN_PROJECT = "zyzzyva-project";
export const HIDDEN_TEXT = "quixotry-text";

/** Replaces the hidden words, so that the text may be stored where anyone can see it. */
export const withoutHidden = (text: string) => text.replaceAll(HIDDEN, "shown");

const HIDDEN = new RegExp(`${HIDDEN_PROJECT}|${HIDDEN_TEXT}`, "g");

const personal = (letter: string) => `user:${letter.repeat(56)}`;

/** The credentials of each caller; null for none. */
export const CALLERS = {
  admin: personal("a"),
  member: personal("b"),
  outsider: personal("c"),
  service: `*:*.${"d".repeat(56)}`,
  client: `*:development.${"e".repeat(56)}`,
  frontend: `*:development.${"f".repeat(56)}`,
  expired: personal("0"),
  nobody: null,
} as const;
export type Caller = keyof typeof CALLERS;

const SEES_ALL: ReadonlySet<Caller> = new Set(["admin", "member", "service"]);

export const maySeeHidden = (caller: Caller) => SEES_ALL.has(caller);

/** Whether responses may contain hidden words: the applications' tokens cover all projects. */
export const mayReceiveHidden = (caller: Caller) =>
  maySeeHidden(caller) || caller === "client" || caller === "frontend";

/** What no response or log line may contain: secrets, their hashes, and private data of integrations and users. */
export const SECRETS: readonly string[] = [
  ...Object.values(CALLERS).flatMap((secret) => (secret === null ? [] : [secret, hashSecret(secret)])),
  "kept-by-the-integration",
  "kept-by-the-user",
];

export const PROJECTS = ["open", "ünïcode ✓", "a/b %2F ?#", "__proto__", "' OR 1=1 --", HIDDEN_PROJECT];
export const FEATURES = ["flag", "constructor", "flag/with/slashes", "\u202egalf", "…".repeat(60), "%00"];
export const ENVIRONMENTS = ["development", "production", "tëst env"];

const createdAt = "2026-01-01T00:00:00.000Z";

/** All lines of the initial dataset. */
export const lines = (): object[] => [
  { kind: "dataset", version: 1 },
  ...ENVIRONMENTS.map((name, sortOrder) => ({ kind: "environment", name, type: name, sortOrder })),
  ...["admin", "member", "outsider", "<b>odd</b>\n"].map((username, index) => ({
    kind: "user",
    id: index + 1,
    username,
    email: `${index}@example.com`,
    rootRole: index === 0 ? 1 : 3,
    createdAt,
    passwordHash: "kept-by-the-user",
  })),
  ...tokens(),
  { kind: "tagType", name: "simple" },
  ...PROJECTS.map((id) => ({
    kind: "project",
    id,
    name: id,
    mode: id === HIDDEN_PROJECT ? "private" : "open",
    createdAt,
    environments: ENVIRONMENTS,
    favoritedBy: [1],
  })),
  { kind: "projectRole", project: HIDDEN_PROJECT, role: 4, user: 2 },
  { kind: "projectRole", project: "open", role: 5, user: 3 },
  ...FEATURES.map((name, index) => feature(name, PROJECTS[index % (PROJECTS.length - 1)]!)),
  feature(HIDDEN_TEXT, HIDDEN_PROJECT),
  integration,
  ...Array.from({ length: 300 }, (_, index) => event(index + 1)),
  ...Array.from({ length: 30 }, (_, index) => delivery(index + 1)),
  ...Array.from({ length: 20 }, (_, index) => notification(index + 1)),
];

function tokens() {
  const token = (caller: Caller, line: object) => ({
    kind: "token",
    name: `of ${caller}`,
    hash: hashSecret(CALLERS[caller]!),
    ...line,
  });
  return [
    ...(["admin", "member", "outsider"] as const).map((caller, index) =>
      token(caller, { type: "user", userId: index + 1 }),
    ),
    token("expired", { type: "user", userId: 1, expiresAt: createdAt }),
    token("service", { type: "admin", environment: "*" }),
    token("client", { type: "client", environment: "development" }),
    token("frontend", { type: "frontend", environment: "development" }),
  ];
}

const feature = (name: string, project: string) => ({
  kind: "feature",
  name,
  project,
  createdAt,
  createdByUserId: 1,
  description: `What ${name} is for`,
  tags: [{ type: "simple", value: withoutHidden(name).slice(0, 50) }],
  favoritedBy: [1, 2],
  environments: ENVIRONMENTS.map((environment) => ({
    name: environment,
    enabled: true,
    strategies: [{ name: "flexibleRollout", parameters: { rollout: "50", groupId: name } }],
  })),
});

const integration = {
  kind: "integration",
  id: 1,
  provider: "webhook",
  parameters: { url: "http://127.0.0.1:1/", authorization: "kept-by-the-integration" },
  events: [],
};

/** Every sixth belongs to the hidden project; one is so long that responses with it are compressed and streamed. */
function event(id: number) {
  const isHidden = id % 6 === 0;
  return {
    kind: "event",
    id,
    createdAt,
    type: id % 2 ? "feature-created" : "feature-strategy-add",
    createdBy: isHidden ? HIDDEN_TEXT : "admin",
    createdByUserId: isHidden ? 2 : 1,
    environment: "development",
    project: isHidden ? HIDDEN_PROJECT : PROJECTS[id % 5],
    featureName: isHidden ? HIDDEN_TEXT : FEATURES[id % 5],
    data: {
      name: "flexibleRollout",
      text: isHidden ? HIDDEN_TEXT : "ü".repeat(id === 5 ? 300_000 : id % 50),
    },
    tags: [{ type: "simple", value: "odd \u0001 tag" }],
  };
}

const delivery = (id: number) => ({
  kind: "integrationEvent",
  id: String(id),
  integrationId: 1,
  eventId: id,
  createdAt,
  state: "failed",
  stateDetails: "The address answered with status 500",
  details: { url: "http://127.0.0.1:1/", body: "…" },
});

const notification = (id: number) => ({
  kind: "notification",
  id,
  message: "admin created the flag flag",
  link: "/projects/open/features/flag",
  notificationType: "toggle",
  createdByUserId: 1,
  createdAt,
  recipients: [{ userId: 2 }, { userId: 3 }],
});
