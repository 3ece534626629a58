import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OpenFeature } from "@openfeature/server-sdk";
import { CLIENT, SERVICE } from "../support/world.ts";
import { serveSeed } from "./serving.ts";

const PAYLOADS = [
  ["number", "12"],
  ["string", "twelve"],
  ["json", '{"twelve":12}'],
] as const;

const SEED = {
  features: [
    { name: "everyone", enabled: true },
    { name: "off", enabled: false },
    { name: "norway", enabled: true, strategies: [{ name: "userWithId", parameters: { userIds: "7" } }] },
    ...PAYLOADS.map(([type, value]) => ({
      name: type,
      enabled: true,
      variants: [{ name: "blue", weight: 1000, payload: { type, value } }],
    })),
  ],
};

async function open(t: TestContext, token: string) {
  const url = await serveSeed(t, SEED);
  const headers: [string, string][] = [["Authorization", `Bearer ${token}`]];
  await OpenFeature.setProviderAndWait(t.name, new OFREPProvider({ baseUrl: url, headers }));
  t.after(() => OpenFeature.clearProviders());
  return { url, client: OpenFeature.getClient(t.name) };
}

test("OpenFeature on a server evaluates each type of value", async (t) => {
  const { client } = await open(t, CLIENT);
  assert.equal(await client.getBooleanValue("everyone", false), true);
  assert.equal(await client.getBooleanValue("norway", false, { targetingKey: "7" }), true);
  assert.equal(await client.getBooleanValue("norway", true, { targetingKey: "8" }), false);
  assert.equal(await client.getNumberValue("number", 0), 12);
  assert.equal(await client.getStringValue("string", ""), "twelve");
  assert.deepEqual(await client.getObjectValue("json", {}), { twelve: 12 });
  assert.partialDeepStrictEqual(await client.getBooleanDetails("off", true), {
    value: false,
    reason: "DISABLED",
  });
});

test("OpenFeature on a server falls back to the application's default", async (t) => {
  const { client } = await open(t, CLIENT);
  assert.partialDeepStrictEqual(await client.getBooleanDetails("nope", true), {
    value: true,
    errorCode: "FLAG_NOT_FOUND",
  });
  assert.partialDeepStrictEqual(await client.getBooleanDetails("number", true), {
    value: true,
    errorCode: "TYPE_MISMATCH",
  });
});

test("OpenFeature on a server sees a change at once, and a revoked token", async (t) => {
  const { client, url } = await open(t, CLIENT);
  const admin = (path: string, method: string) =>
    fetch(`${url}/api/admin${path}`, { method, headers: { authorization: SERVICE } });
  assert.equal(await client.getBooleanValue("off", false), false);
  await admin("/projects/default/features/off/environments/development/on", "POST");
  assert.equal(await client.getBooleanValue("off", false), true);
  const { status } = await admin(`/api-tokens/${encodeURIComponent(CLIENT)}`, "DELETE");
  assert.equal(status, 200);
  const { value, errorCode } = await client.getBooleanDetails("off", false);
  assert.deepEqual([value, errorCode], [false, "GENERAL"]);
});
