import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { badBodies } from "../support/bad-bodies.ts";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { createWorld, SERVICE, type World } from "../support/world.ts";

const TOKENS = "/api/admin/invite-link/tokens";
const PASSWORD = "Str0ng-Passw0rd!x9";
const SECRET = "5".repeat(64);
const DAY_MS = 24 * 60 * 60 * 1000;

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

/** Invitation 1, through which user 4 signed up. */
const invitation =
  (line: object = {}) =>
  (w: World) =>
    w.add("invitation", {
      id: 1,
      name: "team",
      hash: hashSecret(SECRET),
      expiresAt: inDays(1),
      users: [4],
      ...line,
    });

const MASKED = { secret: "*****-1", url: "/new-user?invite=*****-1", name: "team", enabled: true };

scenarios(`GET ${TOKENS}`, [
  { name: "none", see: ({ tokens }) => assert.deepEqual(tokens, []) },
  {
    name: "without its secret, with the users who signed up",
    as: SERVICE,
    given: invitation(),
    see: ({ tokens: [token] }, { text }) => {
      assert.partialDeepStrictEqual(token, {
        ...MASKED,
        createdBy: null,
        users: [{ id: 4, name: null, username: "user4" }],
        role: { id: 3, name: "Viewer", type: "root" },
      });
      assert.ok(!text.includes(SECRET) && !text.includes(hashSecret(SECRET)));
    },
  },
]);

const body = { name: "team", expiresAt: inDays(2) };

const makes = (name: string, sent: typeof body, days: number, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  body: sent,
  expect: 201,
  records: [{ type: "public-signup-token-created", createdBy: "admin", preData: null, project: null }],
  see: ({ secret, ...token }, { headers }) => {
    assert.match(secret, /^[0-9a-f]{64}$/);
    assert.equal(headers.get("location"), `tokens/${secret}`);
    assert.equal(token.url, `/new-user?invite=${secret}`);
    assert.partialDeepStrictEqual(token, { name: sent.name, enabled: true, createdBy: "admin", users: [] });
    assert.ok(token.expiresAt <= inDays(days), "no later, seen from now");
    assert.ok(token.expiresAt > inDays(days - 0.1));
  },
  ...rest,
});

scenarios(`POST ${TOKENS}`, [
  makes("an Admin may", body, 2),
  makes("the expiry is limited to a month", { ...body, expiresAt: inDays(400) }, 30),
  makes("an expiry in the past", { ...body, expiresAt: inDays(-1) }, -1),
  ...badBodies({}, [
    ["no name", { expiresAt: body.expiresAt }, "body.name"],
    ["a name that is an object", { ...body, name: {} }, "body.name"],
    ["a name with NUL", { ...body, name: "\0" }, "body.name"],
    ["no end", { name: "team" }, "body.expiresAt"],
    ["null as the expiry", { ...body, expiresAt: null }, "body.expiresAt"],
    ["an invalid expiry", { ...body, expiresAt: "tomorrow" }, "body.expiresAt"],
  ]),
]);

for (const [name, token] of [
  ["its secret", SECRET],
  ["its masked secret", "*****-1"],
]) {
  scenarios(`GET ${TOKENS}/${token}`, [
    { name: `by ${name}`, given: invitation(), see: (found) => assert.partialDeepStrictEqual(found, MASKED) },
    { name: "none", expect: [404, "NotFoundError"] },
  ]);
}

scenarios(`PUT ${TOKENS}/*****-1`, [
  {
    name: "disabled",
    given: invitation(),
    body: { enabled: false },
    records: [
      { type: "public-signup-token-updated", data: { secret: "*****-1", enabled: false }, preData: null },
    ],
    see: (token) => assert.partialDeepStrictEqual(token, { ...MASKED, enabled: false }),
  },
  {
    name: "by its secret, until another day",
    given: invitation(),
    url: `${TOKENS}/${SECRET}`,
    body: { expiresAt: "2099-01-01T00:00:00.000Z" },
    records: [{ type: "public-signup-token-updated" }],
    see: (token) =>
      assert.partialDeepStrictEqual(token, { ...MASKED, expiresAt: "2099-01-01T00:00:00.000Z" }),
  },
  ...badBodies({ given: invitation() }, [
    ["nothing to change", {}, "body"],
    ["an invalid expiry", { expiresAt: "never" }, "body.expiresAt"],
    ["text for enabled", { enabled: "yes" }, "body.enabled"],
  ]),
  { name: "none", body: { enabled: true }, expect: [404, "NotFoundError"] },
]);

const NINA = { name: "Nina", email: "Nina@Example.com", password: PASSWORD };
const ANYONE = { as: null, given: invitation() };
const shut = [
  ["expired", invitation({ expiresAt: inDays(-1) })],
  ["switched off", invitation({ enabled: false })],
  ["unknown", (w: World) => w],
] as const;

scenarios(
  "GET /invite",
  [
    { ...ANYONE, name: "one that can be used", url: `/${SECRET}/validate` },
    ...shut.map(
      ([name, given]): Scenario => ({
        name,
        as: null,
        given,
        url: `/${SECRET}/validate`,
        expect: [400, "ValidationError"],
      }),
    ),
    {
      ...ANYONE,
      name: "the masked secret",
      url: "/*****-1/validate",
      expect: [400, "ValidationError"],
    },
  ].map((one) => ({ ...one, url: `/invite${one.url}` }) as Scenario),
);

