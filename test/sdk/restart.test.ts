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
 * The server stops under applications, and starts again: they keep what they have meanwhile, and then see what changes.
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
  ["asks for changes", { type: "polling", format: "delta" }],
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

test("the browser's SDK asks while the server restarts", async (t) => {
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

test("a position that only the stopped server knew is not taken for another one", async (t) => {
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
    const db = open(file); // as a command does that imports: the log does not tell of it
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
  await turnMenu("on"); // records two events, as many as there were changes without
  assert.deepEqual((await poll(etag)).types, ["hydration"]);
});
