import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { COOKIE, cookieOf, openForNina, PASSWORD } from "../sign-in/signing-in.ts";
import { badBodies, withCustomRole, withCustomRoot } from "../support/bad-bodies.ts";
import {
  assertRecorded,
  importLines,
  openServer,
  type Scenario,
  scenarios,
  watchLog,
} from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

/*
 * Attempts to gain more than one is entitled to: a password, another user's session, another role, another user's name.
 */

const A = "/api/admin";
const LATER = "2099-01-01T00:00:00.000Z";
const NO_ACCESS: [number, string] = [403, "NoAccessError"];

// Passwords and sessions

test("trying one password on many names is throttled like trying many passwords on one name", async (t) => {
  const { signIn } = await openForNina(t);
  const statuses: number[] = [];
  for (let count = 0; count < 12; count++) statuses.push((await signIn(`user${count}`, PASSWORD)).status);
  assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
});

test("a forged address in a header of an untrusted client does not evade the throttle", async (t) => {
  const { request } = await openForNina(t);
  const statuses: number[] = [];
  for (let count = 0; count < 12; count++) {
    const headers = { "x-forwarded-for": `10.0.0.${count}`, forwarded: `for=10.0.0.${count}` };
    const body = { username: `user${count}`, password: "wrong" };
    statuses.push((await request("/auth/simple/login", { method: "POST", as: null, headers, body })).status);
  }
  assert.deepEqual(statuses.slice(10), [429, 429]);
});

test("signing in replaces a session id planted in the browser", async (t) => {
  const { request, db } = await openForNina(t);
  const planted = "f".repeat(64);
  const body = { username: "nina", password: PASSWORD };
  const headers = { cookie: `${COOKIE}=${planted}` };
  const signedIn = await request("/auth/simple/login", { method: "POST", as: null, headers, body });
  const cookie = cookieOf(signedIn.headers);
  assert.notEqual(cookie, `${COOKIE}=${planted}`);
  const status = async (sent: string) =>
    (await request(`${A}/user`, { as: null, headers: { cookie: sent } })).status;
  assert.deepEqual([await status(headers.cookie), await status(cookie)], [401, 200]);
  assert.equal(db.prepare("SELECT count(*) FROM sessions").pluck().get(), 1);
});

/** A stolen cookie of Nina's, and the response the thief gets. */
async function openWithThief(t: TestContext) {
  const server = await openForNina(t);
  const stolen = await server.signedIn();
  const asNina = (path: string, method = "GET", body?: unknown, cookie = stolen) =>
    server.request(path, { method, as: null, headers: { cookie }, ...(body !== undefined && { body }) });
  return { ...server, stolen, asNina, thief: async () => (await asNina(`${A}/user`)).status };
}

const NEW = "An0ther-Passw0rd!x9";

for (const [name, end] of [
  ["signing out", ({ asNina }) => asNina("/logout", "POST")],
  [
    "a changed password",
    async ({ asNina, signedIn }) => {
      const body = { password: NEW, confirmPassword: NEW, oldPassword: PASSWORD };
      return asNina(`${A}/user/change-password`, "POST", body, await signedIn());
    },
  ],
  [
    "an administrator setting a new password",
    ({ request }) =>
      request(`${A}/user-admin/5/change-password`, { method: "POST", body: { password: NEW } }),
  ],
  ["deleting the user", ({ request }) => request(`${A}/user-admin/5`, { method: "DELETE" })],
] as Array<[string, (site: Awaited<ReturnType<typeof openWithThief>>) => Promise<{ status: number }>]>) {
  test(`a stolen cookie is worthless after ${name}, even for responses cached for it`, async (t) => {
    const site = await openWithThief(t);
    assert.equal(await site.thief(), 200);
    assert.ok((await end(site)).status < 400);
    assert.equal(await site.thief(), 401);
  });
}

test("a stolen cookie can't change the password, and is revoked when the password changes", async (t) => {
  const { asNina } = await openWithThief(t);
  const body = { password: NEW, confirmPassword: NEW, oldPassword: "guessed" };
  assert.equal((await asNina(`${A}/user/change-password`, "POST", body)).status, 401);
});

test("revoking a role takes effect in open sessions", async (t) => {
  const { asNina, request } = await openWithThief(t);
  const make = (name: string) => asNina(`${A}/projects/default/features`, "POST", { name });
  assert.equal((await make("one")).status, 201);
  await request(`${A}/user-admin/5`, { method: "PUT", body: { rootRole: 3 } });
  assert.equal((await make("two")).status, 403);
});

// Privilege escalation

