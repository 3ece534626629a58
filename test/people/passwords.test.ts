import assert from "node:assert/strict";
import crypto from "node:crypto";
import { type TestContext, test } from "node:test";
import bcrypt from "bcryptjs";
import { CLI } from "../../src/access/actor.ts";
import { countGuess } from "../../src/access/guesses.ts";
import { hashPassword, isOutdated, isPassword } from "../../src/access/password-hash.ts";
import { createSignInLink } from "../../src/access/session-store.ts";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { write } from "../../src/events/write.ts";
import { requireSignIn } from "../../src/people/passwords.ts";
import { deliverLinksTo, type RequestedLink } from "../../src/people/resets.ts";
import { badBodies } from "../support/bad-bodies.ts";
import { REAL_COST } from "../support/cheap-passwords.ts";
import { until } from "../support/receiver.ts";
import { type Call, openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE } from "../support/world.ts";

const USERS = "/api/admin/user-admin";
const OLD = "Str0ng-Passw0rd!x9";
const NEW = "New-Passw0rd!123";

const hash = await hashPassword(OLD);

/** User 5, `nina`, signs in with the password. */
const withNina = () =>
  createWorld().user({ username: "nina", email: "nina@example.com", passwordHash: hash });

/** Sends requests with the cookie. */
async function openForNina(t: TestContext) {
  const server = await openServer(t, withNina());
  const signIn = (password: string, username = "nina") =>
    server.request("/auth/simple/login", { method: "POST", as: null, body: { username, password } });
  const session = async () => (await signIn(OLD)).headers.getSetCookie()[0]!.split(";")[0]!;
  const by = (cookie: string, path: string, call: Call = {}) =>
    server.request(path, { as: null, ...call, headers: { cookie } });
  const status = async (cookie: string) => (await by(cookie, "/api/admin/user")).status;
  return { ...server, signIn, session, by, status };
}

const weak = (common: Pick<Scenario, "url" | "as">, more: object = {}): Scenario => ({
  ...common,
  name: "a weak password",
  body: { password: "weak", ...more },
  expect: [400, "OwaspValidationError"],
});

scenarios(`POST ${USERS}/validate-password`, [
  { name: "a good one, by anyone", as: personal(3), body: { password: NEW } },
  weak({}),
  { name: "an empty one", body: { password: "" }, expect: [400, "PasswordUndefinedError"] },
  ...badBodies({}, [
    ["none", {}, "body.password"],
    ["a list", { password: [] }, "body.password"],
  ]),
]);

scenarios(`POST ${USERS}/`, [
  { name: "an Admin may", url: "3/change-password", body: { password: NEW } },
  weak({ url: "3/change-password" }),
  {
    name: "an unknown id",
    url: "99/change-password",
    body: { password: NEW },
    expect: [404, "NotFoundError"],
  },
  {
    name: "not a number",
    url: "x/change-password",
    body: { password: NEW },
    expect: [400, "ValidationError"],
  },
]);

scenarios(`POST ${USERS}/reset-password`, [
  {
    name: "a link for an e-mail address in any letter case",
    body: { id: "EDITH@example.com" },
    see: ({ resetPasswordUrl }) => assert.match(resetPasswordUrl, /^\/reset-password\?token=[0-9a-f]{64}$/),
  },
  {
    name: "a link for a username, since not every user has an e-mail address",
    body: { id: "user2" },
    see: ({ resetPasswordUrl }) => assert.match(resetPasswordUrl, /^\/reset-password\?token=[0-9a-f]{64}$/),
  },
  { name: "an unknown address", body: { id: "x@example.com" }, expect: [404, "NotFoundError"] },
  { name: "a number", body: { id: 2 }, expect: [404, "NotFoundError"] },
  ...badBodies({}, [["nothing", {}, "body.id"]]),
]);

const OWN = { password: NEW, confirmPassword: NEW, oldPassword: OLD };

