import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies, withCustomRoot } from "../support/bad-bodies.ts";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const ROLES = "/api/admin/roles";

/** Role 6. */
const withRole = (w: World) =>
  w.add("role", {
    id: 6,
    name: "Keeper",
    type: "custom",
    description: "d",
    permissions: [{ name: "UPDATE_FEATURE_ENVIRONMENT", environment: "production" }],
  });

const VALID = { name: "Guard", permissions: [{ name: "CREATE_FEATURE" }] };

scenarios(`POST ${ROLES}/validate`, [
  { name: "a role that can be created", body: VALID },
  { name: "a name that is taken", body: { ...VALID, name: "editor" }, expect: [409, "NameExistsError"] },
  ...badBodies({}, [
    ["no name", { permissions: [] }, "body.name"],
    ["an unknown permission", { ...VALID, permissions: [{ name: "X" }] }, "body.permissions.0.name"],
  ]),
]);

/** With their ids there. */
const OF_UNLEASH_8 = {
  "root-custom": {
    ...{
      RELEASE_PLAN_TEMPLATE_CREATE: 70,
      RELEASE_PLAN_TEMPLATE_UPDATE: 71,
      RELEASE_PLAN_TEMPLATE_DELETE: 72,
    },
    ...{ UPDATE_MAINTENANCE_MODE: 73, UPDATE_INSTANCE_BANNERS: 74, UPDATE_AUTH_CONFIGURATION: 75 },
    ...{ READ_LOGS: 76, UPDATE_CORS: 77 },
  },
  custom: { UPDATE_PROJECT_CONTEXT: 78, UPDATE_PROJECT_RELEASE_TEMPLATE: 79 },
};

test("roles can have the permissions that Unleash 7 and 8 added", async (t) => {
  const { request } = await openServer(t, createWorld());
  for (const [type, ids] of Object.entries(OF_UNLEASH_8)) {
    const permissions = Object.keys(ids).map((name) => ({ name }));
    const create = { method: "POST", body: { name: type, description: "", type, permissions } };
    const { id } = (await request(ROLES, create)).body.roles;
    const { body } = await request(`${ROLES}/${id}`);
    const granted = body.permissions.map(({ name, id }: { name: string; id: number }) => [name, id]);
    assert.deepEqual(Object.fromEntries(granted), ids);
  }
});

scenarios("GET /api/admin/permissions", [
  {
    name: "each with its id, environment permissions for each environment",
    as: personal(3),
    see: ({ permissions: { root, project, environments } }) => {
      assert.deepEqual(root[0], { id: 1, name: "ADMIN", displayName: "Admin", type: "root" });
      assert.ok(project.some(({ name }: { name: string }) => name === "CREATE_FEATURE"));
      assert.deepEqual(
        environments.map(({ name }: { name: string }) => name),
        ["development", "production"],
      );
      assert.equal(environments[1].permissions[0].environment, "production");
    },
  },
]);

scenarios(`GET ${ROLES}`, [
  {
    name: "READ_ROLE is enough",
    as: personal(5),
    given: withCustomRoot((w) => w, { name: "READ_ROLE" }),
    see: ({ roles }) =>
      assert.deepEqual(roles.at(-1), { id: 8, name: "Custom root", type: "root-custom", description: "" }),
  },
]);

scenarios(`GET ${ROLES}/`, [
  {
    name: "a custom one",
    url: "6",
    as: personal(3),
    given: withRole,
    see: (body) =>
      assert.deepEqual(body, {
        id: 6,
        name: "Keeper",
        type: "custom",
        description: "d",
        permissions: [
          {
            id: 28,
            name: "UPDATE_FEATURE_ENVIRONMENT",
            displayName: "Enable/disable flags",
            type: "environment",
            environment: "production",
          },
        ],
      }),
  },
  {
    name: "a built-in one",
    url: "1",
    see: ({ permissions }) =>
      assert.deepEqual(
        permissions.map(({ name }: { name: string }) => name),
        ["ADMIN"],
      ),
  },
  { name: "an unknown one", url: "99", expect: [404, "NotFoundError"] },
  { name: "not a number", url: "x", expect: [400, "ValidationError"] },
]);

