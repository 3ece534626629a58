import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { inWriting } from "../../src/db/transaction.ts";
import { keepSecrets } from "../../src/people/token-secrets.ts";
import { openServer } from "../support/server.ts";
import { createWorld, SERVICE } from "../support/world.ts";

/*
 * The requests of a Terraform provider during apply, refresh, update and destroy: every resource it supports, each with
 * the keys that its generated client relies on.
 */

const A = "/api/admin";
const LATER = "2099-01-01T00:00:00.000Z";

const ROLE = ["id", "type", "name"];
const USER = ["id", "name", "email", "username", "rootRole", "createdAt", "imageUrl"];
const GROUP = [
  "id",
  "name",
  "description",
  "mappingsSSO",
  "rootRole",
  "createdBy",
  "createdAt",
  "users",
  "projects",
];
const ENVIRONMENT = ["name", "type", "enabled", "protected", "sortOrder"];
const TOKEN = ["id", "createdAt", "description", "expiresAt"];
const ACCOUNT = ["id", "name", "username", "rootRole", "createdAt", "tokens"];
const API_TOKEN = [
  "secret",
  "tokenName",
  "type",
  "environment",
  "projects",
  "expiresAt",
  "createdAt",
  "seenAt",
];

/** A provider with an admin token, which fails on an unexpected status or a missing key. */
async function provider(t: TestContext) {
  const { request, db } = await openServer(t, createWorld().project("default"));
  inWriting(db, keepSecrets); // --readable-token-secrets
  return async (method: string, path: string, status: number, body?: unknown, keys: string[] = []) => {
    const reply = await request(A + path, { method, as: SERVICE, ...(body !== undefined && { body }) });
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    for (const key of keys) assert.ok(key in reply.body, `${method} ${path} has ${key}`);
    return reply.body;
  };
}

test("a user", async (t) => {
  const send = await provider(t);
  const user = { username: "nina", name: "Nina", email: "nina@example.com", rootRole: 3, sendEmail: false };
  const { id } = await send("POST", "/user-admin", 201, user, USER);
  const read = await send("GET", `/user-admin/${id}`, 200, undefined, USER);
  assert.partialDeepStrictEqual(read, { username: "nina", email: "nina@example.com", rootRole: 3 });
  await send("PUT", `/user-admin/${id}`, 200, { name: "Nina N.", email: "nina@example.com", rootRole: 2 });
  assert.equal((await send("GET", `/user-admin/${id}`, 200)).rootRole, 2);
  await send("GET", "/user-admin/search?q=nina", 200);
  await send("DELETE", `/user-admin/${id}`, 200);
  await send("GET", `/user-admin/${id}`, 404);
});

for (const [type, permissions] of [
  ["root-custom", [{ name: "CREATE_PROJECT" }]],
  ["custom", [{ name: "UPDATE_FEATURE_STRATEGY", environment: "development" }, { name: "CREATE_FEATURE" }]],
] as const) {
  test(`a role of the type ${type}`, async (t) => {
    const send = await provider(t);
    const role = { name: "Keeper", description: "Keeps", type, permissions };
    const { version, roles } = await send("POST", "/roles", 200, role, ["version", "roles"]);
    assert.equal(version, 1);
    for (const key of ROLE) assert.ok(key in roles, key);
    const read = await send("GET", `/roles/${roles.id}`, 200, undefined, [...ROLE, "permissions"]);
    assert.equal(read.type, type);
    assert.equal(read.permissions.length, permissions.length);
    for (const key of ["id", "name", "displayName", "type"]) assert.ok(key in read.permissions[0], key);
    await send("PUT", `/roles/${roles.id}`, 200, { ...role, name: "Warden" }, ["version", "roles"]);
    const all = await send("GET", "/roles", 200, undefined, ["version", "roles"]);
    assert.ok(all.roles.some(({ name }: { name: string }) => name === "Warden"));
    await send("DELETE", `/roles/${roles.id}`, 200);
    await send("GET", `/roles/${roles.id}`, 404);
  });
}

test("the permissions", async (t) => {
  const send = await provider(t);
  const { permissions } = await send("GET", "/permissions", 200, undefined, ["version", "permissions"]);
  for (const list of [permissions.root, permissions.project, permissions.environments[0].permissions])
    for (const key of ["id", "name", "displayName", "type"]) assert.ok(key in list[0], key);
});

