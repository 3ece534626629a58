import assert from "node:assert/strict";
import { test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { writeUsage } from "../../src/applications/usage-store.ts";
import type { Database } from "../../src/db/database.ts";
import { changesSoFar, isCurrent, stampOf } from "../../src/db/revision.ts";
import { badBodies } from "../support/bad-bodies.ts";
import { openServer, scenarios } from "../support/server.ts";
import { hourAgo, report } from "../support/usage.ts";
import { CLIENT, createWorld, FRONTEND, personal, SERVICE } from "../support/world.ts";

const rows = (db: Database) =>
  db
    .prepare<[], object>(`
      SELECT feature, environment, application, yes, no,
        (SELECT json_group_object(variant, count) FROM hourly_variants
          WHERE hourly_variants.series = usage_series.id AND hourly_variants.hour = hourly_usage.hour) AS variants
      FROM usage_series JOIN hourly_usage ON series = id ORDER BY feature, environment, application, hour`)
    .all();

const good = { as: CLIENT, body: report({ a: { yes: 1, no: 2 } }) };

scenarios("POST /api/client/metrics", [
  { ...good, name: "is accepted", expect: 202, see: (_, { text }) => assert.equal(text, "") },
  { ...good, name: "a service token", as: SERVICE, expect: 202 },
  { ...good, name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
  { ...good, name: "a frontend token", as: FRONTEND, expect: [403, "NoAccessError"] },
  { ...good, name: "a personal token", as: personal(1), expect: [403, "NoAccessError"] },
  ...badBodies({ as: CLIENT }, [
    ["no application", { ...report({}), appName: undefined }, "body.appName"],
    ["an application without a name", { ...good.body, appName: "" }, "body.appName"],
    ["an overlong application name", { ...good.body, appName: "x".repeat(10_000) }, "body.appName"],
    ["an overlong instance id", { ...good.body, instanceId: "x".repeat(10_000) }, "body.instanceId"],
    ["no bucket", { appName: "shop" }, "body.bucket"],
    ["null as the start of a bucket", report({}, {}, null), "body.bucket.start"],
    ["an invalid start of a bucket", report({}, {}, "soon"), "body.bucket.start"],
    ["flags as a list", report([]), "body.bucket.toggles"],
    ["a number as a flag's counts", report({ a: 1 }), "body.bucket.toggles.a"],
    ["a negative count", report({ a: { yes: -1, no: 0 } }), "body.bucket.toggles.a.yes"],
    ["a huge count", report({ a: { yes: 1e300, no: 0 } }), "body.bucket.toggles.a.yes"],
    ["text as a count", report({ a: { yes: 0, no: "many" } }), "body.bucket.toggles.a.no"],
    ["a fraction as a count", report({ a: { yes: 0, no: 0.5 } }), "body.bucket.toggles.a.no"],
    [
      "a negative variant",
      report({ a: { yes: 1, variants: { b: -1 } } }),
      "body.bucket.toggles.a.variants.b",
    ],
  ]),
]);

test("usage is summed up by flag, environment, application and hour, and written later", async (t) => {
  const { request, db } = await openServer(t);
  const send = async (body: object) => {
    const { status, text } = await request("/api/client/metrics", { method: "POST", as: CLIENT, body });
    assert.equal(status, 202, text);
  };
  await send(report({ a: { yes: 1, no: 2, variants: { red: 1 } }, unused: { yes: 0, no: 0 } }));
  assert.deepEqual(rows(db), [], "no request waits for the write");
  await send(report({ a: { yes: "2", no: 0, variants: { red: 1, blue: 4 } } }));
  await send(report({ a: { yes: 1.5 } }, { environment: "production", instanceId: null }));
  await writeUsage(db);
  const a = { feature: "a", environment: "development", application: "shop" };
  assert.deepEqual(rows(db), [{ ...a, yes: 5, no: 2, variants: '{"blue":4,"red":2}' }]);
  await send(report({ a: { yes: Number.MAX_SAFE_INTEGER } }));
  await send(report({ a: { yes: Number.MAX_SAFE_INTEGER } }));
  await writeUsage(db);
  assert.deepEqual(rows(db), [{ ...a, yes: Number.MAX_SAFE_INTEGER, no: 2, variants: '{"blue":4,"red":2}' }]);
});

test("invalid parts of a report do not affect the rest", async (t) => {
  const { request, db } = await openServer(t);
  const toggles = {
    ["x".repeat(10_000)]: { yes: 1 },
    "": { yes: 1 },
    ["__proto__"]: { yes: 1 },
    a: { yes: 1 },
  };
  for (const start of [hourAgo(0), Date.now() + 9e9, "9999-12-31", hourAgo(100), -1e14])
    await request("/api/client/metrics", {
      method: "POST",
      as: CLIENT,
      body: report(toggles, {}, start),
    });
  await writeUsage(db);
  const rest = { environment: "development", application: "shop", no: 0, variants: "{}" };
  assert.deepEqual(rows(db), [
    { feature: "__proto__", yes: 3, ...rest },
    { feature: "a", yes: 3, ...rest },
  ]);
});

test("only tokens for all environments let the client name the environment", async (t) => {
  const { request, db } = await openServer(t);
  for (const environment of ["production", undefined])
    await request("/api/client/metrics", {
      method: "POST",
      as: SERVICE,
      body: report({ a: { yes: 1 } }, { environment }),
    });
  await writeUsage(db);
  const environments = rows(db).map((row) => (row as { environment: string }).environment);
  assert.deepEqual(environments, ["default", "production"]);
});

test("usage updates a flag's last-seen time and lifecycle", async (t) => {
  const world = createWorld()
    .project("a")
    .feature("on", "a", { environments: [{ name: "production", enabled: true }] })
    .feature("off", "a");
  const { request, db } = await openServer(t, world);
  const read = async (name: string) => (await request(`/api/admin/projects/a/features/${name}`)).body;
  assert.equal((await read("on")).lastSeenAt, null);
  const body = report({ on: { yes: 1 }, off: { no: 1 } }, { environment: "production" });
  await request("/api/client/metrics", { method: "POST", as: SERVICE, body });
  const now = new Date().toISOString();
  await writeUsage(db, now);
  const [on, off] = [await read("on"), await read("off")];
  assert.deepEqual([on.lastSeenAt, off.lastSeenAt], [now, now]);
  assert.deepEqual(
    on.environments.map(({ name, lastSeenAt }: { name: string; lastSeenAt: string }) => [name, lastSeenAt]),
    [
      ["development", null],
      ["production", now],
    ],
  );
  assert.deepEqual([on.lifecycle.stage, off.lifecycle.stage], ["live", "pre-live"]);
  const { onboardingStatus } = (await request("/api/admin/personal-dashboard/a")).body;
  assert.deepEqual(onboardingStatus, { status: "onboarded" });
});

test("later usage does not make responses stale", async (t) => {
  const { request, db } = await openServer(t, createWorld().project("a").feature("f", "a"));
  const use = async (now: string) => {
    const body = report({ f: { yes: 1 } });
    await request("/api/client/metrics", { method: "POST", as: CLIENT, body });
    await writeUsage(db, now);
  };
  await use("2026-05-01T00:00:00.000Z");
  const stamp = stampOf(["features", "feature_environments", "feature_stages", "events"], changesSoFar());
  await use("2026-05-01T00:00:29.000Z");
  await use("2026-05-01T00:00:30.000Z");
  assert.ok(isCurrent(db, stamp));
  const { lastSeenAt } = (await request("/api/admin/projects/a/features/f")).body;
  assert.equal(lastSeenAt, "2026-05-01T00:00:30.000Z");
});

test("usage that can't be written now is written later", async (t) => {
  const { request, db } = await openServer(t);
  await request("/api/client/metrics", { method: "POST", as: CLIENT, body: good.body });
  db.pragma("query_only = 1");
  await assert.rejects(writeUsage(db), { code: "SQLITE_READONLY" });
  db.pragma("query_only = 0");
  await request("/api/client/metrics", { method: "POST", as: CLIENT, body: good.body });
  await writeUsage(db);
  const a = { feature: "a", environment: "development", application: "shop" };
  assert.deepEqual(rows(db), [{ ...a, yes: 2, no: 4, variants: "{}" }]);
});

test("when the memory limit is reached, reports are refused until usage is written", async (t) => {
  const { request, db } = await openServer(t);
  const toggles = (n: number) =>
    Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`${n}-${index}-${"x".repeat(230)}`, { yes: 1 }]),
    );
  const send = (n: number) =>
    request("/api/client/metrics", { method: "POST", as: CLIENT, body: report(toggles(n)) });
  let n = 0;
  while ((await send(n)).status === 202) n++;
  assert.ok(n > 5 && n < 20, `${n} reports were accepted`);
  const { status, body, headers } = await send(n);
  assert.deepEqual([status, body.name], [503, "ServiceUnavailableError"]);
  assert.ok(headers.get("retry-after"));
  await writeUsage(db);
  assert.equal((await send(n)).status, 202);
});

