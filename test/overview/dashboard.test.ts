import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
type Named = { name: string };
const names = (list: Named[]) => list.map(({ name }) => name);

scenarios("GET /api/admin/personal-dashboard", [
  {
    name: "a service token has no user",
    as: SERVICE,
    given: (w) => w.project("a").member("a", 3, 4),
    see: (body) => {
      assert.deepEqual([body.projects, body.flags], [[], []]);
      assert.deepEqual(names(body.projectOwners), ["Vic Viewer"]);
    },
  },
  {
    name: "projects in which the caller has a role, by name, archived ones not",
    as: personal(3),
    given: (w) =>
      w
        .project("z", { name: "A" })
        .project("y", { name: "B" })
        .project("other")
        .project("gone", { archivedAt: "2026-02-01T00:00:00Z" })
        .group("g", [3, 4])
        .groupMember("z", 1)
        .member("y", 3)
        .member("y", 3, 4)
        .member("gone", 3),
    see: (body) =>
      assert.deepEqual(body.projects, [
        { id: "z", name: "A", health: 100, technicalDebt: 0, memberCount: 2, featureCount: 0 },
        { id: "y", name: "B", health: 100, technicalDebt: 0, memberCount: 1, featureCount: 0 },
      ]),
  },
  {
    name: "health counts stale flags and those that outlived their type",
    as: personal(3),
    given: (w) =>
      w
        .project("a")
        .member("a", 3)
        .feature("fresh", "a", { createdAt: daysAgo(1) })
        .feature("old release", "a", { createdAt: daysAgo(41) })
        .feature("old and stale", "a", { createdAt: daysAgo(41), stale: true })
        .feature("month-old release", "a", { createdAt: daysAgo(39) })
        .feature("old operational", "a", { createdAt: daysAgo(8), type: "operational" })
        .feature("ancient kill-switch", "a", { createdAt: daysAgo(900), type: "kill-switch" })
        .feature("ancient permission", "a", { createdAt: daysAgo(900), type: "permission" })
        .feature("old experiment", "a", { createdAt: daysAgo(41), type: "experiment" })
        .feature("archived", "a", { createdAt: daysAgo(41), archivedAt: daysAgo(1) }),
    see: ({ projects: [project] }) => assert.deepEqual([project.health, project.featureCount], [50, 8]),
  },
  {
    name: "flags created or favorited by the caller, newest first, then by name",
    as: personal(3),
    given: (w) =>
      w
        .project("a")
        .project("gone", { archivedAt: "2026-02-01T00:00:00Z" })
        .project("secret", { mode: "private" })
        .feature("mine", "a", { createdByUserId: 3, createdAt: "2026-01-02T00:00:00Z", favoritedBy: [3, 4] })
        .feature("loved", "a", { favoritedBy: [3], createdAt: "2026-01-03T00:00:00Z", type: "experiment" })
        .feature("b", "a", { createdByUserId: 3 })
        .feature("a", "a", { createdByUserId: 3 })
        .feature("other", "a")
        .feature("archived", "a", { createdByUserId: 3, archivedAt: "2026-02-01T00:00:00Z" })
        .feature("in archived", "gone", { createdByUserId: 3 })
        .feature("hidden", "secret", { createdByUserId: 3 }),
    see: (body) => {
      assert.deepEqual(names(body.flags), ["loved", "mine", "a", "b"]);
      assert.deepEqual(body.flags[0], { name: "loved", project: "a", type: "experiment" });
    },
  },
  {
    name: "at most 100 flags",
    given: (w) => {
      w.project("a");
      for (let count = 0; count < 120; count++) w.feature(`f${count}`, "a", { createdByUserId: 1 });
      return w;
    },
    see: (body) => assert.equal(body.flags.length, 100),
  },
  {
    name: "direct owners of visible live projects, each once, by display name",
    as: personal(4),
    given: (w) =>
      w
        .user({ username: null, email: "mail@example.com" })
        .project("a")
        .project("b")
        .project("secret", { mode: "private" })
        .project("gone", { archivedAt: "2026-02-01T00:00:00Z" })
        .group("g", [4])
        .groupMember("a", 1, 4)
        .member("a", 5, 4)
        .member("a", 3, 4)
        .member("b", 3, 4)
        .member("b", 1, 5)
        .member("secret", 1, 4)
        .member("gone", 2, 4),
    see: (body) => {
      assert.deepEqual(names(body.projectOwners), ["Vic Viewer", "mail@example.com"]);
      assert.equal(body.projectOwners[0].email, null);
    },
  },
  {
    name: "administrators by id, unset fields absent",
    as: personal(3),
    given: (w) => w.user({ name: "Zed", rootRole: 1, email: "zed@example.com" }),
    see: (body) =>
      assert.deepEqual(
        body.admins.map(({ imageUrl, ...admin }: { imageUrl: string }) => admin),
        [
          { id: 1, username: "admin" },
          { id: 5, name: "Zed", username: "user5", email: "zed@example.com" },
        ],
      ),
  },
]);

