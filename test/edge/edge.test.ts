import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { writeUsage } from "../../src/applications/usage-store.ts";
import { temporaryFolder } from "../cli/run-cli.ts";
import { until } from "../support/receiver.ts";
import { CLIENT, FRONTEND, personal, SERVICE } from "../support/world.ts";
import { get, openEdge, openUpstream, SPEC, tokenFor, world } from "./serving.ts";

test("applications get the same from an edge as from the server, byte for byte, and from an edge behind it", async (t) => {
  const server = await openUpstream(t);
  const edge = await openEdge(t, server.url);
  const second = await openEdge(t, edge.url);
  for (const [where, token, headers] of [
    ["/api/client/features", CLIENT, SPEC],
    ["/api/client/features", CLIENT, {}],
    ["/api/client/features/cart", CLIENT, SPEC],
    ["/api/client/features?namePrefix=se", CLIENT, SPEC],
    ["/api/frontend?userId=7", FRONTEND, {}],
    ["/api/frontend?userId=8", FRONTEND, {}],
  ] as const) {
    const own = await get(server.url + where, token, headers);
    assert.equal(own.status, 200);
    for (const { url } of [edge, second]) {
      const other = await get(url + where, token, headers);
      assert.deepEqual([other.status, other.text], [own.status, own.text], where);
      assert.equal(other.headers.get("etag"), own.headers.get("etag"));
    }
  }
  assert.equal((await get(`${edge.url}/api/admin/projects`, SERVICE)).status, 404);
  const { text } = await get(`${edge.url}/`, SERVICE);
  assert.match(text, /An edge: .*\/api\/client\/features/s);
  assert.doesNotMatch(text, /api\/admin/);
});

test("a change reaches the edge by upstream's stream, and what is gone is gone", async (t) => {
  const server = await openUpstream(t);
  const edge = await openEdge(t, server.url, { pollMs: 60_000 });
  const names = async () => {
    const { text } = await get(`${edge.url}/api/client/features`, CLIENT);
    return JSON.parse(text).features.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await names(), ["cart", "search"]);
  const feature = "/api/admin/projects/shop/features/search";
  await fetch(server.url + feature, { method: "DELETE", headers: { authorization: personal(1) } });
  await until(async () => (await names()).length === 1, "the flag is gone");
});

test("tokens whose flags come with another's open no streams, however often they are asked for", async (t) => {
  const narrow = "shop:development.a-token-for-one";
  const server = await openUpstream(t, world().add("token", tokenFor(narrow)));
  const edge = await openEdge(t, server.url);
  for (const token of [narrow, FRONTEND]) await get(`${edge.url}/api/frontend`, token);
  const polls = () => server.asked.filter((asked) => asked.endsWith("/api/client/features")).length;
  const before = polls();
  await until(() => polls() > before + 10);
  assert.equal(server.asked.filter((asked) => asked.endsWith("/streaming")).length, 1);
});

test("the stream of a token ends once another token brings its flags", async (t) => {
  const narrow = "shop:development.a-token-for-one";
  const server = await openUpstream(t, world().add("token", tokenFor(narrow)));
  const edge = await openEdge(t, server.url, { tokens: [narrow] });
  const count = () => server.streams.count();
  await until(() => count() === 1, "the narrow one's");
  await get(`${edge.url}/api/client/features`, CLIENT);
  await until(
    () => server.asked.filter((asked) => asked.endsWith("/streaming")).length === 2,
    "the wide one's",
  );
  await until(() => count() === 1, "and only that");
});

test("an edge does not go back to what an edge upstream knew before, but to what a server was restored to", async (t) => {
  const server = await openUpstream(t);
  const edge = await openEdge(t, server.url);
  const count = async () =>
    JSON.parse((await get(`${edge.url}/api/client/features`, CLIENT)).text).features.length;
  const former = await get(`${server.url}/api/client/features`, CLIENT, SPEC);
  const where = `${server.url}/api/admin/projects/shop/features/search`;
  await fetch(where, { method: "DELETE", headers: { authorization: personal(1) } });
  await until(async () => (await count()) === 1, "the flag is gone");
  let told = 0;
  const tell = (age: object) => {
    told = 0;
    server.line.via = (request, response) => {
      if (!request.url!.endsWith("/client/features")) return server.listener(request, response);
      told++;
      response.writeHead(200, { "content-type": "application/json", ...age }).end(former.text);
    };
  };
  tell({ age: 60 });
  await until(() => told > 10);
  assert.equal(await count(), 1);
  tell({});
  await until(async () => (await count()) === 2, "the flag is back");
});

