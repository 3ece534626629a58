import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { InMemStorageProvider, Unleash, type UnleashConfig } from "unleash-client";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { close, open } from "../../src/db/open.ts";
import { importLines } from "../support/server.ts";
import { CLIENT, FRONTEND } from "../support/world.ts";
import { serveFile } from "./serving-file.ts";

/*
 * The server stops while applications use it, and starts again: they keep their flags meanwhile, and then see changes.
 */

function openNode(t: TestContext, url: string, experimentalMode: UnleashConfig["experimentalMode"]) {
  const sdk = new Unleash({
    url: `${url}/api/`,
    appName: "shop",
    customHeaders: { authorization: CLIENT },
    storageProvider: new InMemStorageProvider(),
    refreshInterval: 50,
    disableMetrics: true,
    ...(experimentalMode && { experimentalMode }),
  });
  t.after(() => sdk.destroy());
  return sdk;
}

for (const [name, mode] of [
  ["polls", undefined],
  ["polls for changes", { type: "polling", format: "delta" }],
  ["listens", { type: "streaming" }],
] as const)
  test(`the Node SDK ${name} while the server restarts`, async (t) => {
    const { url, turnMenu, stop, startAgain } = await serveFile(t);
    const sdk = openNode(t, url, mode);
    await once(sdk, "ready");
    const lost = mode?.type === "streaming" ? undefined : once(sdk, "error");
    await stop();
    await lost;
    assert.equal(sdk.isEnabled("cart"), true);
    await startAgain();
    await turnMenu("on");
    while (!sdk.isEnabled("menu")) await once(sdk, "changed");
  });

test("the browser SDK polls while the server restarts", async (t) => {
  const { url, turnMenu, stop, startAgain } = await serveFile(t);
  const sdk = new UnleashClient({
    url: `${url}/api/frontend`,
    clientKey: FRONTEND,
    appName: "page",
    refreshInterval: 0.05,
    disableMetrics: true,
    storageProvider: new InMemoryStorageProvider(),
  });
  t.after(() => sdk.stop());
  await sdk.start();
  const when = (event: string) => new Promise<void>((resolve) => sdk.once(event, () => resolve()));
  const lost = when("error");
  await stop();
  await lost;
  assert.equal(sdk.isEnabled("cart"), true);
  const recovered = when("recovered");
  await startAgain();
  await recovered;
  const updated = when("update");
  await turnMenu("on");
  await updated;
  assert.equal(sdk.isEnabled("menu"), true);
});

test("a revision known only to the stopped server is not mistaken for another", async (t) => {
  const { url, file, turnMenu, stop, startAgain } = await serveFile(t);
  const poll = async (known = "") => {
    const headers = { authorization: CLIENT, "if-none-match": known };
    const response = await fetch(`${url}/api/client/delta`, { headers });
    assert.equal(response.status, 200);
    const { events } = (await response.json()) as { events: Array<{ type: string }> };
    return { types: events.map(({ type }) => type), etag: response.headers.get("etag")! };
  };
  let { etag } = await poll();
  for (const name of ["one", "two"]) {
    const db = open(file); // like an import, which records no events
    await importLines(db, [
      { kind: "dataset", version: 1 },
      { kind: "feature", name, project: "a" },
    ]);
    close(db);
    const told = await poll(etag);
    assert.deepEqual(told.types, ["feature-updated"]);
    etag = told.etag;
  }
  await stop();
  await startAgain();
  await turnMenu("on"); // records two events, as many as the changes without events
  assert.deepEqual((await poll(etag)).types, ["hydration"]);
});
