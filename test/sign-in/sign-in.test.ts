import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { hashPassword } from "../../src/access/password-hash.ts";
import { createSignInLink } from "../../src/access/session-store.ts";
import { write } from "../../src/events/write.ts";
import type { ServerOptions } from "../../src/server/options.ts";
import { badBodies } from "../support/bad-bodies.ts";
import { openServer, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, personal, SERVICE } from "../support/world.ts";
import { COOKIE, openForNina, PASSWORD, signInInit } from "./signing-in.ts";

const LOGIN = "/auth/simple/login";
const TWO_DAYS_MS = 2 * 24 * 60 * 60 * 1000;

const body = { username: "nina", password: PASSWORD };
scenarios(`POST ${LOGIN}`, [
  ...badBodies({ as: null }, [
    ["no username", { password: PASSWORD }, "body.username"],
    ["null as the username", { ...body, username: null }, "body.username"],
    ["a list as the username", { ...body, username: ["nina"] }, "body.username"],
    ["no password", { username: "nina" }, "body.password"],
    ["an object as the password", { ...body, password: {} }, "body.password"],
    ["a password with NUL", { ...body, password: "\0" }, "body.password"],
  ]),
  {
    name: "a lone surrogate",
    as: null,
    body: `{"username":"\\ud800","password":"\\ud800"}`,
    expect: [401, "PasswordMismatch"],
  },
  { name: "GET", method: "GET", as: null, expect: [405, "MethodNotAllowedError"] },
]);

test("signing in returns the user, and sets a cookie that scripts can't read", async (t) => {
  const { signIn, request } = await openForNina(t);
  const { status, body, headers } = await signIn("nina", PASSWORD);
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(body, { id: 5, username: "nina", email: "Nina@Example.com" });
  assert.ok(!("rootRole" in body) && !/assword/.test(JSON.stringify(body)));
  assert.ok(Math.abs(Date.parse(body.seenAt) - Date.now()) < 60_000);
  const [cookie, ...attributes] = headers.getSetCookie()[0]!.split("; ");
  assert.match(cookie!, new RegExp(`^${COOKIE}=[0-9a-f]{64}$`));
  const expires = attributes.find((one) => one.startsWith("Expires="))!;
  assert.deepEqual(
    attributes.filter((one) => one !== expires),
    ["Path=/", "HttpOnly", "SameSite=Strict"],
  );
  assert.ok(Math.abs(Date.parse(expires.slice(8)) - Date.now() - TWO_DAYS_MS) < 60_000);
  assert.equal(
    (await request("/api/admin/user-admin/5", { as: null, headers: { cookie: cookie! } })).body.username,
    "nina",
  );
});

test("the cookie is secure only with TLS, here or at a trusted proxy", async (t) => {
  const { served } = await openForNina(t);
  const isSecure = async (url: string, trustsProxy: boolean, headers = {}) => {
    const response = await served({ trustsProxy }).request(url + LOGIN, signInInit(headers));
    assert.equal(response.status, 200);
    return response.headers.getSetCookie()[0]!.includes("; Secure");
  };
  const forwarded = (proto: string) => ({ "x-forwarded-proto": proto });
  assert.equal(await isSecure("https://flags.example", false), true);
  assert.equal(await isSecure("http://flags.example", false), false);
  assert.equal(
    await isSecure("http://flags.example", false, forwarded("https")),
    false,
    "anyone can send that",
  );
  assert.equal(await isSecure("http://flags.example", true, forwarded("https")), true);
  assert.equal(await isSecure("http://flags.example", true, forwarded("http")), false);
  for (const [proto, expected] of [
    ["HTTPS", true],
    ["https,http", true],
    ["https , http", true],
    ["http, https", false],
    ["httpsx", false],
    [",https", false],
    ["", false],
  ] as const)
    assert.equal(await isSecure("http://flags.example", true, forwarded(proto)), expected, proto);
  assert.equal(await isSecure("http://flags.example", true), false);
});

test("a public URL with https makes the cookie secure, but where the browser would drop it", async (t) => {
  const { served, db } = await openForNina(t);
  const isSecure = async (host: string, options: Partial<ServerOptions> = {}, headers = {}) => {
    const app = served({ publicUrl: "https://flags.example", ...options });
    const link = write(db, CLI, (tx) => createSignInLink(tx, 5));
    const replies = [
      await app.request(`http://${host}${LOGIN}`, signInInit(headers)),
      await app.request(`http://${host}${link}`, { headers }),
    ];
    const secure = replies.map((reply) => reply.headers.getSetCookie()[0]!.includes("; Secure"));
    assert.equal(secure[0], secure[1], host);
    return secure[0];
  };
  for (const host of ["flags.example", "127.0.0.1:4242", "localhost:4242", "[::1]:4242"])
    assert.equal(await isSecure(host), true, host);
  assert.equal(await isSecure("10.0.0.5:4242"), false, "past the proxy");
  assert.equal(await isSecure("flags.example", { publicUrl: "http://flags.example" }), false);
  assert.equal(
    await isSecure("flags.example", { trustsProxy: true }, { "x-forwarded-proto": "http" }),
    false,
  );
});