test("a token counts no use of flags of other projects", async (t) => {
  const secret = `a:development.${"a".repeat(56)}`;
  const token = {
    type: "client",
    name: "a",
    hash: hashSecret(secret),
    projects: ["a"],
    environment: "development",
  };
  const { request, db } = await openServer(
    t,
    createWorld().project("a").project("b").feature("own", "a").feature("other", "b").add("token", token),
  );
  const send = (path: string, body: object) => request(path, { method: "POST", as: secret, body });
  const used = { yes: 1, no: 0 };
  await send("/api/client/metrics", report({ own: used, other: used, unknown: used }));
  const counted = {
    ...used,
    appName: "edge",
    environment: "development",
    timestamp: new Date().toISOString(),
  };
  const metrics = ["own", "other"].map((featureName) => ({ ...counted, featureName }));
  await send("/api/client/metrics/bulk", { applications: [], metrics });
  await writeUsage(db);
  const features = db.prepare("SELECT application, feature FROM usage_series ORDER BY 1, 2").raw().all();
  assert.deepEqual(features, [
    ["edge", "own"],
    ["shop", "own"],
    ["shop", "unknown"],
  ]);
  const seen = db.prepare("SELECT DISTINCT feature FROM feature_environments WHERE last_seen_at IS NOT NULL");
  assert.deepEqual(seen.pluck().all(), ["own"]);
});
