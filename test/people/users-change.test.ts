import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies } from "../support/bad-bodies.ts";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

const USERS = "/api/admin/user-admin";
const VIC = { id: 3, name: "Vic Viewer", username: "user3", rootRole: 3 };
const robot = (w: World) => w.user({ accountType: "Service Account" });

/** Changes user 3, with this event. */
const updates = (name: string, body: object, told: object, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  url: "3",
  body,
  records: [{ type: "user-updated", data: { ...VIC, ...told }, preData: VIC, project: null }],
  see: (answer) => {
    const { rootRole: _, ...names } = { ...VIC, ...told };
    assert.partialDeepStrictEqual(answer, names);
    assert.equal(answer.rootRole, (body as { rootRole?: unknown }).rootRole, "as in the request");
  },
  ...rest,
});

scenarios(`PUT ${USERS}/`, [
  updates("nothing", {}, {}, { as: SERVICE }),
  updates("a name", { name: "Vic" }, { name: "Vic" }),
  updates("what is empty stays as it is", { name: "", email: "", rootRole: 3 }, {}),
  updates("an e-mail address", { email: "Vic@Example.com" }, { email: "vic@example.com" }),
  updates("a role by its name", { rootRole: "editor" }, { rootRole: 2 }),
  updates(
    "all at once",
    { name: "V", email: "v@x.org", rootRole: 1 },
    { name: "V", email: "v@x.org", rootRole: 1 },
  ),
  updates("null leaves a property unchanged", { name: null, rootRole: null }, {}, { see: () => {} }),
  {
    name: "their own e-mail address again",
    url: "2",
    body: { email: "edith@example.com" },
    records: [{ type: "user-updated" }],
  },
  {
    name: "the last Admin can't be demoted",
    url: "1",
    body: { rootRole: 3 },
    expect: [403, "InvalidOperationError"],
  },
  {
    name: "a service account does not count as another Admin",
    url: "1",
    given: (w) => w.user({ rootRole: 1, accountType: "Service Account" }),
    body: { rootRole: 3 },
    expect: [403, "InvalidOperationError"],
  },
  {
    name: "the second to last can",
    url: "1",
    given: (w) => w.user({ rootRole: 1 }),
    body: { rootRole: 3 },
    records: [{ type: "user-updated" }],
  },
  { name: "an unknown id", url: "99", body: {}, expect: [404, "NotFoundError"] },
  { name: "a service account", url: "5", given: robot, body: {}, expect: [404, "NotFoundError"] },
  { name: "not a number", url: "x", body: {}, expect: [400, "ValidationError"] },
  ...badBodies({ url: "3" }, [
    ["a name that is an object", { name: {} }, "body.name"],
    ["an invalid e-mail address", { email: "vic" }, "body.email"],
    ["an e-mail address that is taken", { email: "EDITH@example.com" }, "body.email"],
    ["an e-mail address that is another user's username", { email: "admin@x" }, "body.email"],
    ["an unknown role", { rootRole: 9 }, "body.rootRole"],
    ["a project role", { rootRole: "Owner" }, "body.rootRole"],
    ["a role that is a list", { rootRole: [1] }, "body.rootRole"],
  ]),
]);

scenarios(`DELETE ${USERS}/`, [
  { name: "an Admin may", url: "3", records: [{ type: "user-deleted", data: null, preData: VIC }] },
  {
    name: "oneself",
    url: "1",
    given: (w) => w.user({ rootRole: 1 }),
    expect: [403, "InvalidOperationError"],
  },
  { name: "the last Admin", url: "1", as: SERVICE, expect: [403, "InvalidOperationError"] },
  { name: "an unknown id", url: "99", expect: [404, "NotFoundError"] },
  { name: "a service account", url: "5", given: robot, expect: [404, "NotFoundError"] },
  { name: "not a number", url: "x", expect: [400, "ValidationError"] },
]);

scenarios(`POST ${USERS}/inactive/delete`, [
  { name: "none", body: { ids: [] } },
  {
    name: "several, each once, and never the caller",
    body: { ids: [3, 1, 4, 3] },
    records: [{ type: "user-deleted", preData: VIC }, { type: "user-deleted" }],
  },
  { name: "all or none", body: { ids: [3, 99] }, expect: [404, "NotFoundError"] },
  ...badBodies({}, [
    ["no list", {}, "body.ids"],
    ["text", { ids: ["edith"] }, "body.ids.0"],
  ]),
]);

const fromScim = (w: World) =>
  w.user({ username: "sam", scimId: "s1" }).user({ username: "sue", scimId: "s2" });

scenarios(`DELETE ${USERS}/scim-users`, [
  { name: "none has a SCIM id" },
  {
    name: "those with a SCIM id",
    given: fromScim,
    records: [
      { type: "user-deleted" },
      { type: "user-deleted" },
      { type: "scim-users-deleted", preData: null },
    ],
    see: (_, { text }) => assert.equal(text, ""),
  },
  {
    name: "all or none: the caller is one",
    as: personal(5),
    given: (w) => w.user({ rootRole: 1, scimId: "s0" }),
    expect: [403, "InvalidOperationError"],
  },
]);

scenarios(`GET ${USERS}`, [
  {
    name: "users by id, and the roles that they can have",
    given: (w) => robot(w).add("role", { id: 6, name: "Auditor", type: "custom-root" }),
    see: ({ users, rootRoles }) => {
      assert.deepEqual(
        users.map(({ id, inviteLink }: { id: number; inviteLink: string }) => [id, inviteLink]),
        [1, 2, 3, 4].map((id) => [id, ""]),
      );
      assert.deepEqual(
        rootRoles.map(({ id, type }: { id: number; type: string }) => [id, type]),
        [
          [1, "root"],
          [2, "root"],
          [3, "root"],
          [6, "root-custom"],
        ],
      );
    },
  },
]);