scenarios("POST /api/admin/user/change-password", [
  { name: "a service token has no user", as: SERVICE, body: OWN, expect: [403, "NoAccessError"] },
  { name: "a user without a password", as: personal(3), body: OWN, expect: [401, "PasswordMismatch"] },
  {
    name: "a wrong current password",
    as: personal(5),
    given: withNina,
    body: { ...OWN, oldPassword: "wrong" },
    expect: [401, "PasswordMismatch"],
  },
  { name: "the current password", as: personal(5), given: withNina, body: OWN },
  weak({}, { confirmPassword: "weak", oldPassword: OLD }),
  {
    name: "the current password as the new one",
    as: personal(5),
    given: withNina,
    body: { password: OLD, confirmPassword: OLD, oldPassword: OLD },
    expect: [400, "PasswordPreviouslyUsedError"],
  },
  ...badBodies({}, [
    ["nothing", {}, "body.password"],
    ["without the current password", { password: NEW, confirmPassword: NEW }, "body.oldPassword"],
    ["mistyped", { ...OWN, confirmPassword: "x" }, "body.confirmPassword"],
  ]),
]);

test("changing the password ends the other sessions, and only the new one works", async (t) => {
  const { session, by, status, signIn } = await openForNina(t);
  const [own, other] = [await session(), await session()];
  const body = OWN;
  assert.equal((await by(own, "/api/admin/user/change-password", { method: "POST", body })).status, 200);
  assert.deepEqual([await status(own), await status(other)], [200, 401]);
  assert.deepEqual([(await signIn(OLD)).status, (await signIn(NEW)).status], [401, 200]);
});

test("an administrator setting a new password ends all of the user's sessions", async (t) => {
  const { request, session, status, signIn } = await openForNina(t);
  const cookie = await session();
  await request(`${USERS}/5/change-password`, { method: "POST", body: { password: NEW } });
  assert.equal(await status(cookie), 401);
  assert.equal((await signIn(NEW)).status, 200);
});

test("a link sets a password once, and ends all sessions", async (t) => {
  const { request, session, status, signIn, db } = await openForNina(t);
  const cookie = await session();
  const open = { as: null };
  const { resetPasswordUrl } = (
    await request(`${USERS}/reset-password`, { method: "POST", body: { id: "nina@example.com" } })
  ).body;
  const token = resetPasswordUrl.split("=")[1];
  assert.ok(!db.serialize().includes(token), "it is not stored");
  const listed = (await request(USERS)).body.users[4];
  assert.equal(listed.inviteLink, "/new-user?token=*****");
  const { body } = await request(`/auth/reset/validate?token=${token}`, open);
  assert.deepEqual([body.id, body.email, body.createdBy, body.role.id], [5, "nina@example.com", "admin", 3]);
  const reset = (password: string) =>
    request("/auth/reset/password", { ...open, method: "POST", body: { token, password } });
  assert.deepEqual((await reset("weak")).body.name, "OwaspValidationError");
  assert.deepEqual((await reset(OLD)).body.name, "PasswordPreviouslyUsedError");
  assert.deepEqual([(await reset(NEW)).status, (await reset(NEW)).body.name], [200, "InvalidTokenError"]);
  assert.equal((await request(`/auth/reset/validate?token=${token}`, open)).status, 401);
  assert.equal(await status(cookie), 401);
  assert.deepEqual([(await signIn(OLD)).status, (await signIn(NEW)).status], [401, 200]);
});

test("an invited user sets the first password; a newer link replaces older ones", async (t) => {
  const { request } = await openServer(t);
  const sent = { username: "ida", email: "ida@example.com", rootRole: 3 };
  const made = (await request(USERS, { method: "POST", body: sent })).body;
  assert.match(made.inviteLink, /^\/new-user\?token=[0-9a-f]{64}$/);
  const newer = await request(`${USERS}/reset-password`, { method: "POST", body: { id: sent.email } });
  const validate = async (link: string) =>
    (await request(`/auth/reset/validate?${link.split("?")[1]}`, { as: null })).status;
  assert.deepEqual(
    [await validate(made.inviteLink), await validate(newer.body.resetPasswordUrl)],
    [401, 200],
  );
});

