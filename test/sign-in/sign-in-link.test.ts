import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { createSignInLink } from "../../src/access/session-store.ts";
import { write } from "../../src/events/write.ts";
import { watchLog } from "../support/server.ts";
import { COOKIE, cookieOf, openForNina } from "./signing-in.ts";

/** A server, and a sign-in link for Nina. */
async function openWithLink(t: TestContext) {
  const server = await openForNina(t);
  const makeLink = () => write(server.db, CLI, (tx) => createSignInLink(tx, 5));
  const follow = (link: string, init?: RequestInit) => server.app.request(link, init);
  const sessions = () => server.db.prepare("SELECT count(*) FROM sessions").pluck().get();
  return { ...server, makeLink, link: makeLink(), follow, sessions };
}

test("a link signs its user in and redirects to the first page, without an event", async (t) => {
  const { link, follow, request, db } = await openWithLink(t);
  const recorded = watchLog(db);
  const reply = await follow(link);
  assert.deepEqual([reply.status, reply.headers.get("location"), await reply.text()], [302, "/", ""]);
  assert.equal(reply.headers.get("cache-control"), "no-store");
  assert.equal(reply.headers.get("referrer-policy"), "no-referrer");
  assert.match(
    reply.headers.getSetCookie()[0]!,
    new RegExp(`^${COOKIE}=[0-9a-f]{64}; Path=/; Expires=[^;]+; HttpOnly; SameSite=Strict$`),
  );
  const headers = { cookie: cookieOf(reply.headers) };
  const { body } = await request("/api/admin/user", { as: null, headers });
  assert.equal(body.user.username, "nina");
  assert.ok(Date.now() - Date.parse(body.user.seenAt) < 60_000);
  assert.deepEqual(recorded(), []);
});

test("below a base path it redirects to the first page there, and with TLS the cookie is secure", async (t) => {
  const { link, served } = await openWithLink(t);
  const reply = await served({ basePath: "/flags" }).request(`https://flags.example/flags${link}`);
  assert.equal(reply.headers.get("location"), "/flags/");
  assert.ok(reply.headers.getSetCookie()[0]!.endsWith("; Secure"));
});

test("a link works only once", async (t) => {
  const { link, follow, sessions } = await openWithLink(t);
  assert.equal((await follow(link)).status, 302);
  const second = await follow(link);
  assert.deepEqual([second.status, second.headers.getSetCookie()], [401, []]);
  assert.match(second.headers.get("content-type")!, /^text\/html/);
  assert.match(await second.text(), /flagstone user link/);
  assert.equal(sessions(), 1);
});

test("of many concurrent uses, one signs in", async (t) => {
  const { link, follow, sessions } = await openWithLink(t);
  const replies = await Promise.all(Array.from({ length: 20 }, () => follow(link)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [302, ...Array(19).fill(401)]);
  assert.equal(sessions(), 1);
});

test("a link that is expired, unknown, replaced or of a deleted user does not work", async (t) => {
  const { link, makeLink, follow, sessions, db } = await openWithLink(t);
  const status = async (path: string) => (await follow(path)).status;
  assert.equal(await status(`/auth/link/${"0".repeat(64)}`), 401);
  assert.equal(await status("/auth/link/"), 404);
  assert.equal(await status(link.toUpperCase().replace("/AUTH/LINK", "/auth/link")), 401);
  const newer = makeLink();
  assert.equal(await status(link), 401, "a newer one replaces it");
  db.exec("UPDATE sign_in_links SET expires_at = '2020-01-01T00:00:00.000Z'");
  assert.equal(await status(newer), 401, "it is older than 30 minutes");
  assert.equal(db.prepare("SELECT count(*) FROM sign_in_links").pluck().get(), 0);
  const last = makeLink();
  db.exec("DELETE FROM users WHERE id = 5");
  assert.equal(await status(last), 401);
  assert.equal(sessions(), 0);
});

test("prefetching a link does not use it up", async (t) => {
  const { link, follow, sessions } = await openWithLink(t);
  for (const init of [
    { method: "HEAD" },
    { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" } },
    { headers: { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" } },
    { headers: { "sec-fetch-mode": "navigate", "sec-purpose": "prefetch" } },
  ])
    assert.equal((await follow(link, init)).status, 401);
  assert.equal((await follow(link, { method: "POST" })).status, 405);
  assert.equal(sessions(), 0);
  assert.equal(
    (await follow(link, { headers: { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" } })).status,
    302,
  );
});

test("only the hash of the secret is stored, and it is masked in the log", async (t) => {
  const { link, db, served, logged } = await openWithLink(t);
  const secret = link.split("/").at(-1)!;
  const stored = JSON.stringify(db.prepare("SELECT * FROM sign_in_links").all());
  assert.ok(!stored.includes(secret) && stored.includes("expires_at"));
  await served({ logsAccess: true }).request(`${link}/more`);
  assert.ok(!JSON.stringify(logged).includes(secret));
});

test("signing in works during maintenance", async (t) => {
  const { link, follow, request } = await openWithLink(t);
  await request("/api/admin/maintenance", { method: "POST", body: { enabled: true } });
  assert.equal((await follow(link)).status, 302);
});