const body = { name: "Releaser", type: "custom", permissions: [{ name: "CREATE_FEATURE" }] };

scenarios(`POST ${ROLES}`, [
  {
    name: "one for projects",
    as: SERVICE,
    body: { ...body, permissions: [{ id: 2 }, { name: "CREATE_FEATURE", environment: "" }] },
    see: (answer) =>
      assert.deepEqual(answer, {
        version: 1,
        roles: { id: 6, name: "Releaser", type: "custom", description: "" },
      }),
    records: [
      {
        type: "role-created",
        preData: null,
        data: {
          id: 6,
          name: "Releaser",
          type: "custom",
          description: "",
          permissions: [{ id: 2, name: "CREATE_FEATURE", environment: null }],
        },
      },
    ],
  },
  {
    name: "one for the whole instance",
    body: {
      name: "Auditor",
      description: "reads",
      type: "root-custom",
      permissions: [{ name: "READ_ROLE" }],
    },
    see: ({ roles }) => assert.equal(roles.type, "root-custom"),
    records: [{ type: "role-created" }],
  },
  { name: "without permissions", body: { name: "Nothing" }, records: [{ type: "role-created" }] },
  {
    name: "a name that is taken, in another letter case",
    body: { ...body, name: "ADMIN" },
    expect: [409, "NameExistsError"],
  },
  ...badBodies({}, [
    ["no name", {}, "body.name"],
    ["an empty name", { ...body, name: " " }, "body.name"],
    ["an unknown type", { ...body, type: "root" }, "body.type"],
    ["an unknown permission", { ...body, permissions: [{ name: "FLY" }] }, "body.permissions.0.name"],
    ["an unknown id", { ...body, permissions: [{ id: 999 }] }, "body.permissions.0.name"],
    ["an inherited property", { ...body, permissions: [{ name: "constructor" }] }, "body.permissions.0.name"],
    ["one for the whole instance", { ...body, permissions: [{ name: "ADMIN" }] }, "body.permissions.0.name"],
    [
      "an environment for a permission without one",
      { ...body, permissions: [{ name: "CREATE_FEATURE", environment: "production" }] },
      "body.permissions.0.environment",
    ],
    [
      "an unknown environment",
      { ...body, permissions: [{ name: "UPDATE_FEATURE_ENVIRONMENT", environment: "moon" }] },
      "body.permissions.0.environment",
    ],
  ]),
]);

scenarios(`PUT ${ROLES}/`, [
  {
    name: "every property",
    url: "6",
    given: withRole,
    body,
    see: ({ roles }) => assert.deepEqual(roles, { id: 6, name: "Releaser", type: "custom", description: "" }),
    records: [
      {
        type: "role-updated",
        data: {
          id: 6,
          name: "Releaser",
          type: "custom",
          description: "",
          permissions: [{ id: 2, name: "CREATE_FEATURE", environment: null }],
        },
        preData: {
          id: 6,
          name: "Keeper",
          type: "custom",
          description: "d",
          permissions: [{ id: 28, name: "UPDATE_FEATURE_ENVIRONMENT", environment: "production" }],
        },
      },
    ],
  },
  {
    name: "its own name again",
    url: "6",
    given: withRole,
    body: { name: "keeper" },
    records: [{ type: "role-updated" }],
  },
  {
    name: "a name that is taken",
    url: "6",
    given: withRole,
    body: { name: "Owner" },
    expect: [409, "NameExistsError"],
  },
  { name: "a built-in one", url: "5", body, expect: [403, "InvalidOperationError"] },
  { name: "an unknown one", url: "99", body, expect: [404, "NotFoundError"] },
]);

scenarios(`DELETE ${ROLES}/`, [
  {
    name: "an unused one",
    url: "6",
    given: withRole,
    records: [{ type: "role-deleted", data: null }],
  },
  {
    name: "one in use",
    url: "6",
    given: (w) => withRole(w).project("a").member("a", 3, 6),
    expect: [400, "RoleInUseError"],
  },
  { name: "a built-in one", url: "1", expect: [403, "InvalidOperationError"] },
  { name: "an unknown one", url: "99", expect: [404, "NotFoundError"] },
]);

