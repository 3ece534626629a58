import assert from "node:assert/strict";
import { test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { writeUsage } from "../../src/applications/usage-store.ts";
import { badBodies } from "../support/bad-bodies.ts";
import { openServer, scenarios } from "../support/server.ts";
import { CLIENT, FRONTEND, personal, SERVICE } from "../support/world.ts";

const now = new Date().toISOString();
const application = {
  appName: "shop",
  instanceId: "one",
  environment: "development",
  strategies: [],
  started: now,
  interval: 15_000,
};
const row = { featureName: "a", appName: "shop", environment: "development", timestamp: now, yes: 1, no: 0 };
const bulk = { applications: [application], metrics: [row] };

for (const path of ["/api/client/metrics/bulk", "/edge/metrics"]) {
  scenarios(`POST ${path}`, [
    {
      name: "is accepted",
      as: CLIENT,
      body: bulk,
      expect: 202,
      see: (_, { text }) => assert.equal(text, ""),
    },
    { name: "no credential", as: null, body: bulk, expect: [401, "AuthenticationRequired"] },
    { name: "a frontend token", as: FRONTEND, body: bulk, expect: [403, "NoAccessError"] },
    ...badBodies({ as: CLIENT }, [
      ["no applications", { metrics: [] }, "body.applications"],
      ["no metrics", { applications: [] }, "body.metrics"],
      ["an instance without a name", toBulk({ instanceId: undefined }), "body.applications.0.instanceId"],
      ["an application nowhere", toBulk({ environment: undefined }), "body.applications.0.environment"],
      ["a negative count", { ...bulk, metrics: [{ ...row, yes: -1 }] }, "body.metrics.0.yes"],
      ["an invalid time", { ...bulk, metrics: [{ ...row, timestamp: {} }] }, "body.metrics.0.timestamp"],
    ]),
  ]);

  test(`POST ${path}: usage in another environment is not stored`, async (t) => {
    const { request, db } = await openServer(t);
    const elsewhere = { environment: "production" };
    const long = { featureName: "x".repeat(10_000) };
    const body = {
      applications: [application, { ...application, ...elsewhere, appName: "other" }],
      metrics: [row, row, { ...row, ...elsewhere }, { ...row, ...long }],
    };
    await request(path, { method: "POST", as: CLIENT, body });
    await writeUsage(db);
    assert.deepEqual(db.prepare("SELECT name FROM applications").pluck().all(), ["shop"]);
    const counted = db.prepare("SELECT feature, yes, no FROM usage_series JOIN hourly_usage ON series = id");
    assert.deepEqual(counted.all(), [{ feature: "a", yes: 2, no: 0 }]);
  });
}

function toBulk(rest: object) {
  return { applications: [{ ...application, ...rest }], metrics: [] };
}

scenarios("POST /api/client/metrics/edge", [
  { name: "is accepted", as: CLIENT, body: { appName: "edge" }, expect: 202 },
  { name: "no credential", as: null, body: { appName: "edge" }, expect: [401, "AuthenticationRequired"] },
  ...badBodies({ as: CLIENT }, [["it says not what it is", {}, "body.appName"]]),
]);

const tokens = [CLIENT, FRONTEND, SERVICE, personal(1), "unknown", CLIENT, "ended"];

scenarios("POST /edge/validate", [
  {
    name: "anyone may check tokens that they know; personal, unknown and expired ones are omitted",
    as: null,
    given: (w) =>
      w.add("token", {
        type: "client",
        name: "old",
        hash: hashSecret("ended"),
        environment: "development",
        expiresAt: "2026-01-01T00:00:00Z",
      }),
    body: { tokens },
    see: (body) =>
      assert.deepEqual(body, {
        tokens: [
          { token: CLIENT, type: "client", projects: ["*"], environment: "development" },
          { token: FRONTEND, type: "frontend", projects: ["*"], environment: "development" },
          { token: SERVICE, type: "admin", projects: ["*"], environment: "*" },
        ],
      }),
  },
  { name: "none", as: null, body: { tokens: [] }, see: (body) => assert.deepEqual(body, { tokens: [] }) },
  { name: "the wrong kind of credential", as: CLIENT, body: { tokens }, expect: [403, "NoAccessError"] },
  { name: "another kind is ignored", as: personal(1), body: { tokens } },
  ...badBodies({ as: null }, [
    ["no tokens", {}, "body.tokens"],
    ["an object as a token", { tokens: [{}] }, "body.tokens.0"],
    ["too many tokens", { tokens: Array(1001).fill("x") }, "body.tokens"],
  ]),
]);