const ids = (list: Array<{ id: number }>) => list.map(({ id }) => id);

scenarios(`GET ${USERS}/search`, [
  ...(
    [
      ["part of the name, by anyone", "?q=VIEW", [3]],
      ["the beginning of a username", "?q=User", [2, 3, 4]],
      ["the beginning of an e-mail address", "?q=EDITH", [2]],
      ["not a later part of it", "?q=example", []],
      ["letters beyond ASCII", "?q=ÅS", [5]],
      ["a wildcard is a character", "?q=%25%25", []],
      ["one character", "?q=u", []],
      ["nothing", "?q=", []],
      ["no query", "", []],
    ] as const
  ).map(
    ([name, url, found]): Scenario => ({
      name,
      url,
      as: personal(3),
      given: (w) =>
        w.user({ name: "Åse", username: null }).user({ name: "viewer", accountType: "Service Account" }),
      see: (body) => assert.deepEqual(ids(body), found),
    }),
  ),
]);

scenarios(`GET ${USERS}/access`, [
  {
    name: "everyone, and groups without their members",
    as: personal(3),
    given: (w) => robot(w).group("crew", [3, 4], { description: "d" }),
    see: ({ users, groups }) => {
      assert.deepEqual(ids(users), [1, 2, 3, 4, 5]);
      assert.deepEqual(users[1], {
        id: 2,
        name: null,
        username: "user2",
        email: "edith@example.com",
        accountType: "User",
      });
      assert.partialDeepStrictEqual(groups, [{ id: 1, name: "crew", description: "d", userCount: 2 }]);
    },
  },
]);

scenarios(`GET ${USERS}/admin-count`, [
  {
    name: "by the way they can sign in",
    given: (w) =>
      w.user({ rootRole: 1, passwordHash: "x" }).user({ rootRole: 1, accountType: "Service Account" }).user(),
    see: (body) => assert.deepEqual(body, { password: 1, noPassword: 1, service: 1 }),
  },
]);

scenarios(`GET ${USERS}/inactive`, [
  {
    name: "users not seen for long, nor their tokens",
    given: (w) => {
      const createdAt = "2020-01-01T00:00:00.000Z";
      const seenAt = new Date().toISOString();
      w.user({ createdAt, email: "old@example.com" }).user({ createdAt, seenAt }).user({ createdAt });
      return w.add("token", { type: "user", name: "t", hash: "a".repeat(64), userId: 7, seenAt });
    },
    see: ({ inactiveUsers }) => {
      assert.deepEqual(
        inactiveUsers.filter(({ id }: { id: number }) => id > 4),
        [
          {
            id: 5,
            name: null,
            username: "user5",
            email: "old@example.com",
            seenAt: null,
            createdAt: "2020-01-01T00:00:00.000Z",
            patSeenAt: null,
          },
        ],
      );
    },
  },
]);

const matrixOf = (matrix: Record<string, Array<{ name: string; hasPermission: boolean }>>) =>
  Object.fromEntries(
    Object.entries(matrix).map(([scope, list]) => [
      scope,
      list.filter(({ hasPermission }) => hasPermission).map(({ name }) => name),
    ]),
  );

scenarios(`GET ${USERS}/`, [
  {
    name: "an Editor's root permissions",
    url: "2/permissions",
    see: ({ matrix, user, rootRole, projectRoles }) => {
      assert.ok(matrixOf(matrix).root!.includes("CREATE_PROJECT"));
      assert.deepEqual([matrixOf(matrix).project, matrix.environment, projectRoles], [[], [], []]);
      assert.deepEqual([user.id, rootRole.name], [2, "Editor"]);
    },
  },
  {
    name: "a Member's additional ones in the project",
    url: "3/permissions?project=a&environment=development",
    given: (w) => w.project("a").member("a", 3),
    see: ({ matrix, projectRoles }) => {
      assert.deepEqual(matrixOf(matrix).root, []);
      assert.ok(matrixOf(matrix).project!.includes("CREATE_FEATURE"));
      assert.ok(matrixOf(matrix).environment!.includes("UPDATE_FEATURE_ENVIRONMENT"));
      assert.deepEqual(ids(projectRoles), [5]);
    },
  },
  {
    name: "an Admin has all",
    url: "1/permissions?project=a&environment=development",
    given: (w) => w.project("a"),
    see: ({ matrix }) => {
      const all = Object.values(matrix).flat() as Array<{ hasPermission: boolean }>;
      assert.ok(all.length > 40 && all.every(({ hasPermission }) => hasPermission));
    },
  },
  { name: "an unknown id", url: "99/permissions", expect: [404, "NotFoundError"] },
  { name: "not a number", url: "x/permissions", expect: [400, "ValidationError"] },
]);

test("deleting a user deletes what belongs to the user", async (t) => {
  const { request, db } = await openServer(t);
  const recorded = watchLog(db);
  assert.equal((await request("/api/admin/user", { as: personal(3) })).status, 200);
  await request(`${USERS}/3`, { method: "DELETE" });
  assert.equal((await request("/api/admin/user", { as: personal(3) })).status, 401);
  assertRecorded(recorded(), [{ type: "user-deleted" }]);
});