test("a group", async (t) => {
  const send = await provider(t);
  const group = {
    name: "crew",
    description: "Ours",
    mappingsSSO: ["crew"],
    rootRole: 3,
    users: [{ user: { id: 3 } }],
  };
  const { id } = await send("POST", "/groups", 201, group, GROUP);
  const read = await send("GET", `/groups/${id}`, 200, undefined, GROUP);
  assert.equal(read.users[0].user.id, 3);
  await send("PUT", `/groups/${id}`, 200, { name: "team", rootRole: null, users: [] }, GROUP);
  assert.deepEqual((await send("GET", `/groups/${id}`, 200)).users, []);
  await send("POST", "/groups", 409, { name: "team" });
  const { groups } = await send("GET", "/groups", 200, undefined, ["groups"]);
  assert.equal(groups.length, 1);
  await send("DELETE", `/groups/${id}`, 200);
  await send("GET", `/groups/${id}`, 404);
});

test("an environment", async (t) => {
  const send = await provider(t);
  const environment = { name: "staging", type: "preproduction", enabled: true, sortOrder: 7 };
  await send("POST", "/environments", 201, environment, ENVIRONMENT);
  await send("PUT", "/environments/update/staging", 200, { type: "test", sortOrder: 8 }, ENVIRONMENT);
  const read = await send("GET", "/environments/staging", 200, undefined, ENVIRONMENT);
  assert.partialDeepStrictEqual(read, { name: "staging", type: "test", sortOrder: 8 });
  const of = await send("GET", "/environments/project/default", 200, undefined, ["version", "environments"]);
  for (const key of ENVIRONMENT) assert.ok(key in of.environments[0], key);
  await send("DELETE", "/environments/staging", 200);
  await send("GET", "/environments/staging", 404);
});

test("a project, its environments and its access", async (t) => {
  const send = await provider(t);
  const project = {
    id: "shop",
    name: "Shop",
    description: "All of it",
    mode: "private",
    environments: ["development"],
  };
  await send("POST", "/projects", 201, project, ["id", "name", "description", "mode", "environments"]);
  const change = {
    name: "The shop",
    description: "Most of it",
    mode: "protected",
    defaultStickiness: "userId",
  };
  await send("PUT", "/projects/shop", 200, change);
  const naming = { pattern: "[a-z-]+", example: "a-flag", description: "Small" };
  await send("PUT", "/projects/shop/settings", 200, {
    mode: "open",
    featureNaming: naming,
    linkTemplates: [],
  });
  const read = await send("GET", "/projects/shop/overview", 200, undefined, ["name", "description", "mode"]);
  assert.partialDeepStrictEqual(read, { name: "The shop", mode: "open", defaultStickiness: "userId" });
  await send("POST", "/projects/shop/environments", 200, { environment: "production" });
  await send("DELETE", "/projects/shop/environments/production", 200);
  const { id: group } = await send("POST", "/groups", 201, { name: "crew" });
  await send("PUT", "/projects/shop/access", 200, {
    roles: [
      { id: 4, users: [2], groups: [] },
      { id: 5, users: [3], groups: [group] },
    ],
  });
  const access = await send("GET", "/projects/shop/access", 200, undefined, ["groups", "users", "roles"]);
  assert.partialDeepStrictEqual(access.users, [
    { id: 2, roleId: 4, roles: [4] },
    { id: 3, roleId: 5, roles: [5] },
  ]);
  for (const key of ["name", "id", "roleId", "roles"]) assert.ok(key in access.groups[0], key);
  for (const key of ROLE) assert.ok(key in access.roles[0], key);
  await send("DELETE", "/projects/shop", 200);
  await send("GET", "/projects/shop/overview", 404);
});

test("a service account and its token", async (t) => {
  const send = await provider(t);
  const account = { username: "robot", name: "Robot", rootRole: 2 };
  const { id } = await send("POST", "/service-account", 201, account, ACCOUNT);
  await send("POST", "/service-account", 409, account);
  await send("PUT", `/service-account/${id}`, 200, { name: "Marvin", rootRole: 3 }, ACCOUNT);
  const token = { description: "ci", expiresAt: LATER };
  const made = await send("POST", `/service-account/${id}/token`, 201, token, [...TOKEN, "secret"]);
  const { pats } = await send("GET", `/service-account/${id}/token`, 200, undefined, ["pats"]);
  for (const key of TOKEN) assert.ok(key in pats[0], key);
  assert.ok(!("secret" in pats[0]));
  const { serviceAccounts } = await send("GET", "/service-account", 200, undefined, [
    "serviceAccounts",
    "rootRoles",
  ]);
  assert.partialDeepStrictEqual(serviceAccounts, [
    { id, name: "Marvin", rootRole: 3, tokens: [{ id: made.id }] },
  ]);
  await send("DELETE", `/service-account/${id}/token/${made.id}`, 200);
  await send("DELETE", `/service-account/${id}`, 200);
  await send("DELETE", `/service-account/${id}`, 404);
});

