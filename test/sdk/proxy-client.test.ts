import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { FRONTEND, SERVICE } from "../support/world.ts";
import { serveSeed } from "./serving.ts";

const SEED = {
  features: [
    { name: "everyone", enabled: true, variants: [{ name: "blue", weight: 1000 }] },
    { name: "norway", enabled: true, strategies: [{ name: "userWithId", parameters: { userIds: "7" } }] },
    { name: "off", enabled: false },
  ],
};

async function open(t: TestContext, options: { usePOSTrequests?: boolean; clientKey?: string } = {}) {
  const url = await serveSeed(t, SEED);
  const statuses: number[] = [];
  const client = new UnleashClient({
    url: `${url}/api/frontend`,
    clientKey: FRONTEND,
    appName: "shop",
    refreshInterval: 0.5, // each request aborts the previous one
    disableMetrics: true,
    storageProvider: new InMemoryStorageProvider(),
    fetch: async (...args: Parameters<typeof fetch>) => {
      const response = await fetch(...args);
      statuses.push(response.status);
      return response;
    },
    ...options,
  });
  t.after(() => client.stop());
  const when = (event: string) => new Promise<void>((resolve) => client.once(event, () => resolve()));
  /** Responses may be late or aborted; any later one will do. */
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await when("update");
  };
  const admin = (path: string, method: string) =>
    fetch(`${url}/api/admin${path}`, { method, headers: { authorization: SERVICE } });
  return { client, statuses, when, until, admin };
}

for (const usePOSTrequests of [false, true]) {
  test(`the browser SDK, by ${usePOSTrequests ? "POST" : "GET"}`, async (t) => {
    const { client, statuses, when, until, admin } = await open(t, { usePOSTrequests });
    const ready = when("ready");
    await client.start();
    await ready;
    assert.equal(client.isEnabled("everyone"), true);
    assert.equal(client.getVariant("everyone").name, "blue");
    assert.equal(client.isEnabled("norway"), false);
    void client.updateContext({ userId: "7" });
    await until(() => client.isEnabled("norway"));
    while (!usePOSTrequests && !statuses.includes(304)) await new Promise(setImmediate);
    await admin("/projects/default/features/off/environments/development/on", "POST");
    await until(() => client.isEnabled("off"));
  });
}

test("the browser SDK reports a revoked token", async (t) => {
  const { client, statuses, when, admin } = await open(t);
  await client.start();
  const failed = when("error");
  const { status } = await admin(`/api-tokens/${encodeURIComponent(FRONTEND)}`, "DELETE");
  assert.equal(status, 200);
  await failed;
  assert.equal(statuses.at(-1), 401);
});
