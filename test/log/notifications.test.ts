import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies } from "../support/bad-bodies.ts";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const ids = (body: Array<{ id: number }>) => body.map(({ id }) => id);

scenarios("GET /api/admin/notifications", [
  {
    name: "a service token has no user",
    as: SERVICE,
    given: (w) => w.notification(),
    see: (body) => assert.deepEqual(body, []),
  },
  {
    name: "other users' are not the caller's",
    as: personal(2),
    given: (w) => w.notification(),
    see: (body) => assert.deepEqual(body, []),
  },
  {
    name: "every property, read and unread",
    as: personal(3),
    given: (w) =>
      w
        .notification({ createdByUserId: 2, notificationType: "change-request" })
        .notification({ recipients: [{ userId: 3, readAt: "2026-01-05T00:00:00Z" }] }),
    see: (body) => {
      assert.deepEqual(
        body.map((one: { readAt: string | null }) => one.readAt),
        ["2026-01-05T00:00:00.000Z", null],
      );
      const { imageUrl } = body[1].createdBy;
      assert.match(imageUrl, /^\/avatars\//);
      assert.deepEqual(body[1], {
        id: 1,
        message: "something happened",
        link: "/projects/a",
        notificationType: "change-request",
        createdBy: { username: "user2", imageUrl },
        createdAt: "2026-01-01T00:00:00.000Z",
        readAt: null,
      });
    },
  },
  {
    name: "newest first, then by id",
    as: personal(3),
    given: (w) =>
      w
        .notification({ createdAt: "2026-01-02T00:00:00Z" })
        .notification({ createdAt: "2026-01-03T00:00:00Z" })
        .notification({ createdAt: "2026-01-02T00:00:00Z" }),
    see: (body) => assert.deepEqual(ids(body), [2, 3, 1]),
  },
  {
    name: "at most 100",
    as: personal(3),
    given: (w) => {
      for (let count = 0; count < 120; count++) w.notification();
      return w;
    },
    see: (body) => assert.deepEqual([body.length, body[0].id], [100, 120]),
  },
  {
    name: "an author who is a token or has no name is still named",
    as: personal(3),
    given: (w) =>
      w
        .user({ username: null, email: null })
        .notification({ createdByUserId: -42 })
        .notification({ createdByUserId: 5 }),
    see: (body) =>
      assert.deepEqual(
        body.map((one: { createdBy: { username: string } }) => one.createdBy.username),
        ["user 5", "user -42"],
      ),
  },
]);

const READ = "/api/admin/notifications/read";
const read = (name: string, notifications: unknown, more: object = {}) => ({
  name,
  method: "POST",
  body: { notifications },
  as: personal(3),
  ...more,
});

scenarios(`POST ${READ}`, [
  read("no credential", [1], { as: null, expect: [401, "AuthenticationRequired"] }),
  read("a service token", [1], { as: SERVICE, expect: [403, "NoAccessError"] }),
  read("only unknown ones", [99, 0]),
  read("nothing given", undefined, { expect: [400, "ValidationError"] }),
  read("ids that are lists", [[1]], { expect: [400, "ValidationError"] }),
  read("a fraction as an id", [1.5], { expect: [400, "ValidationError"] }),
]);

test("marking as read is permanent, per user, and visible at once", async (t) => {
  const recipients = [{ userId: 3 }, { userId: 4 }];
  const world = createWorld().notification({ recipients }).notification({ recipients });
  const { request } = await openServer(t, world);
  const unread = async (user: number) => {
    const { body } = await request("/api/admin/notifications", { as: personal(user) });
    return ids(body.filter((one: { readAt: string | null }) => one.readAt === null));
  };
  assert.deepEqual(await unread(3), [2, 1]);
  const { status } = await request(READ, { method: "POST", body: { notifications: [1] }, as: personal(3) });
  assert.equal(status, 200);
  assert.deepEqual(await unread(3), [2]);
  assert.deepEqual(await unread(4), [2, 1]);
});

const MUTED = "/api/admin/notifications/muted";
const hidden = { mode: "private" };

scenarios(`GET ${MUTED}`, [
  { name: "a service token", as: SERVICE, see: (body) => assert.deepEqual(body, { muted: [] }) },
  { name: "nothing", as: personal(3), see: (body) => assert.deepEqual(body, { muted: [] }) },
  {
    name: "the caller's own",
    as: personal(3),
    given: (w) =>
      w
        .project("a")
        .add("notificationMute", { user: 3, project: "a" })
        .add("notificationMute", { user: 4, notificationType: "toggle" }),
    see: (body) => assert.deepEqual(body, { muted: [{ notificationType: null, project: "a" }] }),
  },
]);

const all = { notificationType: null, project: null };
const toggles = { notificationType: "toggle", project: "a" };

scenarios(`PUT ${MUTED}`, [
  { name: "a service token", as: SERVICE, body: { muted: [] }, expect: [403, "NoAccessError"] },
  {
    name: "replaced, without duplicates",
    as: personal(3),
    given: (w) => w.project("a").add("notificationMute", { user: 3, notificationType: "change-request" }),
    body: { muted: [toggles, {}, all, toggles] },
    see: (body) => assert.deepEqual(body, { muted: [all, toggles] }),
  },
  ...badBodies({ as: personal(3), given: (w) => w.project("hidden", hidden) }, [
    ["nothing", {}, "body.muted"],
    ["an object", { muted: {} }, "body.muted"],
    ["an unknown kind", { muted: [{ notificationType: "mail" }] }, "body.muted.0.notificationType"],
    ["a project that is an object", { muted: [{ project: {} }] }, "body.muted.0.project"],
    ["an unknown project", { muted: [{ project: "nope" }] }, "body.muted.0.project"],
    ["a project hidden from the caller", { muted: [{ project: "hidden" }] }, "body.muted.0.project"],
    ["too many", { muted: Array(1001).fill({}) }, "body.muted"],
  ]),
]);

for (const [name, muted, isTold] of [
  ["nothing", [], true],
  ["everything", [all], false],
  ["its kind", [{ notificationType: "toggle" }], false],
  ["its project", [{ project: "a" }], false],
  ["its kind in its project", [toggles], false],
  ["another kind", [{ notificationType: "change-request" }], true],
  ["another project", [{ project: "b" }], true],
  ["its kind in another project", [{ ...toggles, project: "b" }], true],
] as const) {
  test(`who has muted ${name} is ${isTold ? "notified" : "not notified"} of a new flag; others are`, async (t) => {
    const world = createWorld().project("a").project("b").member("a", 3).member("a", 4);
    const { request } = await openServer(t, world);
    await request(MUTED, { method: "PUT", as: personal(3), body: { muted } });
    await request("/api/admin/projects/a/features", { method: "POST", body: { name: "f" } });
    const told = async (user: number) =>
      (await request("/api/admin/notifications", { as: personal(user) })).body.length;
    assert.deepEqual([await told(3), await told(4)], [isTold ? 1 : 0, 1]);
  });
}

const ofOthers = (w: World) =>
  w
    .project("a")
    .project("b")
    .member("a", 3)
    .member("b", 3)
    .member("a", 4)
    .group("g", [4])
    .groupMember("b", 1);

const byProject = (world: World, project: string, ...days: number[]) => {
  for (const day of days)
    world.notification({
      project,
      recipients: [],
      createdByUserId: 2,
      createdAt: `2026-01-0${day}T00:00:00Z`,
    });
  return world;
};

test("notifications of several projects and named ones are merged, newest first", async (t) => {
  const world = byProject(byProject(ofOthers(createWorld()), "a", 1, 4, 2), "b", 3, 2, 5)
    .notification({ createdAt: "2026-01-03T00:00:00Z" })
    .notification({ project: "b", recipients: [], notificationType: "change-request" })
    .notification({ project: "a", recipients: [], createdByUserId: 3 });
  const { request } = await openServer(t, world);
  const listed = async (user: number) =>
    ids((await request("/api/admin/notifications", { as: personal(user) })).body);
  assert.deepEqual(await listed(3), [6, 2, 7, 4, 5, 3, 8, 1]);
  assert.deepEqual(await listed(4), [6, 2, 4, 5, 3, 9, 8, 1], "named for another, and of that one's doing");
  assert.deepEqual(await listed(2), []);
});

test("a member added later is notified of what came before, and muting hides it until it is undone", async (t) => {
  const world = byProject(createWorld().project("a").project("b"), "a", 1, 2).member("b", 4);
  const { request } = await openServer(t, world);
  const listed = async () => ids((await request("/api/admin/notifications", { as: personal(4) })).body);
  const mute = (muted: object[]) => request(MUTED, { method: "PUT", as: personal(4), body: { muted } });
  assert.deepEqual(await listed(), []);
  const roles = [{ id: 5, users: [4] }];
  await request("/api/admin/projects/a/access", { method: "PUT", body: { roles } });
  assert.deepEqual(await listed(), [2, 1]);
  await mute([{ project: "a" }]);
  assert.deepEqual(await listed(), []);
  await mute([]);
  assert.deepEqual(await listed(), [2, 1]);
});

test("members mark as read for themselves, and what others can't see stays unread", async (t) => {
  const world = byProject(byProject(ofOthers(createWorld()), "a", 1, 2), "b", 1)
    .project("c")
    .member("c", 4);
  const { request, db } = await openServer(t, byProject(world, "c", 1));
  const unread = async (user: number) => {
    const { body } = await request("/api/admin/notifications", { as: personal(user) });
    return ids(body.filter((one: { readAt: string | null }) => one.readAt === null));
  };
  const notifications = [1, 3, 4, 99];
  await request(READ, { method: "POST", body: { notifications }, as: personal(3) });
  const times = () => db.prepare("SELECT notification_id, user_id, read_at FROM notification_reads").all();
  const first = times();
  assert.deepEqual([await unread(3), await unread(4)], [[2], [2, 4, 3, 1]]);
  await request(READ, { method: "POST", body: { notifications }, as: personal(3) });
  await request(READ, { method: "POST", body: { notifications }, as: personal(2) });
  assert.deepEqual(times(), first, "the first time stays; only members have any");
});

test("a deleted project takes its notifications along, also for a later one with its id", async (t) => {
  const { request } = await openServer(t, byProject(ofOthers(createWorld()), "a", 1));
  assert.equal((await request("/api/admin/projects/a", { method: "DELETE" })).status, 200);
  await request("/api/admin/projects", { method: "POST", body: { id: "a", name: "a" }, as: personal(1) });
  await request("/api/admin/projects/a/access", {
    method: "PUT",
    body: { roles: [{ id: 4, users: [4] }] },
  });
  assert.deepEqual((await request("/api/admin/notifications", { as: personal(4) })).body, []);
});

test("users who lose their role, directly or through a group, no longer get notifications of a hidden project", async (t) => {
  const world = createWorld().project("a", hidden).group("g", [3]).groupMember("a", 1).member("a", 4);
  const { request } = await openServer(t, world.member("a", 1, 4));
  const make = (name: string) =>
    request("/api/admin/projects/a/features", { method: "POST", body: { name } });
  await make("before");
  await request("/api/admin/projects/a/access", { method: "PUT", body: { roles: [{ id: 4, users: [1] }] } });
  await make("after");
  for (const user of [3, 4]) {
    const told = async () => (await request("/api/admin/notifications", { as: personal(user) })).body.length;
    assert.equal(await told(), 0);
    await request("/api/admin/projects/a/settings", { method: "PUT", body: { mode: "open" } });
    assert.equal(await told(), 0, "not even from before that");
    await request("/api/admin/projects/a/settings", { method: "PUT", body: { mode: "private" } });
  }
});