const world = (w: World) =>
  w.project("default").project("a").project("b").project("hidden", { mode: "private" }).group("crew", [3]);

/** Attempts by an Owner of `a`. */
const tries = (name: string, more: Partial<Scenario>): Scenario => ({
  name,
  as: personal(3),
  given: (w) => world(w).member("a", 3, 4),
  expect: NO_ACCESS,
  ...more,
});

scenarios(`PUT ${A}/user-admin/3`, [
  tries("making oneself an Admin", { body: { rootRole: 1 } }),
  tries("making oneself an Admin, by name of the role", { body: { rootRole: "Admin" } }),
  tries("taking another name", { body: { name: "admin" } }),
]);
scenarios(`POST ${A}/user-admin`, [
  tries("creating another user who is an Admin", { body: { username: "x", rootRole: 1 } }),
]);
scenarios(`POST ${A}/service-account`, [
  tries("creating a service account that is an Admin", { body: { username: "x", name: "x", rootRole: 1 } }),
]);
scenarios(`POST ${A}/service-account/5/token`, [
  tries("creating a token for an Admin service account", {
    given: (w) => world(w).user({ rootRole: 1, accountType: "Service Account" }),
    body: { description: "x", expiresAt: LATER },
  }),
]);
scenarios(`POST ${A}/roles`, [
  tries("creating a role with all permissions", {
    body: { name: "x", type: "root-custom", permissions: [{ name: "ADMIN" }] },
  }),
]);
scenarios(`PUT ${A}/roles/7`, [
  tries("adding permissions to one's own role", {
    given: withCustomRole(world, { name: "UPDATE_FEATURE" }),
    body: { name: "Custom", permissions: [{ name: "UPDATE_PROJECT" }] },
  }),
]);
scenarios(`PUT ${A}/groups/1`, [
  tries("making one's own group Admins", {
    body: { name: "crew", rootRole: 1, users: [{ user: { id: 3 } }] },
  }),
]);
scenarios(`POST ${A}/invite-link/tokens`, [
  tries("inviting friends", { body: { name: "x", expiresAt: LATER } }),
]);
scenarios(`POST ${A}/user-admin/reset-password`, [
  tries("requesting a link for another user's password", { body: { id: "edith@example.com" } }),
]);
scenarios(`POST ${A}/user-admin/1/change-password`, [
  tries("setting another user's password", { body: { password: NEW } }),
]);

for (const [path, method, body] of [
  ["/projects/b", "PUT", { name: "mine" }],
  ["/projects/b/access", "PUT", { roles: [{ id: 4, users: [3] }] }],
  ["/projects/b/access", "POST", { roles: [4], users: [3] }],
  ["/projects/b/users/3/roles", "PUT", { roles: [4] }],
  ["/projects/b/groups/1/roles", "PUT", { roles: [4] }],
  ["/projects/b/role/4/access", "POST", { users: [{ id: 3 }] }],
  ["/projects/b/settings", "PUT", { mode: "open" }],
  ["/projects/b/features", "POST", { name: "f" }],
  ["/projects/b/api-tokens", "POST", { tokenName: "x", type: "client", environment: "development" }],
  ["/projects/default/features", "POST", { name: "f" }],
] as const)
  scenarios(`${method} ${A}${path}`, [tries("an Owner of a can do nothing in another project", { body })]);

for (const [path, method, body] of [
  ["/projects/a/access", "PUT", { roles: [{ id: 4, users: [3, 4] }] }],
  ["/projects/a/access", "POST", { roles: [4], users: [3] }],
  ["/projects/a/access", "POST", { roles: [5], groups: [1] }],
  ["/projects/a/users/3/roles", "PUT", { roles: [7, 4] }],
  ["/projects/a/groups/1/roles", "PUT", { roles: [4] }],
  ["/projects/a/role/4/access", "POST", { users: [{ id: 3 }] }],
] as const)
  scenarios(`${method} ${A}${path}`, [
    tries("changing a project without being its Owner does not allow assigning a role that one lacks", {
      given: withCustomRole((w) => world(w).member("a", 4, 4), { name: "UPDATE_PROJECT" }),
      body,
    }),
  ]);
scenarios(`PUT ${A}/projects/default/access`, [
  tries("an Editor, who can change the default project, can't become its Owner", {
    as: personal(2),
    body: { roles: [{ id: 4, users: [2] }] },
  }),
]);

scenarios(`POST ${A}/projects/a/access`, [
  tries("a root role can't be assigned in a project", {
    body: { roles: [1], users: [3] },
    expect: [400, "ValidationError"],
  }),
]);