const inUse = (w: World) =>
  w
    .project("a")
    .feature("f", "a", { environments: [{ name: "development", lastSeenAt: "2026-01-02T00:00:00Z" }] });

scenarios("GET /api/admin/personal-dashboard/a", [
  { name: "an unknown project", expect: [404, "NotFoundError"] },
  {
    name: "a new project",
    given: (w) => w.project("a"),
    see: (body) =>
      assert.deepEqual(body, {
        latestEvents: [],
        onboardingStatus: { status: "onboarding-started" },
        owners: [{ ownerType: "system" }],
        roles: [],
      }),
  },
  {
    name: "an archived project still works",
    given: (w) => w.project("a", { archivedAt: "2026-01-02T00:00:00Z" }),
  },
  {
    name: "the newest ten events, each with its author's picture",
    given: (w) => {
      w.user({ imageUrl: "https://pictures.example/5.png" }).project("a");
      for (let count = 0; count < 9; count++) w.event({ project: "a" });
      return w
        .event({ project: "a", createdByUserId: 5, createdBy: "user5" })
        .event({ project: "a", createdByUserId: -42, createdBy: "Pipeline", summary: "done" })
        .event({ project: "b" });
    },
    see: ({ latestEvents }) => {
      assert.deepEqual(
        latestEvents.map(({ id }: { id: number }) => id),
        [11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
      );
      assert.deepEqual(latestEvents[0], {
        id: 11,
        summary: "done",
        createdBy: "Pipeline",
        createdByImageUrl: latestEvents[0].createdByImageUrl,
      });
      assert.match(latestEvents[0].createdByImageUrl, /^\/avatars\//);
      assert.equal(latestEvents[1].createdByImageUrl, "https://pictures.example/5.png");
    },
  },
  {
    name: "onboarding: the first flag is the oldest live one",
    given: (w) =>
      w
        .project("a")
        .feature("younger", "a", { createdAt: "2026-02-01T00:00:00Z" })
        .feature("first", "a")
        .feature("archived", "a", { createdAt: "2025-01-01T00:00:00Z", archivedAt: "2026-01-01T00:00:00Z" }),
    see: (body) =>
      assert.deepEqual(body.onboardingStatus, { status: "first-flag-created", feature: "first" }),
  },
  {
    name: "onboarding: done once a flag was seen in use",
    given: inUse,
    see: (body) => assert.deepEqual(body.onboardingStatus, { status: "onboarded" }),
  },
  {
    name: "owners: users by id, then groups by name",
    given: (w) =>
      w
        .project("a")
        .group("zebras", [])
        .group("apes", [4])
        .groupMember("a", 1, 4)
        .groupMember("a", 2, 4)
        .member("a", 3, 4)
        .member("a", 2, 4)
        .member("a", 1, 5),
    see: ({ owners }) =>
      assert.deepEqual(
        owners.map(({ ownerType, name }: { ownerType: string; name: string }) => [ownerType, name]),
        [
          ["user", "user2"],
          ["user", "Vic Viewer"],
          ["group", "apes"],
          ["group", "zebras"],
        ],
      ),
  },
  {
    name: "the caller's roles, directly and through groups, each once, by id",
    as: personal(3),
    given: (w) =>
      w
        .add("role", { id: 9, name: "Deployer", type: "custom" })
        .project("a")
        .group("g", [3])
        .groupMember("a", 1, 5)
        .member("a", 3, 9)
        .member("a", 3, 5)
        .member("a", 4, 4),
    see: ({ roles }) =>
      assert.deepEqual(roles, [
        { name: "Member", id: 5, type: "project" },
        { name: "Deployer", id: 9, type: "custom" },
      ]),
  },
]);

test("GET /api/admin/personal-dashboard: the lifetime of a flag type is read from this file", async (t) => {
  const world = createWorld()
    .project("a")
    .member("a", 3)
    .feature("f", "a", { createdAt: daysAgo(41) });
  const { db, request } = await openServer(t, world);
  const health = async () => {
    const { body } = await request("/api/admin/personal-dashboard", { as: personal(3) });
    return body.projects[0].health;
  };
  for (const [days, expected] of [
    [40, 0],
    [42, 100],
    [null, 100],
    [2_147_483_647, 100],
    [1, 0],
  ]) {
    db.prepare("UPDATE feature_types SET lifetime_days = ? WHERE id = 'release'").run(days);
    assert.equal(await health(), expected, `${days} days`);
  }
});
