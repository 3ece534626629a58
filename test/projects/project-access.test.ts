import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, personal, SERVICE, type World } from "../support/world.ts";

const ACCESS = "/api/admin/projects/a/access";
const [OWNER, MEMBER, KEEPER] = [4, 5, 100];

/** User 2 owns `a`, user 3 manages its access through a custom role, and a group with user 4 is a member. */
const withAccess = (w: World) =>
  w
    .add("role", {
      id: KEEPER,
      name: "Keeper",
      type: "custom",
      permissions: [{ name: "PROJECT_USER_ACCESS_WRITE" }, { name: "PROJECT_USER_ACCESS_READ" }],
    })
    .group("testers", [4])
    .project("a", { mode: "private" })
    .project("b")
    .member("a", 2, OWNER)
    .member("a", 3, KEEPER)
    .groupMember("a", 1, MEMBER);

const BEFORE = [
  { id: OWNER, users: [2], groups: [] },
  { id: MEMBER, users: [], groups: [1] },
  { id: KEEPER, users: [3], groups: [] },
];
const [owners, members, keepers] = BEFORE as [object, object, object];
const put = (name: string, roles: unknown, more: object = {}) => ({
  name,
  given: withAccess,
  method: "PUT",
  body: { roles },
  ...more,
});

scenarios(`GET ${ACCESS}`, [
  {
    name: "a member of the private project",
    as: personal(4),
    given: withAccess,
    expect: [403, "NoAccessError"],
  },
  { name: "an unknown project", expect: [404, "NotFoundError"] },
  { name: "a service token", as: SERVICE, given: withAccess },
  {
    name: "users, groups and the available roles",
    as: personal(3),
    given: withAccess,
    see: ({ users, groups, roles }) => {
      assert.partialDeepStrictEqual(users, [
        {
          id: 2,
          name: "user2",
          email: "edith@example.com",
          isAPI: false,
          roleId: OWNER,
          roles: [OWNER],
        },
        { id: 3, name: "Vic Viewer", email: null, roleId: KEEPER, roles: [KEEPER] },
      ]);
      assert.partialDeepStrictEqual(groups, [
        {
          id: 1,
          name: "testers",
          roleId: MEMBER,
          roles: [MEMBER],
          users: [{ user: { id: 4, name: "user4" } }],
        },
      ]);
      assert.deepEqual(
        roles.map(({ id }: { id: number }) => id),
        [OWNER, MEMBER, KEEPER],
      );
    },
  },
]);

scenarios(`PUT ${ACCESS}`, [
  put("no credential", [], { as: null, expect: [401, "AuthenticationRequired"] }),
  put("a member", BEFORE, { as: personal(4), expect: [403, "NoAccessError"] }),
  put("an unknown project", [], { url: "/api/admin/projects/none/access", expect: [404, "NotFoundError"] }),
  put("no roles", undefined, { expect: [400, "ValidationError"] }),
  put("an object as the roles", {}, { expect: [400, "ValidationError"] }),
  put("the same access, in another order and with duplicates", [keepers, members, owners, owners]),
  put(
    "several roles, groups and users at once",
    [
      { id: OWNER, users: [2, 2, 4] },
      { id: MEMBER, users: [4], groups: [1] },
    ],
    {
      as: personal(2),
      records: [
        {
          type: "project-access-updated",
          project: "a",
          data: {
            roles: [
              { id: OWNER, users: [2, 4], groups: [] },
              { id: MEMBER, users: [4], groups: [1] },
            ],
          },
          preData: { roles: BEFORE },
        },
      ],
    },
  ),
  ...(
    [
      ["an unknown role", [owners, { id: 99 }], "body.roles.1.id"],
      ["a root role", [owners, { id: 1, users: [3] }], "body.roles.1.id"],
      ["an unknown user", [{ id: OWNER, users: [2, 77] }], "body.roles.0.users.1"],
      ["an unknown group", [{ id: OWNER, users: [2], groups: [9] }], "body.roles.0.groups.0"],
      ["a user by name", [{ id: OWNER, users: ["edith"] }], "body.roles.0.users.0"],
      ["a fraction as a user", [{ id: OWNER, users: [2.5] }], "body.roles.0.users.0"],
      ["a role without an id", [{ users: [2] }], "body.roles.0.id"],
    ] as const
  ).map(([name, roles, path]) =>
    put(name, roles, {
      expect: [400, "ValidationError"],
      see: (body: object) => assert.ok(JSON.stringify(body).includes(path), JSON.stringify(body)),
    }),
  ),
  put("no owner left", [members, keepers], { expect: [409, "ProjectWithoutOwnerError"] }),
  // Managing access does not allow giving oneself, or anyone else, more than one has.
  put("a keeper makes themselves an owner", [{ id: OWNER, users: [2, 3] }, members, keepers], {
    as: personal(3),
    expect: [403, "NoAccessError"],
  }),
  put("a keeper removes others' roles", [owners, keepers], {
    as: personal(3),
    expect: [403, "NoAccessError"],
  }),
  put("a keeper shares their own role", [owners, members, { id: KEEPER, users: [3, 4] }], {
    as: personal(3),
    records: [{ type: "project-access-updated" }],
  }),
]);

