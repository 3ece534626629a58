import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import type { Listener } from "../../src/http/listener.ts";
import { UsageError } from "../../src/lib/usage-error.ts";
import { temporaryFolder } from "../cli/run-cli.ts";
import { until } from "../support/receiver.ts";
import { CLIENT, FRONTEND } from "../support/world.ts";
import { get, openEdge, openUpstream, SPEC, tokenFor, world } from "./serving.ts";

const answering =
  (status: number, type: string, body: string, headers = {}): Listener =>
  (_, response) =>
    response.writeHead(status, { "content-type": type, ...headers }).end(body);

/** What an upstream may do in place of answering, and what the log says of it. */
const TROUBLES: Record<string, [via: Listener, logged: RegExp]> = {
  "never answers": [() => {}, /it took longer than 0\.3 seconds/],
  "answers too slowly": [
    (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).write('{"features":[');
      const dripping = setInterval(() => response.write(" "), 10);
      response.once("close", () => clearInterval(dripping));
    },
    /it took longer than 0\.3 seconds/,
  ],
  "answers by half": [
    (request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 99 });
      response.write('{"features":[]', () => request.socket.destroy());
    },
    /it closed the connection/,
  ],
  "is a page": [answering(200, "text/html", "<h1>Welcome</h1>"), /did not answer with JSON: is it/],
  "has an empty body": [answering(200, "application/json", ""), /did not answer with JSON/],
  "is another product": [answering(200, "application/json", '{"flags":[]}'), /something else: features/],
  "has broken flags": [
    answering(200, "application/json", '{"features":[{"title":"cart"}]}'),
    /something else: features\.0\.name/,
  ],
  redirects: [answering(302, "text/plain", "", { location: "https://flags.example" }), /responded with 302/],
  fails: [answering(500, "application/json", '{"message":"out of memory"}'), /500: out of memory/],
  "lets nobody pass": [answering(403, "text/html", "Sign in to this network"), /responded with 403/],
};

for (const [name, [via, logged]] of Object.entries(TROUBLES)) {
  test(`an upstream that ${name} changes no answer`, async (t) => {
    const server = await openUpstream(t);
    const edge = await openEdge(t, server.url, {
      upstream: { url: server.url, options: {}, timeoutMs: 300 },
      maxAgeMs: 600,
    });
    const own = await get(`${server.url}/api/client/features`, CLIENT, SPEC);
    await until(async () => (await get(`${edge.url}/api/client/features`, CLIENT, SPEC)).text === own.text);
    server.line.via = via;
    await until(async () => (await fetch(`${edge.url}/ready`)).status === 503, "it shows");
    assert.equal((await get(`${edge.url}/api/client/features`, CLIENT, SPEC)).text, own.text);
    assert.equal((await get(`${edge.url}/api/frontend`, "*:development.unknown")).status, 503);
    await until(() => edge.logged.some(({ message }) => logged.test(message)), `the log has ${logged}`);
    server.cut(false);
    await until(async () => (await fetch(`${edge.url}/ready`)).status === 200, "it is over");
  });
}

test("unknown tokens by the thousand are few questions, and nobody else's trouble", async (t) => {
  const server = await openUpstream(t);
  const edge = await openEdge(t, server.url, { pollMs: 60_000, checkMs: 60_000 });
  assert.equal((await get(`${edge.url}/api/frontend`, FRONTEND)).status, 200);
  server.asked.length = 0;
  assert.equal((await get(`${edge.url}/api/frontend`, `*:development.${"x".repeat(5000)}`)).status, 401);
  assert.equal(server.asked.length, 0, "that can't be a token");
  const begin = performance.now();
  const flood = Array.from({ length: 3000 }, (_, index) =>
    get(`${edge.url}/api/frontend`, `*:development.unknown-${index}`),
  );
  assert.equal((await get(`${edge.url}/api/frontend`, FRONTEND)).status, 200);
  for (const { status } of await Promise.all(flood))
    assert.ok(status === 401 || status === 503, `refused, or told to come back, not ${status}`);
  const limit = 30 + (performance.now() - begin) / 100;
  assert.ok(server.asked.length <= limit, `${server.asked.length} questions, more than ${limit}`);
});

test("without a revoked token, its flags come with those that are left", async (t) => {
  const shop = "shop:development.a-token-for-one";
  const server = await openUpstream(t, world().add("token", tokenFor(shop)));
  const edge = await openEdge(t, server.url);
  const features = (secret: string) => get(`${edge.url}/api/client/features`, secret, SPEC);
  assert.equal((await features(shop)).status, 200);
  server.db.prepare("DELETE FROM tokens WHERE hash = ?").run(hashSecret(CLIENT));
  await until(async () => (await features(CLIENT)).status === 401, "it is refused");
  await until(async () => (await features(shop)).status === 200, "the other is not");
  assert.equal(
    (await features(shop)).text,
    (await get(`${server.url}/api/client/features`, shop, SPEC)).text,
  );
  assert.equal((await get(`${edge.url}/api/frontend`, FRONTEND)).status, 503, "a page may want more");
});

/** A snapshot as an edge has left it. */
async function snapshotOf(t: Parameters<typeof openEdge>[0], url: string) {
  const snapshot = path.join(temporaryFolder(t), "edge.json");
  await (await openEdge(t, url, { snapshot })).stop();
  return snapshot;
}

test("a snapshot that is cut, or newer, is not used, and any other file is left alone", async (t) => {
  const server = await openUpstream(t);
  const snapshot = await snapshotOf(t, server.url);
  const whole = fs.readFileSync(snapshot, "utf8");
  for (const content of [whole.slice(0, 500), '{"version":99,"tokens":{}}', ""]) {
    fs.writeFileSync(snapshot, content);
    const edge = await openEdge(t, server.url, { snapshot });
    assert.equal((await get(`${edge.url}/api/client/features`, CLIENT)).status, 200);
    await edge.stop();
    assert.equal(
      edge.logged.some(({ message }) => /was cut, or is of another version/.test(message)),
      content !== "",
    );
    assert.ok(JSON.parse(fs.readFileSync(snapshot, "utf8")).kept.length > 0, "and is written anew");
  }
  fs.writeFileSync(snapshot, "SQLite format 3");
  await assert.rejects(openEdge(t, server.url, { snapshot }), UsageError);
  assert.equal(fs.readFileSync(snapshot, "utf8"), "SQLite format 3");
});

test("two edges may share a snapshot, and their clocks may be a day apart", async (t) => {
  const server = await openUpstream(t);
  const snapshot = await snapshotOf(t, server.url);
  await Promise.all([1, 2].map(() => snapshotOf(t, server.url)));
  const edges = await Promise.all([1, 2].map(() => openEdge(t, server.url, { snapshot })));
  await Promise.all(edges.map(({ stop }) => stop()));
  server.cut(true);
  for (const [hours, age] of [
    [-24, 86_400],
    [24, 0],
  ] as const) {
    const known = JSON.parse(fs.readFileSync(snapshot, "utf8"));
    known.kept[0].at = Date.now() + hours * 3_600_000;
    fs.writeFileSync(snapshot, JSON.stringify(known));
    const edge = await openEdge(t, server.url, { snapshot });
    const { headers } = await get(`${edge.url}/api/client/features`, CLIENT);
    assert.ok(Math.abs(Number(headers.get("age")) - age) < 60);
    await edge.stop();
  }
});