for (const [name, change] of [
  [
    "one's own",
    ({ by, session }) =>
      session().then((own) => by(own, "/api/admin/user/change-password", { method: "POST", body: OWN })),
  ],
  [
    "an administrator's",
    ({ request }) => request(`${USERS}/5/change-password`, { method: "POST", body: { password: NEW } }),
  ],
] as Array<[string, (site: Awaited<ReturnType<typeof openForNina>>) => Promise<{ status: number }>]>) {
  test(`${name} new password revokes links for setting another, and for signing in`, async (t) => {
    const site = await openForNina(t);
    const { request, db } = site;
    const body = { id: "nina@example.com" };
    const made = await request(`${USERS}/reset-password`, { method: "POST", body });
    const link = write(db, CLI, (tx) => createSignInLink(tx, 5));
    assert.equal((await change(site)).status, 200);
    const token = made.body.resetPasswordUrl.split("=")[1];
    assert.equal((await request(`/auth/reset/validate?token=${token}`, { as: null })).status, 401);
    assert.equal((await request(link, { as: null })).status, 401);
  });
}

for (const [name, method, path, body] of [
  ["signing out everywhere", "DELETE", `${USERS}/5/sessions`, undefined],
  ["another address", "PUT", `${USERS}/5`, { email: "other@example.com" }],
] as const)
  test(`${name} revokes links for setting a password`, async (t) => {
    const { request } = await openForNina(t);
    const asked = { method: "POST", body: { id: "nina@example.com" } };
    const { resetPasswordUrl } = (await request(`${USERS}/reset-password`, asked)).body;
    assert.equal((await request(path, { method, body })).status, 200);
    const [, token] = resetPasswordUrl.split("=");
    assert.equal((await request(`/auth/reset/validate?token=${token}`, { as: null })).status, 401);
  });

test("a link is valid for a day", async (t) => {
  const { request, db } = await openServer(t);
  const { body } = await request(`${USERS}/reset-password`, {
    method: "POST",
    body: { id: "edith@example.com" },
  });
  const [end] = db.prepare<[], string>("SELECT expires_at FROM reset_tokens").pluck().all();
  const hours = (Date.parse(end!) - Date.now()) / 3_600_000;
  assert.ok(hours > 23 && hours <= 24);
  db.exec("UPDATE reset_tokens SET expires_at = '2020-01-01T00:00:00.000Z'");
  const url = `/auth/reset/validate?${body.resetPasswordUrl.split("?")[1]}`;
  assert.equal((await request(url, { as: null })).body.name, "InvalidTokenError");
});

scenarios("GET /auth/reset/validate", [
  { name: "no token", as: null, expect: [401, "InvalidTokenError"] },
  { name: "an unknown one", url: "?token=x", as: null, expect: [401, "InvalidTokenError"] },
]);

scenarios("POST /auth/reset/validate-password", [
  { name: "a valid one", as: null, body: { password: NEW } },
  weak({ as: null }),
]);

test("every violated password rule is reported, also in the format of the original's page", async (t) => {
  const { request } = await openServer(t);
  const body = { password: "aaa" };
  const { details } = (await request("/auth/reset/validate-password", { method: "POST", as: null, body }))
    .body;
  assert.equal(details.length, 5);
  assert.deepEqual(details[0], {
    path: "body.password",
    message: "must have 10 characters or more",
    validationErrors: [
      "The password must be at least 10 characters long.",
      "The password may not contain sequences of three or more repeated characters.",
      "The password must contain at least one uppercase letter.",
      "The password must contain at least one number.",
      "The password must contain at least one special character.",
    ],
  });
});

scenarios("POST /auth/reset/password-email", [
  {
    name: "nothing is sent, and no user is revealed",
    as: null,
    body: { email: "edith@example.com" },
    expect: [404, "NotFoundError"],
  },
]);

test("a requested link is handed over once it is on disk, and only for existing users", async (t) => {
  const { request, db } = await openServer(t, withNina());
  const taken: RequestedLink[] = [];
  const failed: unknown[] = [];
  const end = deliverLinksTo(db, { take: (link) => taken.push(link), fail: (error) => failed.push(error) });
  const ask = (email: string) =>
    request("/auth/reset/password-email", { method: "POST", as: null, body: { email } });
  const answers = [await ask("nobody@example.com"), await ask("Nina@example.com")];
  assert.deepEqual(
    answers.map(({ status, text }) => [status, text]),
    [
      [200, ""],
      [200, ""],
    ],
  );
  await until(() => taken.length > 0);
  assert.deepEqual([taken.length, taken[0]!.email, failed], [1, "Nina@example.com", []]);
  const token = taken[0]!.path.split("token=")[1]!;
  assert.equal((await request(`/auth/reset/validate?token=${token}`, { as: null })).body.id, 5);
  const many = await Promise.all(Array.from({ length: 12 }, () => ask("nina@example.com")));
  assert.ok(
    many.some(({ status }) => status === 429),
    "a user can't be flooded with links",
  );
  await end();
});