test("a root role assigned in a project grants nothing instance-wide", async (t) => {
  const role = {
    id: 7,
    name: "x",
    type: "custom",
    permissions: [{ name: "ADMIN" }, { name: "CREATE_PROJECT" }],
  };
  const { request } = await openServer(t, world(createWorld()).add("role", role).member("a", 3, 7));
  const send = (path: string, body: object) => request(path, { method: "POST", as: personal(3), body });
  assert.equal((await request(`${A}/user-admin`, { as: personal(3) })).status, 403);
  assert.equal((await send(`${A}/projects`, { name: "mine" })).status, 403);
  assert.equal((await send(`${A}/projects/a/features`, { name: "f" })).status, 403);
});

const token = { tokenName: "x", type: "client", environment: "development", projects: ["a"] };
const maker = (...permissions: string[]) => withCustomRoot(world, ...permissions.map((name) => ({ name })));

scenarios(`POST ${A}/api-tokens`, [
  ...[
    ["a token of another type", { ...token, type: "frontend" }],
    ["a token for everything", { tokenName: "x", type: "admin", environment: "*", projects: ["*"] }],
    ["the same in capitals", { tokenName: "x", type: "ADMIN", environment: "*", projects: ["*"] }],
    ["a token for a project hidden from the caller", { ...token, projects: ["a", "hidden"] }],
    ["a token for all projects, including hidden ones", { ...token, projects: ["*"] }],
    ["the same with no project named", { ...token, projects: undefined }],
  ].map(
    ([name, body]): Scenario => ({
      name: `a caller who may create client tokens: ${name}`,
      as: personal(5),
      given: maker("CREATE_CLIENT_API_TOKEN"),
      body,
      expect: NO_ACCESS,
    }),
  ),
]);

scenarios(`POST ${A}/projects/a/api-tokens`, [
  tries("a token for everything through a project", {
    body: { tokenName: "x", type: "admin", environment: "*" },
    expect: [400, "ValidationError"],
  }),
  tries("a token that includes another project", {
    body: { ...token, projects: ["a", "b"] },
    expect: [400, "ValidationError"],
  }),
]);

test("other users' things look missing", async (t) => {
  const recipients = [{ userId: 4 }];
  const { request, db } = await openServer(t, world(createWorld()).notification({ recipients }));
  const recorded = watchLog(db);
  const mine = db.prepare("SELECT id FROM tokens WHERE user_id = 4").pluck().get();
  const asThree = (method: string, path: string, body?: object) =>
    request(path, { method, as: personal(3), ...(body && { body }) });
  assert.equal((await asThree("DELETE", `${A}/user/tokens/${mine}`)).status, 404);
  await asThree("POST", `${A}/notifications/read`, { notifications: [1] });
  assert.equal((await request(`${A}/notifications`, { as: personal(4) })).body[0].readAt, null);
  assert.equal((await asThree("GET", `${A}/user-admin/4`)).status, 403);
  assertRecorded(recorded(), []);
});

scenarios(`DELETE ${A}/archive/secret`, [
  {
    name: "a flag of a hidden project is refused without the project's name",
    as: personal(3),
    given: (w) => world(w).feature("secret", "hidden", { archivedAt: "2026-01-02T00:00:00Z" }),
    expect: NO_ACCESS,
    see: (_, { text }) => assert.ok(!text.includes("hidden"), text),
  },
]);

// The last Admin

const lastAdmin = (name: string, more: Partial<Scenario>): Scenario => ({
  name: `the last Admin: ${name}`,
  expect: [403, "InvalidOperationError"],
  ...more,
});
/** Users 3 and 5 also have ADMIN, one through a group and one through a custom role; both can lose it at any time. */
const others = (w: World) =>
  withCustomRoot((one) => one.group("g", [3], { rootRole: 1 }), { name: "ADMIN" })(w);

scenarios(`PUT ${A}/user-admin/1`, [
  lastAdmin("demoting oneself", { body: { rootRole: 3 } }),
  lastAdmin("demoted by an Admin through a group", { as: personal(3), given: others, body: { rootRole: 3 } }),
  lastAdmin("demoted by an Admin through a custom role", {
    as: personal(5),
    given: others,
    body: { rootRole: 8 },
  }),
]);
scenarios(`DELETE ${A}/user-admin/1`, [
  lastAdmin("deleting oneself", {}),
  lastAdmin("deleted by an Admin through a group", { as: personal(3), given: others }),
]);
scenarios(`POST ${A}/user-admin/inactive/delete`, [
  lastAdmin("deleted together with others", { as: personal(3), given: others, body: { ids: [4, 1] } }),
]);
scenarios(`DELETE ${A}/service-account/1`, [
  lastAdmin("deleted as a service account", { expect: [404, "NotFoundError"] }),
]);

