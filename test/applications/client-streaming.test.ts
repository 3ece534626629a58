import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ClientDelta } from "../../src/applications/client-schema.ts";
import { openListening } from "../http/raw-http.ts";
import { openStream } from "../support/event-stream.ts";
import { assertMatches, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND, personal } from "../support/world.ts";

const STREAM = "/api/client/streaming";

scenarios(`GET ${STREAM}`, [
  { name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
  { name: "a personal token", as: personal(1), expect: [403, "NoAccessError"] },
  { name: "a frontend token", as: FRONTEND, expect: [403, "NoAccessError"] },
  { name: "an empty prefix", as: CLIENT, url: "?namePrefix=", expect: [400, "ValidationError"] },
]);

async function open(t: TestContext) {
  const { listening, request } = await openListening(t, createWorld().project("a").feature("cart", "a"));
  const listen = (query = "", headers = {}) =>
    openStream(t, listening.url + STREAM + query, { as: CLIENT, headers });
  const turn = (state: string) =>
    request(`/api/admin/projects/a/features/cart/environments/development/${state}`, { method: "POST" });
  return { listening, request, listen, turn };
}

test("an application receives all its flags, and then each change", async (t) => {
  const { listen, turn, request } = await open(t);
  const { next } = await listen();
  const first = await next();
  assertMatches(ClientDelta, first.data);
  assert.equal(first.event, "unleash-connected");
  assert.deepEqual(
    [first.data.events[0].type, first.data.events[0].features[0].enabled],
    ["hydration", false],
  );
  await turn("on");
  const second = await next();
  assertMatches(ClientDelta, second.data);
  assert.equal(second.event, "unleash-updated");
  const [{ type, feature, eventId }] = second.data.events;
  assert.deepEqual([type, feature.enabled, String(eventId)], ["feature-updated", true, second.id]);
  await request("/api/admin/projects/a/features/cart", { method: "DELETE" });
  assert.equal((await next()).data.events[0].type, "feature-removed");
});

test("a new client gets the current state, however many have just connected", async (t) => {
  const { listen, turn } = await open(t);
  const isOn = async () => (await (await listen()).next()).data.events[0].features[0].enabled;
  assert.deepEqual(await Promise.all([isOn(), isOn()]), [false, false]);
  await turn("on");
  assert.deepEqual(await Promise.all([isOn(), isOn()]), [true, true]);
});

test("a client that reconnects gets what it missed", async (t) => {
  const { listen, turn } = await open(t);
  const first = await listen();
  await first.next();
  await turn("on");
  const { id } = await first.next();
  first.request.destroy();
  const again = await listen("", { "last-event-id": id });
  await turn("off");
  assert.equal((await again.next()).data.events[0].feature.enabled, false);
  const behind = await listen("", { "last-event-id": "999999" });
  assert.equal((await behind.next()).data.events[0].type, "hydration", "it has a revision that is not ours");
});

test("changes to flags outside an application's projects are not sent", async (t) => {
  const { listen, turn, request } = await open(t);
  const { next } = await listen("?namePrefix=menu");
  assert.deepEqual((await next()).data.events[0].features, []);
  await turn("on");
  await request("/api/admin/projects/a/features", { method: "POST", body: { name: "menu-2" } });
  assert.equal((await next()).data.events[0].feature.name, "menu-2");
});

test("deleting the token ends the stream at once", async (t) => {
  const { listen, request } = await open(t);
  const { ended } = await listen();
  const { body } = await request("/api/admin/api-tokens");
  const { secret } = body.tokens.find(({ type }: { type: string }) => type === "client");
  await request(`/api/admin/api-tokens/${encodeURIComponent(secret)}`, { method: "DELETE" });
  await ended();
  assert.equal((await listen()).response.statusCode, 401);
});
