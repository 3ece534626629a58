import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openListening } from "../http/raw-http.ts";
import { openStream } from "../support/event-stream.ts";
import { scenarios } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND, personal } from "../support/world.ts";

const STREAM = "/ofrep/v1/stream";
const FLAGS = "/ofrep/v1/evaluate/flags";

scenarios(`GET ${STREAM}`, [
  { name: "no credential", as: null, expect: 401 },
  { name: "a personal token", as: personal(1), expect: 403 },
  { name: "an invalid key", as: null, url: "?key=1", expect: 401 },
  { name: "a key with the wrong signature", as: null, url: `?key=5.${"0".repeat(64)}`, expect: 401 },
  { name: "a key with a leading zero", as: null, url: `?key=05.${"0".repeat(64)}`, expect: 401 },
  { name: "a key of an unknown token", as: null, url: `?key=99.${"0".repeat(64)}`, expect: 401 },
]);

async function open(t: TestContext) {
  const { listening, request } = await openListening(t, createWorld().project("a").feature("cart", "a"));
  const turn = (state: string, environment = "development") =>
    request(`/api/admin/projects/a/features/cart/environments/${environment}/${state}`, { method: "POST" });
  const ask = async (as: string) => {
    const { body } = await request(FLAGS, { method: "POST", as, body: {} });
    return body.eventStreams as Array<{ type: string; endpoint: { requestUri: string } }>;
  };
  return { url: listening.url, request, turn, ask };
}

for (const [kind, as] of [
  ["page", FRONTEND],
  ["server", CLIENT],
] as const) {
  test(`a ${kind} gets the address of a stream, which needs nothing else, and is told when to evaluate again`, async (t) => {
    const { url, turn, ask } = await open(t);
    const [stream, ...others] = await ask(as);
    assert.deepEqual([stream!.type, others], ["sse", []]);
    const { response, next, messages } = await openStream(t, url + stream!.endpoint.requestUri, {
      headers: { origin: "https://shop.example.com" },
    });
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers["access-control-allow-origin"], "https://shop.example.com");
    await turn("on", "production");
    await turn("on");
    const { event, data } = await next();
    assert.deepEqual([event, data], ["message", { type: "refetchEvaluation" }]);
    assert.deepEqual(messages, [], "changes elsewhere are not sent");
  });
}

test("a key gives access only to the stream, and to nothing once the token is deleted", async (t) => {
  const { url, request, ask } = await open(t);
  const [stream] = await ask(FRONTEND);
  const { requestUri } = stream!.endpoint;
  const [, key] = requestUri.split("?");
  for (const path of ["/api/frontend", FLAGS, "/ofrep/v1/configuration"])
    assert.equal((await request(`${path}?${key}`, { as: null })).status, 401, path);
  const { ended } = await openStream(t, url + requestUri);
  const { body } = await request("/api/admin/api-tokens");
  const { secret } = body.tokens.find(({ type }: { type: string }) => type === "frontend");
  await request(`/api/admin/api-tokens/${encodeURIComponent(secret)}`, { method: "DELETE" });
  await ended();
  assert.equal((await openStream(t, url + requestUri)).response.statusCode, 401);
});

test("a client that reconnects gets a message only if something has changed", async (t) => {
  const { url, turn } = await open(t);
  const listen = (id: string) =>
    openStream(t, url + STREAM, { as: FRONTEND, headers: { "last-event-id": id } });
  await turn("on");
  const first = await listen("0");
  const { id } = await first.next();
  const again = await listen(id);
  await turn("off");
  assert.notEqual((await again.next()).id, id);
  assert.equal((await (await listen("nonsense")).next()).data.type, "refetchEvaluation");
});