test("a requested link leaves an administrator's as it is, until one of them is used", async (t) => {
  const { request, db } = await openServer(t, withNina());
  const body = { id: "nina@example.com" };
  const made = await request(`${USERS}/reset-password`, { method: "POST", body });
  const taken: RequestedLink[] = [];
  const end = deliverLinksTo(db, { take: (link) => taken.push(link), fail: assert.ifError });
  const email = { email: body.id };
  for (let count = 0; count < 2; count++)
    await request("/auth/reset/password-email", { method: "POST", as: null, body: email });
  await end();
  const tokens = [made.body.resetPasswordUrl, ...taken.map(({ path }) => path)].map(
    (link: string) => link.split("token=")[1],
  );
  const validate = async () => {
    const asked = tokens.map((token) => request(`/auth/reset/validate?token=${token}`, { as: null }));
    return (await Promise.all(asked)).map(({ status }) => status);
  };
  assert.deepEqual(await validate(), [200, 401, 200]);
  const use = { token: tokens[0], password: NEW };
  assert.equal((await request("/auth/reset/password", { method: "POST", as: null, body: use })).status, 200);
  assert.deepEqual(await validate(), [401, 401, 401]);
});

test("after ten wrong passwords within a minute, a name and an address have to wait", async (t) => {
  const { signIn } = await openForNina(t);
  const replies = await Promise.all(Array.from({ length: 12 }, () => signIn("wrong")));
  const statuses = replies.map(({ status }) => status).toSorted();
  assert.deepEqual([statuses.filter((one) => one === 401).length, statuses.at(-1)], [10, 429]);
  const refused = replies.find(({ status }) => status === 429)!;
  assert.equal(refused.body.name, "RateLimitError");
  assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  assert.equal((await signIn(OLD)).status, 429, "even with the right one");
});

test("successful sign-ins are not counted", async (t) => {
  const { signIn } = await openForNina(t);
  for (let count = 0; count < 12; count++) assert.equal((await signIn(OLD)).status, 200);
});

test("neither wrong passwords nor requests for a link reveal who exists, or that two names belong to one user", async (t) => {
  const { db } = await openForNina(t);
  let host = 0;
  const refusal = (username: string) => {
    const address = `10.0.${host >> 8}.${host++ & 255}`;
    return requireSignIn(db, { username, password: "wrong", address }).catch(({ name }) => name);
  };
  for (const [first, second] of [
    ["nina", "nina@example.com"],
    ["nobody", "nobody@example.com"],
  ] as const) {
    for (let count = 0; count < 10; count++) await refusal(first);
    assert.deepEqual(
      [await refusal(first), await refusal(second)],
      ["RateLimitError", "PasswordMismatch"],
      first,
    );
    for (let count = 0; count < 9; count++) countGuess(db, { who: second, address: `10.9.9.${count}` });
    assert.equal(await refusal(second), "RateLimitError", "the same as for requests for links");
  }
});

test("wrong passwords are forgotten after a minute, and do not affect others", (t) => {
  const db = open(IN_MEMORY);
  t.after(() => close(db));
  const guess =
    (who: string | number, address: string, now = 0) =>
    () =>
      countGuess(db, { who, address }, now);
  for (let count = 0; count < 10; count++) guess("nina", `10.0.0.${count}`)();
  assert.throws(guess("NINA", "10.1.0.0", 59_000), /in 1 seconds/);
  guess("ida", "10.0.0.1")();
  guess("nina", "10.1.0.0", 60_001)();
  for (let count = 0; count < 10; count++) guess(count, `2001:db8::${count}`)();
  assert.throws(guess(99, "2001:db8:0:0:1::"), /Too many/);
  guess(99, "2001:db8:0:1::")();
});