test("an edge serves what it knows while upstream is away, also after a start", async (t) => {
  const server = await openUpstream(t);
  const snapshot = path.join(temporaryFolder(t), "edge.json");
  const first = await openEdge(t, server.url, { snapshot });
  const own = await get(`${first.url}/api/client/features`, CLIENT, SPEC);
  await get(`${first.url}/api/frontend`, FRONTEND);
  server.cut(true);
  await until(() => first.logged.some(({ message }) => /can't be asked/.test(message)));
  assert.equal((await get(`${first.url}/api/client/features`, CLIENT, SPEC)).text, own.text);
  await first.stop();
  assert.ok(!fs.readFileSync(snapshot, "utf8").includes(CLIENT), "no secret is on disk");
  const second = await openEdge(t, server.url, { snapshot });
  assert.equal((await get(`${second.url}/api/client/features`, CLIENT, SPEC)).text, own.text);
  assert.equal((await get(`${second.url}/api/frontend`, FRONTEND)).status, 200);
  const stranger = await get(`${second.url}/api/client/features`, "*:development.unknown");
  assert.equal(stranger.status, 503, "an application that is refused with a 401 would not come back");
  await second.stop();
  const without = await openEdge(t, server.url);
  assert.equal((await get(`${without.url}/api/client/features`, CLIENT)).status, 503);
  server.cut(false);
  await until(async () => (await get(`${without.url}/api/client/features`, CLIENT)).status === 200);
});

test("answers say how old they are, and an edge whose answers are too old is not ready", async (t) => {
  const server = await openUpstream(t);
  const edge = await openEdge(t, server.url, { maxAgeMs: 100 });
  const second = await openEdge(t, edge.url);
  const ageOf = async ({ url }: { url: string }) =>
    Number((await get(`${url}/api/frontend`, FRONTEND)).headers.get("age"));
  const statusOf = async () => (await fetch(`${edge.url}/ready`)).status;
  assert.equal(await ageOf(edge), 0);
  await until(async () => (await statusOf()) === 200, "new enough");
  server.cut(true);
  await until(async () => (await statusOf()) === 503, "too old");
  server.line.via = (request, response) => {
    response.setHeader("age", 7);
    return server.listener(request, response);
  };
  await until(async () => (await ageOf(second)) === 7, "of the server's answers, not of the edge's");
  server.cut(false);
  await until(async () => (await statusOf()) === 200, "as new");
});

test("a token is asked about once, and ends with its revocation", async (t) => {
  const server = await openUpstream(t);
  const edge = await openEdge(t, server.url, { checkMs: 60_000 });
  const validations = () => server.asked.filter((one) => one.endsWith("/edge/validate")).length;
  const before = validations();
  for (let count = 0; count < 20; count++) await get(`${edge.url}/api/frontend`, "*:development.nobody");
  assert.equal(validations(), before + 1);
  const quick = await openEdge(t, server.url);
  assert.equal((await get(`${quick.url}/api/frontend`, FRONTEND)).status, 200);
  server.db.prepare("DELETE FROM tokens WHERE type = 'frontend'").run();
  await until(async () => (await get(`${quick.url}/api/frontend`, FRONTEND)).status === 401, "it is refused");
});

test("a token opens what upstream lets it open now", async (t) => {
  const shop = "shop:development.a-token-for-one";
  const given = world()
    .project("a")
    .add("token", tokenFor(shop, { type: "frontend" }));
  const server = await openUpstream(t, given);
  const edge = await openEdge(t, server.url);
  const toggles = async () => JSON.parse((await get(`${edge.url}/api/frontend?userId=7`, shop)).text).toggles;
  assert.equal((await toggles()).length, 2);
  server.db.prepare(`UPDATE tokens SET projects = '["a"]' WHERE hash = ?`).run(hashSecret(shop));
  await until(async () => (await toggles()).length === 0, "it opens another project");
});

test("usage is summed, sent on, and kept while upstream is away, also over a restart", async (t) => {
  const server = await openUpstream(t);
  const snapshot = path.join(temporaryFolder(t), "edge.json");
  const edge = await openEdge(t, server.url, { snapshot });
  server.cut(true);
  const now = new Date().toISOString();
  const bucket = { start: now, stop: now, toggles: { cart: { yes: 2, no: 1 } } };
  for (let count = 0; count < 3; count++) {
    const { status } = await fetch(`${edge.url}/api/client/metrics`, {
      method: "POST",
      headers: { authorization: CLIENT, "content-type": "application/json" },
      body: JSON.stringify({ appName: "till", instanceId: "1", bucket }),
    });
    assert.equal(status, 202);
  }
  await edge.stop();
  server.cut(false);
  await (await openEdge(t, server.url, { snapshot })).stop();
  await writeUsage(server.db);
  const { body } = await server.request("/api/admin/client-metrics/features/cart");
  const { yes, no } = body.lastHourUsage[0];
  assert.deepEqual([yes, no, body.seenApplications], [6, 3, ["till"]]);
});

test("a segment of a private project is seen with tokens for that project only", async (t) => {
  const [shop, both] = ["shop:development.a-token-for-one", "[]:development.a-token-for-two"];
  const hidden = [
    { name: "development", enabled: true, strategies: [{ id: "h", name: "default", segments: [2] }] },
  ];
  const server = await openUpstream(
    t,
    world()
      .project("vault", { mode: "private" })
      .add("segment", { id: 2, name: "board", constraints: [] })
      .feature("merger", "vault", { environments: hidden })
      .add("token", tokenFor(shop))
      .add("token", tokenFor(both, { projects: ["shop", "vault"] })),
  );
  const edge = await openEdge(t, server.url);
  const second = await openEdge(t, edge.url);
  for (const [secret, segments] of [
    [CLIENT, 2],
    [both, 2],
    [shop, 1],
  ] as const) {
    const own = await get(`${server.url}/api/client/features`, secret, SPEC);
    assert.equal(JSON.parse(own.text).segments.length, segments);
    for (const { url } of [edge, second])
      assert.equal((await get(`${url}/api/client/features`, secret, SPEC)).text, own.text);
  }
});
