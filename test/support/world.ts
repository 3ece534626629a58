import { hashSecret } from "../../src/access/token.ts";

/** The secret of the personal token that `user` creates for the user with this id. */
export const personal = (id: number) => `user:${String(id).padStart(56, "0")}`;

/** The secrets of tokens that belong to no user. */
export const SERVICE = `*:*.${"0".repeat(56)}`;
export const CLIENT = `*:development.${"0".repeat(56)}`;
export const FRONTEND = `*:development.${"f".repeat(56)}`;

type Line = Record<string, unknown>;

const CREATED = "2026-01-01T00:00:00.000Z";

/**
 * A dataset built step by step with readable defaults; each step adds one line. It starts with two environments, four
 * users (1 an Admin, 2 an Editor, 3 and 4 Viewers), a token of each kind, and one tag type.
 */
export function createWorld() {
  const lines: Line[] = [{ kind: "dataset", version: 1 }];
  const counters: Record<string, number> = {};
  const next = (kind: string) => (counters[kind] = (counters[kind] ?? 0) + 1);
  const add = (kind: string, line: Line) => {
    lines.push({ kind, ...line });
    return world;
  };
  const world = {
    lines,
    add,
    environment: (name: string, line: Line = {}) =>
      add("environment", { name, type: name, sortOrder: next("environment"), ...line }),
    user: (line: Line = {}) => {
      const id = next("user");
      add("user", { id, username: `user${id}`, createdAt: CREATED, ...line });
      return add("token", { type: "user", name: "test", hash: hashSecret(personal(id)), userId: id });
    },
    group: (name: string, users: number[], line: Line = {}) =>
      add("group", { id: next("group"), name, users, ...line }),
    project: (id: string, line: Line = {}) =>
      add("project", {
        id,
        name: id,
        createdAt: CREATED,
        environments: ["development", "production"],
        ...line,
      }),
    member: (project: string, user: number, role = 5) => add("projectRole", { project, role, user }),
    groupMember: (project: string, group: number, role = 5) => add("projectRole", { project, role, group }),
    feature: (name: string, project: string, line: Line = {}) =>
      add("feature", { name, project, createdAt: CREATED, createdByUserId: 1, ...line }),
    /** A draft of the Admin's. */
    changeRequest: (project: string, line: Line = {}) =>
      add("changeRequest", {
        id: next("changeRequest"),
        project,
        environment: "development",
        state: "Draft",
        minApprovals: 1,
        createdBy: 1,
        createdAt: CREATED,
        ...line,
      }),
    integration: (line: Line = {}) =>
      add("integration", { id: next("integration"), provider: "webhook", ...line }),
    event: (line: Line = {}) =>
      add("event", {
        id: next("event"),
        createdAt: CREATED,
        type: "feature-created",
        createdBy: "user1",
        createdByUserId: 1,
        ...line,
      }),
    integrationEvent: (line: Line = {}) =>
      add("integrationEvent", {
        id: String(next("integrationEvent")),
        integrationId: 1,
        eventId: 1,
        createdAt: CREATED,
        state: "success",
        stateDetails: "ok",
        ...line,
      }),
    notification: (line: Line = {}) =>
      add("notification", {
        id: next("notification"),
        message: "something happened",
        link: "/projects/a",
        notificationType: "toggle",
        createdByUserId: 1,
        createdAt: CREATED,
        recipients: [{ userId: 3 }],
        ...line,
      }),
  };
  world.environment("development").environment("production");
  world.user({ username: "admin", rootRole: 1 }).user({ email: "edith@example.com", rootRole: 2 });
  world.user({ name: "Vic Viewer" }).user();
  for (const [type, secret] of [
    ["admin", SERVICE],
    ["client", CLIENT],
    ["frontend", FRONTEND],
  ] as const) {
    add("token", {
      type,
      name: `the ${type} token`,
      hash: hashSecret(secret),
      environment: type === "admin" ? "*" : "development",
    });
  }
  return add("tagType", { name: "simple" });
}

export type World = ReturnType<typeof createWorld>;
