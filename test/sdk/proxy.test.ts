import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { InMemStorageProvider, Unleash } from "unleash-client";
import { UnleashClient } from "unleash-proxy-client";
import { CLIENT } from "../support/world.ts";
import { serveFile } from "./serving-file.ts";

/*
 * @unleash/proxy from npm between this server and unaware applications.
 */

const KEY = "key-of-the-proxy";

async function open(t: TestContext) {
  const server = await serveFile(t);
  const child = fork(path.join(import.meta.dirname, "proxy-child.ts"), [`${server.url}/api`, CLIENT, KEY], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  t.after(() => void child.kill());
  const [port] = await once(child, "message");
  return { ...server, proxy: `http://127.0.0.1:${port}/proxy` };
}

/** A page that polls the proxy. */
function openClient(t: TestContext, proxy: string) {
  const sdk = new UnleashClient({
    url: proxy,
    clientKey: KEY,
    appName: "page",
    refreshInterval: 0.05,
    metricsInterval: 0.05,
    metricsIntervalInitial: 0,
  });
  sdk.on("error", () => {}); // until the proxy has flags
  t.after(() => sdk.stop());
  return sdk;
}

const PAUSE_MS = 20;

/** Waits for a change that a proxy and an SDK find by polling. */
async function until(isSo: () => boolean | Promise<boolean>) {
  while (!(await isSo())) await setTimeout(PAUSE_MS);
}

test("behind a proxy, a page starts, sees a change, and its usage is reported in the name of the proxy", async (t) => {
  const { proxy, turnMenu, admin } = await open(t);
  const sdk = openClient(t, proxy);
  await sdk.start();
  await until(() => sdk.isEnabled("cart"));
  assert.equal(sdk.getVariant("cart").name, "red");
  assert.equal(sdk.isEnabled("menu"), false);
  await turnMenu("on");
  await until(() => sdk.isEnabled("menu"));
  await until(async () => {
    const { data } = await admin("/client-metrics/features/cart/raw?hoursBack=1");
    return data.some(({ appName, yes }: { appName: string; yes: number }) => appName === "proxy" && yes > 0);
  });
});

test("behind a proxy, a server SDK reads flags", async (t) => {
  const { proxy, turnMenu } = await open(t);
  const sdk = new Unleash({
    url: proxy,
    appName: "shop",
    customHeaders: { authorization: KEY },
    storageProvider: new InMemStorageProvider(),
    refreshInterval: 50,
    disableMetrics: true,
  });
  t.after(() => sdk.destroy());
  sdk.on("error", () => {});
  await until(() => sdk.isEnabled("cart"));
  await turnMenu("on");
  await until(() => sdk.isEnabled("menu"));
});

test("a proxy keeps working without its server, and follows it again once it is back", async (t) => {
  const { proxy, turnMenu, stop, startAgain } = await open(t);
  const sdk = openClient(t, proxy);
  await sdk.start();
  await until(() => sdk.isEnabled("cart"));
  await stop();
  await sdk.updateContext({ userId: "7" }); // polls the proxy again
  assert.equal(sdk.isEnabled("cart"), true);
  await startAgain();
  await turnMenu("on");
  await until(() => sdk.isEnabled("menu"));
});

test("a proxy keeps its flags when its token is revoked", async (t) => {
  const { proxy, admin, turnMenu } = await open(t);
  const sdk = openClient(t, proxy);
  await sdk.start();
  await until(() => sdk.isEnabled("cart"));
  await admin(`/api-tokens/${encodeURIComponent(CLIENT)}`, "DELETE");
  await turnMenu("on");
  await sdk.updateContext({ userId: "7" });
  assert.deepEqual([sdk.isEnabled("cart"), sdk.isEnabled("menu")], [true, false]);
});
