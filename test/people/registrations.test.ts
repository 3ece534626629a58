import assert from "node:assert/strict";
import { test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { writeUsage } from "../../src/applications/usage-store.ts";
import type { Database } from "../../src/db/database.ts";
import { badBodies } from "../support/bad-bodies.ts";
import { openServer, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND, personal, SERVICE } from "../support/world.ts";

const body = { appName: "shop", strategies: ["default"], started: "2026-05-01T00:00:00Z", interval: 15_000 };
const good = { as: CLIENT, body };

const all = (db: Database, sql: string) => db.prepare<[], object>(sql).all();
const applications = (db: Database) => all(db, "SELECT name, strategies FROM applications ORDER BY name");
const instances = (db: Database) =>
  all(
    db,
    "SELECT application, environment, instance, sdk_version FROM application_instances ORDER BY 1, 2, 3",
  );
const places = (db: Database) => all(db, "SELECT application, project, environment FROM application_places");

scenarios("POST /api/client/register", [
  {
    ...good,
    name: "is accepted",
    expect: 202,
    see: (_, { headers, text }) => assert.deepEqual([headers.get("x-unleash-version"), text], ["6.3.0", ""]),
  },
  { ...good, name: "started in milliseconds", body: { ...body, started: 1_767_225_600_000 }, expect: 202 },
  { ...good, name: "an interval as text", body: { ...body, interval: "15000" }, expect: 202 },
  { ...good, name: "a service token", as: SERVICE, expect: 202 },
  { ...good, name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
  { ...good, name: "a frontend token", as: FRONTEND, expect: [403, "NoAccessError"] },
  { ...good, name: "a personal token", as: personal(1), expect: [403, "NoAccessError"] },
  ...badBodies({ as: CLIENT }, [
    ["no application", { ...body, appName: undefined }, "body.appName"],
    ["an empty application", { ...body, appName: "" }, "body.appName"],
    ["no strategies", { ...body, strategies: undefined }, "body.strategies"],
    ["text as the strategies", { ...body, strategies: "default" }, "body.strategies"],
    ["an overlong strategy name", { ...body, strategies: ["x".repeat(10_000)] }, "body.strategies.0"],
    ["a thousand strategies", { ...body, strategies: Array(1000).fill("x") }, "body.strategies"],
    ["no start time", { ...body, started: undefined }, "body.started"],
    ["an invalid start time", { ...body, started: "soon" }, "body.started"],
    ["no interval", { ...body, interval: undefined }, "body.interval"],
    ["a negative interval", { ...body, interval: -1 }, "body.interval"],
    ["an overlong SDK version", { ...body, sdkVersion: "x".repeat(10_000) }, "body.sdkVersion"],
  ]),
]);

test("an application and its instances are stored, with the scope of their tokens", async (t) => {
  const { request, db } = await openServer(t);
  const register = (rest: object) =>
    request("/api/client/register", { method: "POST", as: CLIENT, body: { ...body, ...rest } });
  await register({ instanceId: "one", sdkVersion: "unleash-client-node:6.0.0", environment: "production" });
  await register({ instanceId: "", strategies: ["default", "own"] });
  assert.deepEqual(applications(db), [], "no request waits for the write");
  await writeUsage(db);
  await register({ instanceId: "one" });
  await writeUsage(db);
  assert.deepEqual(applications(db), [{ name: "shop", strategies: '["default"]' }]);
  const development = { application: "shop", environment: "development" };
  assert.deepEqual(instances(db), [
    { ...development, instance: "default", sdk_version: null },
    { ...development, instance: "one", sdk_version: "unleash-client-node:6.0.0" },
  ]);
  assert.deepEqual(places(db), [{ ...development, project: "*" }]);
});

test("a project is onboarded by an application of its own", async (t) => {
  const hash = hashSecret("own");
  const world = createWorld()
    .project("a")
    .add("token", { type: "client", name: "own", hash, projects: ["a"], environment: "development" });
  const { request, db } = await openServer(t, world);
  const status = async () => (await request("/api/admin/personal-dashboard/a")).body.onboardingStatus.status;
  await request("/api/client/register", { method: "POST", as: CLIENT, body });
  await writeUsage(db);
  assert.equal(await status(), "onboarding-started");
  await request("/api/client/register", { method: "POST", as: "own", body });
  await writeUsage(db);
  assert.equal(await status(), "onboarded");
});

scenarios("POST /api/frontend/client/register", [
  { name: "is accepted", as: FRONTEND, body, see: (_, { text }) => assert.equal(text, "OK") },
  { name: "a client token", as: CLIENT, body, expect: [403, "NoAccessError"] },
  ...badBodies({ as: FRONTEND }, [["no interval", { ...body, interval: undefined }, "body.interval"]]),
]);

const now = new Date().toISOString();
const report = { appName: "page", bucket: { start: now, stop: now, toggles: { a: { yes: 1, no: 0 } } } };

scenarios("POST /api/frontend/client/metrics", [
  { name: "is accepted", as: FRONTEND, body: report, see: (_, { text }) => assert.equal(text, "OK") },
  { name: "a client token", as: CLIENT, body: report, expect: [403, "NoAccessError"] },
  ...badBodies({ as: FRONTEND }, [["no bucket", { appName: "page" }, "body.bucket"]]),
]);

test("an application that only reports usage is stored, without strategies", async (t) => {
  const { request, db } = await openServer(t);
  const body = { ...report, environment: "production" };
  await request("/api/frontend/client/metrics", { method: "POST", as: FRONTEND, body });
  await request("/api/frontend/client/register", {
    method: "POST",
    as: FRONTEND,
    body: { ...good.body, appName: "page" },
  });
  await writeUsage(db);
  assert.deepEqual(applications(db), [{ name: "page", strategies: "[]" }]);
  const page = { application: "page", environment: "development", instance: "default", sdk_version: null };
  assert.deepEqual(instances(db), [page]);
});