test("a token for an application", async (t) => {
  const send = await provider(t);
  const token = {
    tokenName: "shop",
    type: "client",
    environment: "development",
    projects: ["default"],
    expiresAt: LATER,
  };
  const { secret } = await send("POST", "/api-tokens", 201, token, API_TOKEN.slice(0, -1));
  // The token is found in the list by its secret; a second plan is clean if it is there as it was declared.
  const planned = async () => {
    const { tokens } = await send("GET", "/api-tokens", 200, undefined, ["tokens"]);
    return tokens.find((listed: { secret: string }) => listed.secret === secret);
  };
  const listed = await planned();
  for (const key of API_TOKEN) assert.ok(key in listed, key);
  assert.partialDeepStrictEqual(listed, token);
  const expiresAt = "2098-01-01T00:00:00.000Z";
  await send("PUT", `/api-tokens/${encodeURIComponent(secret)}`, 200, { expiresAt });
  assert.partialDeepStrictEqual(await planned(), { ...token, expiresAt });
  await send("DELETE", `/api-tokens/${encodeURIComponent(secret)}`, 200);
  assert.equal(await planned(), undefined);
});

test("an operator of Kubernetes finds its token by name, and writes its secret for the application", async (t) => {
  const send = await provider(t);
  await send("GET", "/instance-admin/statistics", 200, undefined, [
    "instanceId",
    "versionOSS",
    "versionEnterprise",
  ]);
  const reconciled = async () =>
    (await send("GET", "/api-tokens/shop-backend", 200, undefined, ["tokens"])).tokens;
  assert.deepEqual(await reconciled(), []);
  const token = {
    username: "shop-backend",
    type: "CLIENT",
    environment: "development",
    projects: ["default"],
  };
  const { secret } = await send("POST", "/api-tokens", 201, token, API_TOKEN.slice(0, 5));
  const [found] = await reconciled();
  assert.equal(found.secret, secret);
  await send("DELETE", `/api-tokens/${encodeURIComponent(found.secret)}`, 200);
  assert.deepEqual(await reconciled(), []);
});

test("a context field", async (t) => {
  const send = await provider(t);
  await send("POST", "/context", 201, {
    name: "plan",
    description: "",
    stickiness: true,
    legalValues: [{ value: "free" }],
  });
  await send("PUT", "/context/plan", 200, { description: "Which", stickiness: false, legalValues: [] });
  assert.partialDeepStrictEqual(await send("GET", "/context/plan", 200), {
    name: "plan",
    description: "Which",
  });
  await send("DELETE", "/context/plan", 200);
  await send("GET", "/context/plan", 404);
});

test("who must approve changes of an environment of a project", async (t) => {
  const send = await provider(t);
  const config = "/projects/default/environments/production/change-requests/config";
  const read = async () =>
    (await send("GET", "/projects/default/change-requests/config", 200)).find(
      ({ environment }: { environment: string }) => environment === "production",
    );
  const keys = { environment: "production", type: "production" };
  for (const [changeRequestsEnabled, requiredApprovals, answered] of [
    [true, 2, 2],
    [true, 3, 3], // a refresh and a change
    [false, 0, null], // a removal
    [false, 0, null], // once it was removed by somebody else
  ] as const) {
    await send("PUT", config, 204, { changeRequestsEnabled, requiredApprovals });
    const expected = { ...keys, changeRequestEnabled: changeRequestsEnabled, requiredApprovals: answered };
    assert.deepEqual(await read(), expected);
  }
  await send("POST", "/environments", 201, { name: "live", type: "production", requiredApprovals: 2 });
  assert.equal((await send("GET", "/environments/live", 200)).requiredApprovals, 2);
  await send("DELETE", "/environments/live", 200);
});