test("access takes effect at once, even for cached responses, and so does its removal", async (t) => {
  const { request } = await openServer(t, withAccess(createWorld()).feature("f", "a"));
  const read = (user: number) => request("/api/admin/projects/a/features/f", { as: personal(user) });
  const give = async (roles: object[]) =>
    assert.equal((await request(ACCESS, { method: "PUT", body: { roles } })).status, 200);
  assert.equal((await read(4)).status, 200, "through the group");
  await give([owners]);
  assert.equal((await read(4)).status, 403);
  await give([owners, { id: MEMBER, users: [4] }]);
  assert.equal((await read(4)).status, 200);
  const make = () =>
    request("/api/admin/projects/a/features", { method: "POST", body: { name: "g" }, as: personal(4) });
  assert.equal((await make()).status, 201, "a member can change its contents");
  const elsewhere = { method: "PUT", body: { roles: [{ id: OWNER, users: [4] }] }, as: personal(2) };
  assert.equal(
    (await request("/api/admin/projects/b/access", elsewhere)).status,
    403,
    "an owner of another project",
  );
});

const forbidden: [number, string] = [403, "NoAccessError"];
const bad: [number, string] = [400, "ValidationError"];
const missing: [number, string] = [404, "NotFoundError"];
const A = "/api/admin/projects/a";

/** A change to the access of `a`, by its Owner unless stated otherwise. */
const change = (name: string, more: object) => ({ name, as: personal(2), given: withAccess, ...more });
const strangersTo = (common: object) => [
  change("no credential", { ...common, as: null, expect: [401, "AuthenticationRequired"] }),
  change("a client token", { ...common, as: CLIENT, expect: forbidden }),
  change("a member", { ...common, as: personal(4), expect: forbidden }),
];

const added = { roles: [MEMBER], users: [3], groups: [] };
scenarios(`POST ${ACCESS}`, [
  ...strangersTo({ body: added }),
  change("a user gets an additional role", {
    body: { roles: [MEMBER, KEEPER], users: [3, 4], groups: [1] },
    records: [
      {
        type: "project-access-added",
        project: "a",
        preData: null,
        data: {
          roles: [
            { roleId: MEMBER, userIds: [3, 4], groupIds: [1] },
            { roleId: KEEPER, userIds: [3, 4], groupIds: [1] },
          ],
        },
      },
    ],
  }),
  change("the same again", { body: { roles: [MEMBER], groups: [1] } }),
  change("an unknown project", {
    as: personal(1),
    url: "/api/admin/projects/none/access",
    body: added,
    expect: missing,
  }),
  change("no roles", { body: { users: [3] }, expect: bad }),
  change("a root role", { body: { ...added, roles: [1] }, expect: bad }),
  change("an unknown user", { body: { ...added, users: [99] }, expect: bad }),
  change("an unknown group", { body: { ...added, groups: [99] }, expect: bad }),
  change("a keeper makes themselves an owner", {
    as: personal(3),
    body: { ...added, roles: [OWNER] },
    expect: forbidden,
  }),
  change("a keeper shares their own role", {
    as: personal(3),
    body: { roles: [KEEPER], users: [4] },
    records: [{ type: "project-access-added" }],
  }),
]);

