import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, personal, SERVICE, type World } from "../support/world.ts";

const ACCESS = "/api/admin/projects/a/access";
const [OWNER, MEMBER, KEEPER] = [4, 5, 100];

/** User 2 owns `a`, user 3 keeps its access by a role of his own, a group of user 4 is a member. */
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
  { name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
  { name: "a client token", as: CLIENT, expect: [403, "NoAccessError"] },
  {
    name: "a member of the private project",
    as: personal(4),
    given: withAccess,
    expect: [403, "NoAccessError"],
  },
  { name: "an unknown project", expect: [404, "NotFoundError"] },
  { name: "a service token", as: SERVICE, given: withAccess },
  {
    name: "users, groups and the roles that can be given",
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
  put("roles that are no list", {}, { expect: [400, "ValidationError"] }),
  put("what there is already, in another order and twice", [keepers, members, owners, owners]),
  put(
    "several roles, groups and people at once",
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
      ["a role that there is not", [owners, { id: 99 }], "body.roles.1.id"],
      ["a role for the whole instance", [owners, { id: 1, users: [3] }], "body.roles.1.id"],
      ["an unknown user", [{ id: OWNER, users: [2, 77] }], "body.roles.0.users.1"],
      ["an unknown group", [{ id: OWNER, users: [2], groups: [9] }], "body.roles.0.groups.0"],
      ["a user by name", [{ id: OWNER, users: ["2"] }], "body.roles.0.users.0"],
      ["half a user", [{ id: OWNER, users: [2.5] }], "body.roles.0.users.0"],
      ["a role without an id", [{ users: [2] }], "body.roles.0.id"],
    ] as const
  ).map(([name, roles, path]) =>
    put(name, roles, {
      expect: [400, "ValidationError"],
      see: (body: object) => assert.ok(JSON.stringify(body).includes(path), JSON.stringify(body)),
    }),
  ),
  put("nobody owns it any more", [members, keepers], { expect: [409, "ProjectWithoutOwnerError"] }),
  // Who keeps the access without owning the project can't make himself, or his friends, more than he is.
  put("a keeper makes himself an owner", [{ id: OWNER, users: [2, 3] }, members, keepers], {
    as: personal(3),
    expect: [403, "NoAccessError"],
  }),
  put("a keeper takes a role from others", [owners, keepers], {
    as: personal(3),
    expect: [403, "NoAccessError"],
  }),
  put("a keeper shares his own role", [owners, members, { id: KEEPER, users: [3, 4] }], {
    as: personal(3),
    records: [{ type: "project-access-updated" }],
  }),
]);

test("access counts at once, also where an answer was kept, and ends the same way", async (t) => {
  const { request } = await openServer(t, withAccess(createWorld()).feature("f", "a"));
  const read = (user: number) => request("/api/admin/projects/a/features/f", { as: personal(user) });
  const give = async (roles: object[]) =>
    assert.equal((await request(ACCESS, { method: "PUT", body: { roles } })).status, 200);
  assert.equal((await read(4)).status, 200, "by the group");
  await give([owners]);
  assert.equal((await read(4)).status, 403);
  await give([owners, { id: MEMBER, users: [4] }]);
  assert.equal((await read(4)).status, 200);
  const make = () =>
    request("/api/admin/projects/a/features", { method: "POST", body: { name: "g" }, as: personal(4) });
  assert.equal((await make()).status, 201, "a member changes what is in it");
  const elsewhere = { method: "PUT", body: { roles: [{ id: OWNER, users: [4] }] }, as: personal(2) };
  assert.equal((await request("/api/admin/projects/b/access", elsewhere)).status, 403, "an owner of another");
});
