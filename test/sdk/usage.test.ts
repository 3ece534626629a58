import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { InMemStorageProvider, Unleash } from "unleash-client";
import { UnleashClient } from "unleash-proxy-client";
import { writeUsage } from "../../src/applications/usage-store.ts";
import { openServer } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND } from "../support/world.ts";

/** A server on a socket, with an enabled flag that has a variant. */
async function open(t: TestContext) {
  const variant = { name: "red", weight: 1000, weightType: "variable", stickiness: "default" };
  const strategies = [{ id: "s", name: "default", variants: [variant] }];
  const world = createWorld()
    .project("a")
    .feature("cart", "a", { environments: [{ name: "development", enabled: true, strategies }] })
    .feature("menu", "a");
  const server = await openServer(t, world);
  const listening = http.createServer(server.listener).listen(0, "127.0.0.1");
  await once(listening, "listening");
  t.after(() => {
    listening.close();
    listening.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const read = async (flag: string) => {
    await writeUsage(server.db);
    const { data } = (await server.request(`/api/admin/client-metrics/features/${flag}/raw?hoursBack=1`))
      .body;
    return data.map(({ appName, environment, yes, no, variants }: Record<string, unknown>) => ({
      appName,
      environment,
      yes,
      no,
      variants,
    }));
  };
  return { ...server, origin, read };
}

test("the Node SDK registers, and reports its usage", async (t) => {
  const { origin, read, request } = await open(t);
  const sdk = new Unleash({
    url: `${origin}/api/`,
    appName: "shop",
    instanceId: "one",
    customHeaders: { authorization: CLIENT },
    storageProvider: new InMemStorageProvider(),
    refreshInterval: 100,
    metricsInterval: 50,
  });
  t.after(() => sdk.destroy());
  const registered = once(sdk, "registered");
  await once(sdk, "synchronized");
  await registered;
  sdk.isEnabled("cart");
  sdk.getVariant("cart");
  sdk.isEnabled("menu");
  sdk.isEnabled("missing");
  await once(sdk, "sent");
  const shop = { appName: "shop", environment: "development" };
  assert.deepEqual(await read("cart"), [{ ...shop, yes: 2, no: 0, variants: { red: 1 } }]);
  assert.deepEqual(await read("menu"), [{ ...shop, yes: 0, no: 1, variants: {} }]);
  const { body } = await request("/api/admin/metrics/applications/shop");
  assert.deepEqual(
    body.seenToggles.map(({ name }: { name: string }) => name),
    ["cart", "menu", "missing"],
  );
  const [{ instanceId, sdkVersion }] = body.instances;
  assert.equal(instanceId, "one");
  assert.match(sdkVersion, /^unleash-(client-node|node-sdk):\d/);
});

test("the browser SDK reports its usage", async (t) => {
  const { origin, read } = await open(t);
  const sdk = new UnleashClient({
    url: `${origin}/api/frontend`,
    clientKey: FRONTEND,
    appName: "page",
    refreshInterval: 0,
    metricsInterval: 0.05,
    metricsIntervalInitial: 0,
  });
  t.after(() => sdk.stop());
  await sdk.start();
  assert.equal(sdk.isEnabled("cart"), true);
  assert.equal(sdk.getVariant("cart").name, "red");
  assert.equal(sdk.isEnabled("menu"), false);
  await new Promise((resolve) => sdk.once("sent", resolve));
  const page = { appName: "page", environment: "development" };
  assert.deepEqual(await read("cart"), [{ ...page, yes: 2, no: 0, variants: { red: 1 } }]);
  assert.deepEqual(await read("menu"), [{ ...page, yes: 0, no: 1, variants: {} }]);
});