test("an import can't replace the last Admin", async (t) => {
  const { db } = await openServer(t);
  for (const [line, reason] of [
    [{ kind: "user", id: 1, username: "admin", rootRole: 3 }, /line 2.*(id|username)/],
    [{ kind: "role", id: 1, name: "Nobody", type: "root" }, /built in/],
  ] as const)
    await assert.rejects(importLines(db, [{ kind: "dataset", version: 1 }, line]), reason);
  assert.equal(db.prepare("SELECT root_role FROM users WHERE id = 1").pluck().get(), 1);
});

test("if two Admins demote each other concurrently, one remains", async (t) => {
  const { request } = await openServer(t, createWorld().user({ rootRole: 1 }));
  const demote = (id: number, as: number) =>
    request(`${A}/user-admin/${id}`, { method: "PUT", as: personal(as), body: { rootRole: 3 } });
  const replies = await Promise.all([demote(1, 5), demote(5, 1)]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 403]);
});

// Names

const NAMES = [
  ["another letter case", "ADMIN"],
  ["a Cyrillic а", "аdmin"],
  ["a Greek ι", "admιn"],
  ["full-width letters", "ａｄｍｉｎ"],
  ["an invisible space", "ad\u200bmin"],
  ["a Braille pattern without dots", "admin\u2800"],
  ["a soft hyphen", "ad\u00admin"],
  ["a Greek capital Μ", "adΜin"],
  ["a Cyrillic capital М", "ADМIN"],
  ["capitals of other alphabets only", "АDΜΙΝ"],
] as const;

scenarios(`POST ${A}/user-admin`, [
  ...badBodies({}, [
    ...NAMES.map(([name, username]): [string, unknown, string] => [
      `a username that looks like another's: ${name}`,
      { username, rootRole: 3 },
      "body.username",
    ]),
    [
      "a username that looks like an e-mail address",
      { username: "еdith@example.com", rootRole: 3 },
      "body.username",
    ],
    ["a username with a direction override", { username: "nina\u202Enimda", rootRole: 3 }, "body.username"],
    ["a username with a line break", { username: "nina\r\nSet-Cookie: a=b", rootRole: 3 }, "body.username"],
    ["an overlong username", { username: "x".repeat(256), rootRole: 3 }, "body.username"],
    ["an overlong name", { username: "x", name: "x".repeat(256), rootRole: 3 }, "body.name"],
    ["an overlong e-mail address", { email: `${"x".repeat(244)}@example.com`, rootRole: 3 }, "body.email"],
    ["an invisible username", { username: "\u200b\u2800", rootRole: 3 }, "body.username"],
    [
      "an e-mail address with a line break",
      { email: "a@example.com\r\nBcc: b@example.com", rootRole: 3 },
      "body.email",
    ],
  ]),
  {
    name: "a username in another script that resembles nobody's",
    body: { username: "Ада Лавлейс", rootRole: 3 },
    expect: 201,
    records: [{ type: "user-created" }],
  },
]);
scenarios(`POST ${A}/service-account`, [
  ...NAMES.map(
    ([name, username]): Scenario => ({
      name: `a username that resembles another: ${name}`,
      body: { username, name: "x", rootRole: 3 },
      expect: [409, "NameExistsError"],
    }),
  ),
]);

test("a name with line breaks appears in no header and no log line", async (t) => {
  const { request, logged } = await openServer(t, createWorld().project("default"));
  const evil = "x\r\nset-cookie: a=b\r\n\r\n<html>";
  for (const [path, body] of [
    [`${A}/projects`, { name: evil }],
    [`${A}/segments`, { name: evil, constraints: [] }],
    [`${A}/context`, { name: evil }],
    [`${A}/groups`, { name: evil }],
    [`${A}/roles`, { name: evil, permissions: [] }],
    [`${A}/tag-types`, { name: evil }],
    [`${A}/user/tokens`, { description: evil, expiresAt: LATER }],
    [`${A}/api-tokens`, { tokenName: evil, type: "client", environment: "development" }],
    [`${A}/invite-link/tokens`, { name: evil, expiresAt: LATER }],
    [`${A}/banners`, { message: evil }],
  ] as const) {
    const { status, headers } = await request(path, { method: "POST", body });
    assert.ok(status < 500, path);
    assert.equal(headers.get("set-cookie"), null, path);
    for (const [name, value] of headers) assert.ok(!/[\r\n]/.test(value), `${path} ${name}`);
  }
  assert.ok(logged.every(({ message }) => !message.includes("\n")));
});
