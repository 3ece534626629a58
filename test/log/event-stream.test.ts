import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Event } from "../../src/events/schema.ts";
import { listen as listenOn } from "../../src/http/node-server.ts";
import { LOCAL, openListening } from "../http/raw-http.ts";
import { openForNina } from "../sign-in/signing-in.ts";
import { openStream } from "../support/event-stream.ts";
import { assertMatches, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const STREAM = "/api/admin/events/stream";

scenarios(`GET ${STREAM}`, [
  { name: "an invalid filter", url: "?type=feature-created", expect: [400, "ValidationError"] },
  { name: "a repeated criterion", url: "?type=IS:a&type=IS:b", expect: [400, "ValidationError"] },
  {
    name: "an invalid last event",
    headers: { "last-event-id": "newest" },
    expect: [400, "ValidationError"],
    see: ({ message }) => assert.match(message, /^headers\.last-event-id: /),
  },
]);

async function open(t: TestContext, world: World = createWorld().project("a").project("b")) {
  const { listening, ...rest } = await openListening(t, world);
  const listen = (query = "", as = personal(1), headers = {}) =>
    openStream(t, listening.url + STREAM + query, { as, headers });
  const make = (project: string, name: string) =>
    rest.request(`/api/admin/projects/${project}/features`, { method: "POST", body: { name } });
  return { listening, listen, make, ...rest };
}

test("an event is sent as soon as it is recorded, with the same JSON as elsewhere", async (t) => {
  const { listen, make, request } = await open(t);
  const { response, next } = await listen();
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers["content-type"], "text/event-stream");
  assert.equal(response.headers["cache-control"], "private, no-cache, no-transform");
  await make("a", "menu");
  const { id, event, data } = await next();
  assertMatches(Event, data);
  assert.deepEqual(
    [event, id, data.type, data.featureName],
    ["message", String(data.id), "feature-created", "menu"],
  );
  const { body } = await request("/api/admin/events");
  assert.deepEqual(data, body.events[0]);
});

test("a client that reconnects gets what it missed, and no event twice", async (t) => {
  const { listen, make } = await open(t);
  await make("a", "one");
  const first = await listen("", personal(1), { "last-event-id": "0" });
  const { id, data } = await first.next();
  assert.equal(data.featureName, "one");
  first.request.destroy();
  await make("a", "two");
  const again = await listen("", personal(1), { "last-event-id": id });
  assert.equal((await again.next()).data.featureName, "two");
  await make("a", "three");
  assert.equal((await again.next()).data.featureName, "three");
});

test("a start far back sends the whole log, however long, and then new events", async (t) => {
  const world = createWorld().project("a");
  for (let id = 1; id <= 2500; id++) world.event({ project: "a", data: { text: "x".repeat(500) } });
  const { listen, make } = await open(t, world);
  const { next } = await listen("", SERVICE, { "last-event-id": "0" });
  for (let id = 1; id <= 2500; id++) assert.equal((await next()).id, String(id));
  await make("a", "menu");
  assert.equal((await next()).data.type, "feature-created");
});

test("filters are those of the search", async (t) => {
  const { listen, make, request } = await open(t);
  const some = await listen("?project=IS_ANY_OF:b,c&type=IS:feature-archived,feature-created");
  const mine = await listen("?createdBy=IS:2&feature=IS:two");
  await make("a", "one");
  await make("b", "two");
  await request("/api/admin/projects/b/features/two", { method: "DELETE" });
  assert.deepEqual(
    [(await some.next()).data.featureName, (await some.next()).data.type],
    ["two", "feature-archived"],
  );
  assert.deepEqual(mine.messages, []);
});

const PRIVATE = () => createWorld().project("a").project("secret", { mode: "private" }).member("secret", 3);

test("events of hidden projects are omitted, as soon as the projects are hidden", async (t) => {
  const { listen, make, request } = await open(t, PRIVATE());
  const [member, other] = [await listen("", personal(3)), await listen("", personal(4))];
  await make("secret", "one");
  await make("a", "two");
  assert.equal((await member.next()).data.featureName, "one");
  assert.equal((await member.next()).data.featureName, "two");
  assert.equal((await other.next()).data.featureName, "two");
  await request("/api/admin/projects/secret/access", { method: "PUT", body: { roles: [] } });
  await make("secret", "three");
  await make("a", "four");
  assert.equal((await member.next()).data.featureName, "four");
});

test("revoking the token ends the stream, and reconnecting returns the reason", async (t) => {
  const { listen, request, db } = await open(t);
  const [first, second, other] = [await listen(), await listen(), await listen("", personal(2))];
  const id = db.prepare<[], number>("SELECT id FROM tokens WHERE user_id = 1").pluck().get();
  await request(`/api/admin/user/tokens/${id}`, { method: "DELETE" });
  await Promise.all([first.ended(), second.ended()]);
  assert.equal((await listen()).response.statusCode, 401);
  assert.equal((await other.next()).data.type, "pat-deleted");
});

test("the token's expiry ends the stream, even if nothing changes", async (t) => {
  const { listen, db } = await open(t);
  const soon = new Date(Date.now() + 1500).toISOString();
  db.prepare("UPDATE tokens SET expires_at = ? WHERE user_id = 1").run(soon);
  const { response, ended } = await listen();
  assert.equal(response.statusCode, 200);
  await ended();
});

test("a browser stays connected with its session cookie until the user signs out", async (t) => {
  const { listener, signedIn, request } = await openForNina(t);
  const listening = await listenOn(listener, LOCAL);
  t.after(() => listening.close());
  const headers = { cookie: await signedIn() };
  const { next, ended } = await openStream(t, listening.url + STREAM, { headers });
  await request("/api/admin/projects/default/features", { method: "POST", body: { name: "menu" } });
  assert.equal((await next()).data.featureName, "menu");
  await fetch(`${listening.url}/logout`, { method: "POST", headers, redirect: "manual" });
  await ended();
});

test("many concurrent changes are sent in order to every client", async (t) => {
  const { listen, make } = await open(t);
  const readers = await Promise.all(Array.from({ length: 120 }, () => listen()));
  const names = Array.from({ length: 20 }, (_, n) => `flag-${n}`);
  await Promise.all(names.map((name) => make("a", name)));
  for (const { next } of readers)
    for (const name of names) assert.equal((await next()).data.featureName, name);
});

test("HEAD returns immediately", async (t) => {
  const { listening } = await open(t);
  const response = await fetch(listening.url + STREAM, {
    method: "HEAD",
    headers: { authorization: SERVICE },
  });
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "text/event-stream"]);
});

test("stopping the server ends all streams, and it accepts no more", async (t) => {
  const { listen, listening, streams } = await open(t);
  const readers = await Promise.all([listen(), listen("", personal(2))]);
  streams.close();
  assert.equal((await listen()).response.statusCode, 503);
  await Promise.all([...readers.map(({ ended }) => ended()), listening.close()]);
});
