import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { createSignInLink } from "../../src/access/session-store.ts";
import { inWriting } from "../../src/db/transaction.ts";
import { write } from "../../src/events/write.ts";
import { listen } from "../../src/http/node-server.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { noteSignIn } from "../../src/people/sessions.ts";
import { createServer } from "../../src/server/app.ts";
import { LOCAL } from "../http/raw-http.ts";
import { scenarios, watchLog } from "../support/server.ts";
import { personal } from "../support/world.ts";
import { openForNina, PASSWORD, signInInit } from "./signing-in.ts";

const LOGINS = "/api/admin/logins";

scenarios(`GET ${LOGINS}`, [
  { name: "an Editor may not", as: personal(2), expect: [403, "NoAccessError"] },
  { name: "nobody has signed in", see: (body) => assert.deepEqual(body, { events: [] }) },
]);

/** The history as an Admin reads it, newest first, without ids and times. */
async function historyOf({ request }: Awaited<ReturnType<typeof openForNina>>) {
  const { events } = (await request(LOGINS)).body;
  const ids = events.map(({ id }: { id: number }) => id);
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => b - a),
  );
  for (const { created_at } of events) assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  return events.map(({ id: _, created_at: __, ...rest }: { id: number; created_at: string }) => rest);
}

const attempt = (username: string, failure: string | null = null, rest: object = {}) => ({
  username,
  auth_type: "simple",
  successful: failure === null,
  ip: null,
  failure_reason: failure,
  ...rest,
});

test("every attempt is in the history, but nothing that may be a secret, and none is an event", async (t) => {
  const server = await openForNina(t);
  const recorded = watchLog(server.db);
  await server.signIn("nina", PASSWORD);
  await server.signIn("NINA@example.com", "wrong-secret");
  await server.signIn("typed-secret", "wrong-secret");
  await server.signIn("robot", PASSWORD);
  assert.deepEqual(await historyOf(server), [
    attempt("", "Unknown user"),
    attempt("", "Unknown user"),
    attempt("nina", "Wrong password"),
    attempt("nina"),
  ]);
  assert.deepEqual(recorded(), []);
  const stored = JSON.stringify(server.db.prepare("SELECT * FROM sign_ins").all());
  assert.doesNotMatch(stored, /secret|\$|Str0ng/);
});

test("the address is the client's, behind a trusted proxy too", async (t) => {
  const server = await openForNina(t);
  const { listener, streams } = createServer({ db: server.db, log: () => {}, trustsProxy: true });
  const listening = await listen(listener, LOCAL);
  t.after(() => listening.close());
  t.after(() => streams.close());
  const headers = { "x-forwarded-for": "6.6.6.6, 203.0.113.9" };
  await fetch(`${listening.url}/auth/simple/login`, signInInit(headers));
  assert.deepEqual(await historyOf(server), [attempt("nina", null, { ip: "203.0.113.9" })]);
});

test("links are in the history, unless nobody knows whose they are", async (t) => {
  const server = await openForNina(t);
  const link = write(server.db, CLI, (tx) => createSignInLink(tx, 5));
  for (const path of [link, link, `/auth/link/${"0".repeat(64)}`]) await server.app.request(path);
  const late = write(server.db, CLI, (tx) => createSignInLink(tx, 5));
  server.db.exec("UPDATE sign_in_links SET expires_at = '2020-01-01T00:00:00.000Z'");
  await server.app.request(late);
  assert.deepEqual(await historyOf(server), [
    attempt("nina", "The link has expired", { auth_type: "link" }),
    attempt("nina", null, { auth_type: "link" }),
  ]);
  assert.ok(!JSON.stringify(server.db.prepare("SELECT * FROM sign_ins").all()).includes(link.slice(-64)));
});

test("too many wrong passwords are refused without filling the history", async (t) => {
  const server = await openForNina(t);
  for (let count = 0; count < 13; count++) await server.signIn("nina", "wrong");
  assert.equal((await historyOf(server)).length, 10);
});

test("the history is bounded in age, and failures don't drive out what succeeded", async (t) => {
  const server = await openForNina(t);
  const user = { id: 5, name: null, username: "nina" };
  const now = Date.now();
  const note = (failure: string | null, time: number) =>
    inWriting(server.db, (tx) => noteSignIn(tx, { user, method: "simple", address: null, failure }, time));
  note(null, now - 91 * DAY_MS);
  note("old", now - 89 * DAY_MS);
  note(null, now - 89 * DAY_MS);
  const fill = server.db.prepare(
    "INSERT INTO sign_ins (created_at, method, failure) VALUES (?, 'simple', 'x')",
  );
  server.db.transaction(() => {
    for (let count = 0; count < 9_999; count++) fill.run(new Date(now).toISOString());
  })();
  const counts = () =>
    server.db
      .prepare(
        "SELECT count(*) FILTER (WHERE failure IS NULL), count(*) FILTER (WHERE failure = 'old'), count(*) FROM sign_ins",
      )
      .raw()
      .get();
  assert.deepEqual(counts(), [2, 1, 10_002]);
  note("newest", now);
  assert.deepEqual(counts(), [1, 0, 10_001]);
});

test("the history as CSV", async (t) => {
  const server = await openForNina(t);
  await server.signIn("nina", PASSWORD);
  await server.signIn("nina", "wrong");
  const { text } = await server.request(LOGINS, { headers: { accept: "text/csv" } });
  const lines = text.replaceAll(/"\d{4}-[^"]*"/g, "TIME").split("\r\n");
  assert.deepEqual(lines, [
    `"id","username","auth_type","created_at","successful","ip","failure_reason"`,
    `2,"nina","simple",TIME,false,,"Wrong password"`,
    `1,"nina","simple",TIME,true,,`,
    "",
  ]);
});