scenarios(`POST ${A}/role/${MEMBER}/access`, [
  ...strangersTo({ body: { users: [{ id: 3 }] } }),
  change("users and groups get the role", {
    body: { users: [{ id: 3 }], groups: [{ id: 1 }] },
    records: [
      {
        type: "project-access-added",
        data: { roles: [{ roleId: MEMBER, userIds: [3], groupIds: [1] }] },
      },
    ],
  }),
  change("a root role", { url: `${A}/role/1/access`, body: {}, expect: missing }),
  change("an unknown role", { url: `${A}/role/99/access`, body: {}, expect: missing }),
  change("an unknown user", { body: { users: [{ id: 99 }] }, expect: bad }),
  change("a user id instead of an object", { body: { users: [3] }, expect: bad }),
  change("a keeper makes themselves an owner", {
    as: personal(3),
    url: `${A}/role/${OWNER}/access`,
    body: { users: [{ id: 3 }] },
    expect: forbidden,
  }),
]);

scenarios(`PUT ${A}/users/3/roles`, [
  ...strangersTo({ body: { roles: [MEMBER] } }),
  change("exactly these", {
    body: { roles: [OWNER, MEMBER, MEMBER] },
    records: [
      {
        type: "project-access-user-roles-updated",
        project: "a",
        data: { roles: [OWNER, MEMBER, MEMBER], userId: 3 },
        preData: { roles: [KEEPER], userId: 3 },
      },
    ],
  }),
  change("none", {
    body: { roles: [] },
    records: [
      { type: "project-access-user-roles-deleted", data: null, preData: { roles: [KEEPER], userId: 3 } },
    ],
  }),
  change("the same again", { body: { roles: [KEEPER] } }),
  change("no roles", { body: {}, expect: bad }),
  change("an unknown role", { body: { roles: [99] }, expect: bad }),
  change("an unknown user", { url: `${A}/users/99/roles`, body: { roles: [] }, expect: missing }),
  change("the last owner", {
    url: `${A}/users/2/roles`,
    body: { roles: [MEMBER] },
    expect: [409, "ProjectWithoutOwnerError"],
  }),
  change("a keeper makes themselves an owner", {
    as: personal(3),
    body: { roles: [KEEPER, OWNER] },
    expect: forbidden,
  }),
  change("a keeper gives up their own role", {
    as: personal(3),
    body: { roles: [] },
    records: [{ type: "project-access-user-roles-deleted" }],
  }),
  change("an owner of another project", {
    as: personal(4),
    given: (w: World) => withAccess(w).member("b", 4, OWNER),
    body: { roles: [OWNER] },
    expect: forbidden,
  }),
]);

scenarios(`DELETE ${A}/users/3/roles`, [
  ...strangersTo({}),
  change("all roles are removed", {
    records: [{ type: "project-access-user-roles-deleted", preData: { roles: [KEEPER], userId: 3 } }],
  }),
  change("of a user without direct roles", { url: `${A}/users/4/roles` }),
  change("the last owner", { url: `${A}/users/2/roles`, expect: [409, "ProjectWithoutOwnerError"] }),
  change("a keeper removes an owner's roles", {
    as: personal(3),
    url: `${A}/users/2/roles`,
    expect: [409, "ProjectWithoutOwnerError"],
  }),
  change("an unknown user", { url: `${A}/users/99/roles`, expect: missing }),
]);

scenarios(`PUT ${A}/groups/1/roles`, [
  ...strangersTo({ body: { roles: [KEEPER] } }),
  change("exactly these", {
    body: { roles: [KEEPER] },
    records: [
      {
        type: "project-access-group-roles-updated",
        data: { roles: [KEEPER], groupId: 1 },
        preData: { roles: [MEMBER], groupId: 1 },
      },
    ],
  }),
  change("an unknown group", { url: `${A}/groups/99/roles`, body: { roles: [] }, expect: missing }),
  change("a keeper removes a group's roles", { as: personal(3), body: { roles: [] }, expect: forbidden }),
]);

scenarios(`DELETE ${A}/groups/1/roles`, [
  ...strangersTo({}),
  change("all roles are removed", {
    records: [{ type: "project-access-user-roles-deleted", preData: { roles: [MEMBER], groupId: 1 } }],
  }),
  change("an unknown group", { url: `${A}/groups/99/roles`, expect: missing }),
]);
