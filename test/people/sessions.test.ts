import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { writeSeen } from "../../src/access/seen.ts";
import { createSignInLink, limitSessions } from "../../src/access/session-store.ts";
import { write } from "../../src/events/write.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/lib/time.ts";
import { openForNina, PASSWORD } from "../sign-in/signing-in.ts";
import { scenarios } from "../support/server.ts";
import { personal, SERVICE } from "../support/world.ts";

const SESSIONS = "/api/admin/user/sessions";

scenarios(`GET ${SESSIONS}`, [
  {
    name: "a token without a session",
    as: personal(3),
    see: (body) => assert.deepEqual(body, { sessions: [] }),
  },
  { name: "a service token", as: SERVICE, see: (body) => assert.deepEqual(body, { sessions: [] }) },
]);
scenarios(`DELETE ${SESSIONS}`, [
  { name: "a service token", as: SERVICE, expect: [403, "NoAccessError"] },
  { name: "none", as: personal(3) },
]);
scenarios(`DELETE ${SESSIONS}/0123456789abcdef`, [
  { name: "an unknown one", as: personal(3), expect: [404, "NotFoundError"] },
]);
scenarios("DELETE /api/admin/user-admin/3/sessions", [
  { name: "an Admin may" },
  { name: "nobody's", url: "/api/admin/user-admin/99/sessions", expect: [404, "NotFoundError"] },
]);

test("sessions are listed, and ended individually, all others at once, or by an administrator", async (t) => {
  const { request, signedIn, db } = await openForNina(t);
  const by = (cookie: string, method = "GET", path = SESSIONS) =>
    request(path, { method, as: null, headers: { cookie } });
  const statuses = (cookies: string[]) =>
    Promise.all(cookies.map(async (cookie) => (await by(cookie)).status));
  const [one, two, three] = [await signedIn(), await signedIn(), await signedIn()] as const;
  const { body, text } = await by(one);
  assert.equal(body.sessions.length, 3);
  assert.equal(body.sessions.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent).length, 1);
  for (const cookie of [one, two, three]) assert.ok(!text.includes(cookie.split("=")[1]!));
  const { body: ofTwo } = await by(two);
  const { id } = ofTwo.sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
  assert.equal((await by(one, "DELETE", `${SESSIONS}/${id}`)).status, 200);
  assert.deepEqual(await statuses([one, two, three]), [200, 401, 200]);
  assert.equal((await by(one, "DELETE")).status, 200);
  assert.deepEqual(await statuses([one, three]), [200, 401]);
  await request("/api/admin/user-admin/5/sessions", { method: "DELETE" });
  assert.deepEqual(await statuses([one]), [401]);
  assert.equal(db.prepare("SELECT count(*) FROM sessions").pluck().get(), 0);
});

test("whoever ends all other sessions also revokes the links that could begin one", async (t) => {
  const { request, signedIn, db, app } = await openForNina(t);
  const cookie = await signedIn();
  for (const [path, init] of [
    [SESSIONS, { as: null, headers: { cookie } }],
    ["/api/admin/user-admin/5/sessions", {}],
  ] as const) {
    const link = write(db, CLI, (tx) => createSignInLink(tx, 5));
    const made = await request("/api/admin/user-admin/reset-password", {
      method: "POST",
      body: { id: "nina@example.com" },
    });
    assert.equal((await request(path, { method: "DELETE", ...init })).status, 200);
    const token = made.body.resetPasswordUrl.split("=")[1];
    assert.equal((await request(`/auth/reset/validate?token=${token}`, { as: null })).status, 401, path);
    assert.equal((await app.request(link)).status, 401, path);
  }
});

test("another user's session can't be ended by its id", async (t) => {
  const { request, signedIn } = await openForNina(t);
  const cookie = await signedIn();
  const { body } = await request(SESSIONS, { as: null, headers: { cookie } });
  const path = `${SESSIONS}/${body.sessions[0].id}`;
  assert.equal((await request(path, { method: "DELETE", as: personal(1) })).status, 404);
  assert.equal((await request(SESSIONS, { as: null, headers: { cookie } })).status, 200);
});

/** A session, and whether it is still one at a time after its beginning. */
async function limited(t: TestContext, limits: Parameters<typeof limitSessions>[1]) {
  const start = Date.parse("2026-05-01T00:00:00.000Z");
  t.mock.timers.enable({ apis: ["Date"], now: start });
  const { request, signIn, db } = await openForNina(t);
  limitSessions(db, limits);
  const { headers } = await signIn("nina", PASSWORD);
  const [cookie = ""] = headers.getSetCookie();
  const statusAfter = async (ms: number) => {
    t.mock.timers.setTime(start + ms);
    const { status } = await request(SESSIONS, { as: null, headers: { cookie: cookie.split(";")[0]! } });
    await writeSeen(db);
    return status;
  };
  return { db, cookie, statusAfter };
}

test("an idle session ends; one in use lasts until its lifetime is over", async (t) => {
  const { cookie, statusAfter } = await limited(t, { lifetime: HOUR_MS, idle: 10 * MINUTE_MS });
  assert.match(cookie, /Expires=Fri, 01 May 2026 01:00:00 GMT/);
  for (const minutes of [9, 18, 27, 36, 45, 54, 59])
    assert.equal(await statusAfter(minutes * MINUTE_MS), 200);
  assert.equal(await statusAfter(HOUR_MS), 401);
});

test("a session that nobody uses ends", async (t) => {
  const { statusAfter } = await limited(t, { lifetime: HOUR_MS, idle: 10 * MINUTE_MS });
  assert.equal(await statusAfter(9 * MINUTE_MS), 200);
  assert.equal(await statusAfter(19 * MINUTE_MS), 401);
});

test("a shorter lifetime also holds for sessions that have begun, once they are used", async (t) => {
  const { db, statusAfter } = await limited(t, { lifetime: 48 * HOUR_MS, idle: undefined });
  assert.equal(await statusAfter(24 * HOUR_MS), 200);
  limitSessions(db, { lifetime: HOUR_MS, idle: undefined });
  assert.equal(await statusAfter(24 * HOUR_MS + MINUTE_MS), 200);
  assert.equal(await statusAfter(24 * HOUR_MS + 2 * MINUTE_MS), 401);
});

test("people read how they signed in, and who tried to, but nothing of others", async (t) => {
  const { request, signIn, signedIn } = await openForNina(t);
  await signIn("nina", "a wrong one");
  await signIn("nobody", "a wrong one");
  const cookie = await signedIn();
  const { body } = await request("/api/admin/user/logins", { as: null, headers: { cookie } });
  const told = body.events.map((event: { username: string; failure_reason: string | null }) => [
    event.username,
    event.failure_reason,
  ]);
  assert.deepEqual(told, [
    ["nina", null],
    ["nina", "Wrong password"],
  ]);
  assert.deepEqual((await request("/api/admin/user/logins", { as: personal(3) })).body, { events: [] });
});