/** How often a password was hashed meanwhile. */
async function hashesOf(act: () => Promise<unknown>) {
  let hashes = 0;
  const hook = createHook({
    init(_, type) {
      if (type === "SCRYPTREQUEST") hashes++;
    },
  }).enable();
  await act();
  hook.disable();
  return hashes;
}

test("every failed sign-in has the same message and takes equally long", async (t) => {
  const messages = new Set<string>();
  for (const [username, password] of [
    ["nina", "wrong"],
    ["nina", ""],
    ["nina", PASSWORD.toLowerCase()],
    ["nina", `${PASSWORD} `],
    ["nobody", PASSWORD],
    ["", ""],
    ["", PASSWORD],
    ["Nina", PASSWORD],
    ["admin", PASSWORD],
    ["robot", PASSWORD],
    ["nina' OR 1 --", PASSWORD],
    ["%", PASSWORD],
  ] as const) {
    const { signIn, db } = await openForNina(t);
    const hashes = await hashesOf(async () => {
      const { status, body, headers } = await signIn(username, password);
      assert.deepEqual([status, body.name, headers.getSetCookie()], [401, "PasswordMismatch", []], username);
      messages.add(body.message);
    });
    assert.equal(hashes, 1, `${username} ${password}`);
    assert.equal(db.prepare("SELECT count(*) FROM sessions").pluck().get(), 0);
  }
  assert.equal(messages.size, 1);
  const { signIn } = await openForNina(t);
  assert.equal(await hashesOf(() => signIn("nina", PASSWORD)), 1);
});

test("e-mail addresses are case-insensitive for signing in, usernames case-sensitive", async (t) => {
  const { signIn } = await openForNina(t);
  for (const name of ["Nina@Example.com", "nina@example.com", "NINA@EXAMPLE.COM"])
    assert.equal((await signIn(name, PASSWORD)).status, 200, name);
  assert.equal((await signIn("NINA", PASSWORD)).status, 401);
});

test("imported users whose addresses differ only in letter case each sign in as themselves", async (t) => {
  const { request } = await openServer(
    t,
    createWorld()
      .user({ email: "a@example.com" })
      .user({ email: "A@example.com", passwordHash: await hashPassword(PASSWORD) }),
  );
  const signIn = (username: string) =>
    request("/auth/simple/login", { method: "POST", as: null, body: { username, password: PASSWORD } });
  assert.deepEqual(
    [(await signIn("a@example.com")).status, (await signIn("A@example.com")).body.id],
    [401, 6],
  );
});

test("a session that is expired, unknown or of a deleted user is not accepted", async (t) => {
  const { request, signedIn, db } = await openForNina(t);
  const cookie = await signedIn();
  const status = async (sent = cookie) =>
    (await request("/api/admin/notifications", { as: null, headers: { cookie: sent } })).status;
  assert.equal(await status(), 200);
  assert.equal(await status(`${COOKIE}=${"0".repeat(64)}`), 401);
  assert.equal(await status(`${COOKIE}=`), 401);
  assert.equal(await status(cookie.toUpperCase()), 401);
  assert.equal(await status(`other=1; ${cookie}; more=2`), 200);
  db.exec("UPDATE sessions SET expires_at = '2020-01-01T00:00:00.000Z'");
  assert.equal(await status(), 401);
  const later = await signedIn();
  assert.equal(db.prepare("SELECT count(*) FROM sessions").pluck().get(), 1, "expired ones are deleted");
  assert.equal(await status(later), 200);
  db.exec("DELETE FROM users WHERE id = 5");
  assert.equal(await status(later), 401);
});

test("a session takes precedence over a personal token, a token without a user over a session", async (t) => {
  const { request, signedIn } = await openForNina(t);
  const cookie = await signedIn();
  const make = async (as: string | null, name: string) => {
    const path = "/api/admin/projects/default/features";
    return request(path, { method: "POST", as, headers: { cookie }, body: { name } });
  };
  const author = async (name: string) =>
    (await request(`/api/admin/events/${name}`)).body.events[0]?.createdBy;
  for (const [as, name, status, by] of [
    [null, "a", 201, "Nina@Example.com"],
    [personal(3), "b", 201, "Nina@Example.com"],
    ["nonsense", "c", 201, "Nina@Example.com"],
    [SERVICE, "d", 201, "the admin token"],
    [CLIENT, "e", 403, undefined],
  ] as const) {
    assert.equal((await make(as, name)).status, status, name);
    assert.equal(await author(name), by, name);
  }
  const old = { cookie: `${COOKIE}=${"0".repeat(64)}` };
  const { status } = await request("/api/admin/user-admin/1", { as: personal(1), headers: old });
  assert.equal(status, 200, "an invalid session does not affect the token");
});