scenarios(`POST /invite/${SECRET}/signup`, [
  {
    ...ANYONE,
    name: "the user is a Viewer, whatever role is requested",
    body: {
      ...NINA,
      username: "nina",
      rootRole: 1,
      id: 1,
      accountType: "Service Account",
      permissions: ["ADMIN"],
    },
    expect: 201,
    records: [
      {
        type: "user-created",
        createdBy: "unleash_system_user",
        createdByUserId: -1337,
        data: { id: 5, name: "Nina", username: "nina", email: "nina@example.com", rootRole: 3 },
      },
      { type: "public-signup-token-user-added", data: { secret: "*****-1", userId: 5 } },
    ],
    see: (user) =>
      assert.partialDeepStrictEqual(user, {
        id: 5,
        name: "Nina",
        email: "nina@example.com",
        accountType: "User",
        rootRole: 3,
      }),
  },
  ...badBodies(ANYONE, [
    ["no e-mail address", { ...NINA, email: undefined }, "body.email"],
    ["an e-mail address that is null", { ...NINA, email: null }, "body.email"],
    ["an invalid e-mail address", { ...NINA, email: "nina" }, "body.email"],
    [
      "an e-mail address with a line break",
      { ...NINA, email: "nina@example.com\r\nBcc: x@example.com" },
      "body.email",
    ],
    ["no name", { ...NINA, name: undefined }, "body.name"],
    ["no password", { ...NINA, password: undefined }, "body.password"],
    ["an e-mail address that is taken", { ...NINA, email: "EDITH@example.com" }, "body.email"],
    ["a username that is taken", { ...NINA, username: "admin" }, "body.username"],
  ]),
  {
    ...ANYONE,
    name: "a password that is too easy to guess",
    body: { ...NINA, password: "password" },
    expect: [400, "OwaspValidationError"],
  },
  ...shut.map(
    ([name, given]): Scenario => ({ name, as: null, given, body: NINA, expect: [400, "ValidationError"] }),
  ),
]);

async function openWithInvitation(t: TestContext) {
  const server = await openServer(t, invitation()(createWorld()));
  const signUp = (sent: object) =>
    server.request(`/invite/${SECRET}/signup`, { method: "POST", as: null, body: sent });
  return { ...server, signUp, recorded: watchLog(server.db) };
}

test("a user who has signed up can sign in, with the rights of a Viewer", async (t) => {
  const { signUp, request } = await openWithInvitation(t);
  assert.equal((await signUp(NINA)).status, 201);
  const login = { username: "nina@example.com", password: PASSWORD };
  const { status, headers } = await request("/auth/simple/login", { method: "POST", as: null, body: login });
  assert.equal(status, 200);
  const cookie = headers.getSetCookie()[0]!.split(";")[0]!;
  const asNina = (path: string) => request(path, { as: null, headers: { cookie } });
  assert.equal((await asNina("/api/admin/user")).body.permissions.length, 0);
  assert.equal((await asNina("/api/admin/user-admin")).status, 403);
  assert.equal((await asNina(TOKENS)).status, 403);
});

test("signing up twice changes nothing, another person becomes another user", async (t) => {
  const { signUp, recorded, request } = await openWithInvitation(t);
  assert.equal((await signUp(NINA)).status, 201);
  const again = await signUp({ ...NINA, password: `${PASSWORD}-of-somebody-else` });
  assert.deepEqual([again.status, again.body.name], [400, "ValidationError"]);
  assert.equal((await signUp({ ...NINA, email: "mia@example.com" })).status, 201);
  assertRecorded(
    recorded(),
    [1, 2].flatMap(() => [
      { type: "user-created" as const },
      { type: "public-signup-token-user-added" as const },
    ]),
  );
  const login = (password: string) =>
    request("/auth/simple/login", { method: "POST", as: null, body: { username: NINA.email, password } });
  assert.equal((await login(PASSWORD)).status, 200);
  assert.equal((await login(`${PASSWORD}-of-somebody-else`)).status, 401);
});

test("of many concurrent sign-ups with one e-mail address, one succeeds", async (t) => {
  const { signUp, recorded } = await openWithInvitation(t);
  const replies = await Promise.all([1, 2, 3, 4].map(() => signUp(NINA)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 400, 400, 400]);
  assertRecorded(recorded(), [{ type: "user-created" }, { type: "public-signup-token-user-added" }]);
});

test("disabling it while a password is hashed prevents the sign-up", async (t) => {
  const { signUp, request } = await openWithInvitation(t);
  const late = signUp(NINA);
  await request(`${TOKENS}/${SECRET}`, { method: "PUT", body: { enabled: false } });
  assert.equal((await late).status, 400);
});

test("no secret is stored, recorded or logged", async (t) => {
  const { request, db, logged } = await openServer(t);
  const { secret } = (await request(TOKENS, { method: "POST", body })).body;
  await request(`/invite/${secret}/validate/more`, { as: null });
  await request(`/invite/${secret}x/signup`, { method: "POST", as: null, body: NINA });
  assert.ok(!JSON.stringify(db.prepare("SELECT * FROM invitations").all()).includes(secret));
  assert.ok(!(await request("/api/admin/events")).text.includes(secret));
  assert.ok(!JSON.stringify(logged).includes(secret));
});
