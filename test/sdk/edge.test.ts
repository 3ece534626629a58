import assert from "node:assert/strict";
import { test } from "node:test";
import { writeUsage } from "../../src/applications/usage-store.ts";
import { openServer } from "../support/server.ts";
import { CLIENT, createWorld } from "../support/world.ts";

/*
 * The requests that the original's Edge makes to its server, in order. Its binary is not available here, so they are
 * replayed.
 */

const world = () =>
  createWorld()
    .project("a")
    .feature("menu", "a", { environments: [{ name: "development", enabled: true }] });

test("an Edge starts, follows changes, forwards usage, and notices that its token is revoked", async (t) => {
  const { request, db } = await openServer(t, world());
  const ask = (path: string, init = {}) => request(path, { as: CLIENT, ...init });
  const validate = () =>
    request("/edge/validate", { method: "POST", as: null, body: { tokens: [CLIENT, "unknown"] } });

  const { body: valid } = await validate();
  const checked = { token: CLIENT, type: "client", projects: ["*"], environment: "development" };
  assert.deepEqual(valid, { tokens: [checked] });

  const headers = { "unleash-client-spec": "5.1.9", "unleash-appname": "unleash-edge" };
  const first = await ask("/api/client/features", { headers });
  assert.deepEqual(
    first.body.features.map(({ name }: { name: string }) => name),
    ["menu"],
  );
  const known = { ...headers, "if-none-match": first.headers.get("etag")! };
  assert.equal((await ask("/api/client/features", { headers: known })).status, 304);
  await request("/api/admin/projects/a/features/menu/environments/development/off", { method: "POST" });
  const second = await ask("/api/client/features", { headers: known });
  assert.deepEqual([second.status, second.body.features[0].enabled], [200, false]);

  const place = { appName: "shop", environment: "development" };
  const now = new Date().toISOString();
  const application = {
    ...place,
    instanceId: "i",
    connectVia: [{ appName: "unleash-edge", instanceId: "e" }],
  };
  const report = {
    applications: [
      { ...application, sdkVersion: "unleash-java:9", strategies: [], started: now, interval: 15 },
    ],
    metrics: [{ ...place, featureName: "menu", timestamp: now, yes: 3, no: 1, variants: { red: 2 } }],
  };
  assert.equal((await ask("/api/client/metrics/bulk", { method: "POST", body: report })).status, 202);
  await writeUsage(db);
  const { body: usage } = await request("/api/admin/client-metrics/features/menu");
  assert.deepEqual(usage.seenApplications, ["shop"]);
  assert.deepEqual([usage.lastHourUsage[0].yes, usage.lastHourUsage[0].no], [3, 1]);

  await request(`/api/admin/api-tokens/${encodeURIComponent(CLIENT)}`, { method: "DELETE" });
  assert.equal((await ask("/api/client/features", { headers })).status, 401);
  assert.deepEqual((await validate()).body, { tokens: [] });
});
