import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { Unleash, type UnleashConfig } from "unleash-client";
import { openServer } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND } from "../support/world.ts";

const world = () =>
  createWorld()
    .project("a")
    .add("segment", {
      id: 1,
      name: "belgians",
      constraints: [{ contextName: "country", operator: "IN", values: ["be"] }],
    })
    .feature("cart", "a", {
      environments: [
        { name: "development", enabled: true, strategies: [{ id: "s", name: "default", segments: [1] }] },
      ],
    })
    .feature("menu", "a");

async function open(t: TestContext, token: string, options: Partial<UnleashConfig> = {}) {
  const { listener, request, streams } = await openServer(t, world());
  const statuses: number[] = [];
  const server = http.createServer((req, res) => {
    res.on("finish", () => statuses.push(res.statusCode));
    listener(req, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const sdk = new Unleash({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    appName: "shop",
    customHeaders: { authorization: token },
    refreshInterval: 100,
    disableMetrics: true,
    ...options,
  });
  t.after(() => sdk.destroy());
  return { sdk, request, statuses, server, streams };
}

test("the Node SDK starts, gets a 304 if nothing has changed, and sees a change", async (t) => {
  const { sdk, request, statuses } = await open(t, CLIENT);
  await once(sdk, "synchronized");
  const properties = { country: "be" };
  assert.equal(sdk.isEnabled("cart", { properties }), true, "a segment is evaluated");
  assert.equal(sdk.isEnabled("cart"), false);
  assert.equal(sdk.isEnabled("menu"), false);
  await once(sdk, "unchanged");
  assert.ok(statuses.includes(304));
  await request("/api/admin/projects/a/features/menu/environments/development/on", { method: "POST" });
  await once(sdk, "changed");
  assert.equal(sdk.isEnabled("menu"), true);
});

test("the Node SDK is refused with the wrong kind of token", async (t) => {
  const { sdk, statuses } = await open(t, FRONTEND);
  const [error] = await once(sdk, "error");
  assert.match(String(error), /403|token/i);
  assert.deepEqual([...new Set(statuses)], [403]);
});

const menu = (state: string) => `/api/admin/projects/a/features/menu/environments/development/${state}`;

/** Waits until a flag is on or off. */
async function until(sdk: Unleash, isOn: boolean) {
  while (sdk.isEnabled("menu") !== isOn) await once(sdk, "changed");
}

for (const experimentalMode of [{ type: "polling", format: "delta" }, { type: "streaming" }] as const) {
  const mode = "format" in experimentalMode ? "delta" : "streaming";
  test(`the Node SDK in ${mode} mode starts, and sees flags changed, deleted and created`, async (t) => {
    const { sdk, request } = await open(t, CLIENT, { experimentalMode });
    await once(sdk, "ready");
    assert.equal(sdk.isEnabled("cart", { properties: { country: "be" } }), true, "a segment is evaluated");
    assert.equal(sdk.isEnabled("menu"), false);
    await request(menu("on"), { method: "POST" });
    await until(sdk, true);
    await request("/api/admin/projects/a/features/menu", { method: "DELETE" });
    await until(sdk, false);
    assert.equal(sdk.getFeatureToggleDefinition("menu"), undefined);
    await request("/api/admin/archive/revive/menu", { method: "POST" });
    await request(menu("on"), { method: "POST" });
    await until(sdk, true);
    const constraints = [{ contextName: "country", operator: "IN", values: ["nl"] }];
    await request("/api/admin/segments/1", { method: "PUT", body: { name: "dutch", constraints } });
    while (!sdk.isEnabled("cart", { properties: { country: "nl" } })) await once(sdk, "changed");
  });
}

test("the Node SDK in streaming mode reconnects, and gets what it missed", async (t) => {
  const { sdk, request, server } = await open(t, CLIENT, { experimentalMode: { type: "streaming" } });
  await once(sdk, "ready");
  server.closeAllConnections();
  await request(menu("on"), { method: "POST" });
  await until(sdk, true);
});

test("the Node SDK in streaming mode is disconnected when its token is deleted", async (t) => {
  const { sdk, request, statuses } = await open(t, CLIENT, { experimentalMode: { type: "streaming" } });
  await once(sdk, "ready");
  const { body } = await request("/api/admin/api-tokens");
  const { secret } = body.tokens.find(({ type }: { type: string }) => type === "client");
  const refused = once(sdk, "error");
  await request(`/api/admin/api-tokens/${encodeURIComponent(secret)}`, { method: "DELETE" });
  assert.match(String((await refused)[0]), /401/);
  assert.deepEqual(statuses.slice(-2), [401, 401], "the stream, and the polling fallback");
});

for (const experimentalMode of [
  { type: "polling", format: "full" },
  { type: "polling", format: "delta" },
  { type: "streaming" },
] as const) {
  const mode = "format" in experimentalMode ? experimentalMode.format : "streaming";
  test(`the Node SDK in ${mode} mode keeps up with a flag that changes all the time`, async (t) => {
    const { sdk, request } = await open(t, CLIENT, { experimentalMode });
    await once(sdk, "ready");
    for (let change = 0; change < 30; change++) {
      const { status } = await request(menu(change % 2 === 0 ? "on" : "off"), { method: "POST" });
      assert.equal(status, 200);
      await new Promise(setImmediate);
    }
    await request(menu("on"), { method: "POST" });
    await until(sdk, true);
    await request(menu("off"), { method: "POST" });
    await until(sdk, false);
  });
}
