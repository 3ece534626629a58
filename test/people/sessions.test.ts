import assert from "node:assert/strict";
import { test } from "node:test";
import { openForNina } from "../http/signing-in.ts";
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
  { name: "an Editor may not", as: personal(2), expect: [403, "NoAccessError"] },
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

test("another user's session can't be ended by its id", async (t) => {
  const { request, signedIn } = await openForNina(t);
  const cookie = await signedIn();
  const { body } = await request(SESSIONS, { as: null, headers: { cookie } });
  const path = `${SESSIONS}/${body.sessions[0].id}`;
  assert.equal((await request(path, { method: "DELETE", as: personal(1) })).status, 404);
  assert.equal((await request(SESSIONS, { as: null, headers: { cookie } })).status, 200);
});