test("a limited number of names is remembered, the newest", (t) => {
  const db = open(IN_MEMORY);
  t.after(() => close(db));
  const guess = (who: string | number, address: string) => countGuess(db, { who, address }, 0);
  for (let count = 0; count < 10; count++) guess("nina", "10.0.0.1");
  for (let count = 0; count < 10_000; count++) guess(count, `10.0.0.1.${count}`);
  guess("nina", "10.0.0.1");
});

test("guessing takes years: a hash costs 16 MiB of memory, five times", () => {
  assert.deepEqual(REAL_COST, { N: 2 ** 14, r: 8, p: 5 });
});

test("a hash with a lower cost is upgraded at the next sign-in", async (t) => {
  const salt = crypto.randomBytes(16);
  const old = crypto.scryptSync(OLD, salt, 32, { N: 8, r: 8, p: 1 });
  const stored = ["scrypt", 8, 8, 1, salt.toString("base64"), old.toString("base64")].join("$");
  assert.ok(isOutdated(stored) && (await isPassword(OLD, stored)));
  const { request, db } = await openServer(t, createWorld().user({ username: "nina", passwordHash: stored }));
  const signIn = () =>
    request("/auth/simple/login", { method: "POST", as: null, body: { username: "nina", password: OLD } });
  assert.equal((await signIn()).status, 200);
  const now = db.prepare<[], string>("SELECT password_hash FROM users WHERE id = 5").pluck().get()!;
  assert.ok(!isOutdated(now) && (await isPassword(OLD, now)));
  assert.equal((await signIn()).status, 200);
});

test("a stored hash in another format matches no password", async () => {
  for (const stored of [
    "",
    "*****",
    "scrypt$1$2",
    "scrypt$0$0$0$AA==$AA==",
    "scrypt$99999999999$8$5$AA==$AA==",
    "$2a$10$x",
  ])
    assert.equal(await isPassword(OLD, stored), false, stored);
});

test("signing out ends the session, and deletes the cookie", async (t) => {
  const { session, by, status } = await openForNina(t);
  const cookie = await session();
  const page = await by(cookie, "/logout");
  assert.match(page.text, /<form method="post" action="\/logout">/);
  assert.equal(await status(cookie), 200, "a GET changes nothing");
  const { status: code, headers } = await by(cookie, "/logout", { method: "POST" });
  assert.deepEqual([code, headers.get("location")], [302, "/"]);
  assert.match(headers.getSetCookie()[0]!, /^unleash-session=; Path=\/; Expires=Thu, 01 Jan 1970/);
  assert.equal(headers.get("clear-site-data"), '"cookies", "storage"');
  assert.equal(await status(cookie), 401);
});

test("another site can't sign a user out", async (t) => {
  const { request, session, status } = await openForNina(t);
  const cookie = await session();
  for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
    const reply = await request("/logout", { method: "POST", as: null, headers: { cookie, ...headers } });
    assert.equal(reply.status, 403);
  }
  assert.equal(await status(cookie), 200);
  assert.equal(
    (await request("/logout", { method: "POST", as: null })).status,
    302,
    "for callers that are not signed in",
  );
});

test("a password from an Unleash works, and is then hashed our way", async (t) => {
  const passwordHash = bcrypt.hashSync(OLD, 4);
  const { db, request } = await openServer(t, createWorld().user({ username: "nina", passwordHash }));
  const signIn = (password: string) =>
    request("/auth/simple/login", { method: "POST", as: null, body: { username: "nina", password } });
  assert.equal((await signIn(NEW)).status, 401);
  assert.equal((await signIn(OLD)).status, 200);
  const stored = db.prepare("SELECT password_hash FROM users WHERE id = 5").pluck().get();
  assert.match(String(stored), /^scrypt\$/);
  assert.equal((await signIn(OLD)).status, 200);
});

test("a bcrypt hash that would take minutes matches nothing", async () => {
  assert.equal(await isPassword(OLD, bcrypt.hashSync(OLD, 4).replace("$04$", "$31$")), false);
});