const GROUPS = "/api/admin/groups";
const withGroup = (w: World) =>
  w.project("a").group("crew", [3, 4], { description: "d" }).groupMember("a", 1);

scenarios(`GET ${GROUPS}`, [
  {
    name: "with their users",
    given: withGroup,
    see: ({ groups: [group] }) => {
      assert.partialDeepStrictEqual(group, {
        ...{ id: 1, name: "crew", description: "d", mappingsSSO: [], rootRole: null, scimId: null },
        ...{ projects: ["a"], userCount: 2 },
      });
      assert.deepEqual(
        group.users.map(({ user }: { user: { id: number } }) => user.id),
        [3, 4],
      );
    },
  },
]);

scenarios(`GET ${GROUPS}/`, [
  { name: "one", url: "1", given: withGroup, see: ({ name }) => assert.equal(name, "crew") },
  { name: "an unknown one", url: "9", expect: [404, "NotFoundError"] },
  { name: "not a number", url: "x", expect: [400, "ValidationError"] },
]);

const crew = {
  name: "team",
  rootRole: 2,
  mappingsSSO: ["x"],
  users: [{ user: { id: 3 } }, { user: { id: 3 } }],
};

scenarios(`POST ${GROUPS}`, [
  {
    name: "every property",
    body: crew,
    expect: 201,
    see: ({ users, ...group }) => {
      assert.partialDeepStrictEqual(group, {
        ...{ id: 1, name: "team", rootRole: 2, mappingsSSO: ["x"], createdBy: "admin", userCount: 1 },
      });
      assert.equal(users[0].user.id, 3);
      assert.ok(users[0].joinedAt);
    },
    records: [{ type: "group-created", preData: null }],
  },
  {
    name: "a name that is taken",
    given: withGroup,
    body: { name: "crew" },
    expect: [409, "NameExistsError"],
  },
  ...badBodies({}, [
    ["no name", {}, "body.name"],
    ["an unknown user", { name: "x", users: [{ user: { id: 99 } }] }, "body.users.0.user.id"],
    ["a user without an id", { name: "x", users: [{ user: {} }] }, "body.users.0.user.id"],
    ["a project role", { name: "x", rootRole: 4 }, "body.rootRole"],
    ["a role by its name", { name: "x", rootRole: "Admin" }, "body.rootRole"],
  ]),
]);

scenarios(`PUT ${GROUPS}/`, [
  {
    name: "every property",
    url: "1",
    given: withGroup,
    body: crew,
    see: ({ name, userCount }) => assert.deepEqual([name, userCount], ["team", 1]),
    records: [{ type: "group-updated" }],
  },
  {
    name: "the users stay if none are given",
    url: "1",
    given: withGroup,
    body: { name: "crew" },
    see: ({ userCount }) => assert.equal(userCount, 2),
    records: [{ type: "group-updated" }],
  },
  { name: "an unknown one", url: "9", body: crew, expect: [404, "NotFoundError"] },
]);

scenarios(`DELETE ${GROUPS}/`, [
  { name: "one", url: "1", given: withGroup, records: [{ type: "group-deleted", data: null }] },
  { name: "an unknown one", url: "9", expect: [404, "NotFoundError"] },
]);

test("the permissions of roles and groups take effect, and are lost, at once", async (t) => {
  const { request, db } = await openServer(t);
  const may = async () => (await request("/api/admin/user-admin", { as: personal(3) })).status;
  const post = (path: string, sent: object) => request(path, { method: "POST", body: sent });
  assert.equal(await may(), 403);
  const { roles } = (await post(ROLES, { name: "A", type: "root-custom", permissions: [{ name: "ADMIN" }] }))
    .body;
  const { id } = (await post(GROUPS, { name: "g", rootRole: roles.id, users: [{ user: { id: 3 } }] })).body;
  assert.equal(await may(), 200);
  await request(`${ROLES}/${roles.id}`, { method: "PUT", body: { name: "A", permissions: [] } });
  assert.equal(await may(), 403);
  await request(`${GROUPS}/${id}`, { method: "PUT", body: { name: "g", rootRole: 1 } });
  assert.equal(await may(), 200);
  await request(`${GROUPS}/${id}`, { method: "DELETE" });
  assert.equal(await may(), 403);
  assert.ok(db.open);
});
