import assert from "node:assert/strict";
import { test } from "node:test";
import { writeUsage } from "../../src/applications/usage-store.ts";
import { badBodies } from "../support/bad-bodies.ts";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { report, reportTo } from "../support/usage.ts";
import { CLIENT, createWorld, personal, SERVICE } from "../support/world.ts";

const METRICS = "/api/admin/metrics";

const registration = {
  appName: "shop",
  strategies: ["default", "own", "userWithId"],
  started: 0,
  interval: 0,
};

/** An application with two instances that requests a visible, a hidden and a missing flag. */
async function openWithUse(t: Parameters<typeof openServer>[0]) {
  const world = createWorld()
    .project("a")
    .project("secret", { mode: "private" })
    .feature("f", "a")
    .feature("hidden", "secret");
  const server = await openServer(t, world);
  for (const [instanceId, sdkVersion] of [
    ["one", "unleash-client-node:5.3.1"],
    ["two", "unleash-client-node:5.3.2"],
  ]) {
    const body = { ...registration, instanceId, sdkVersion };
    await server.request("/api/client/register", { method: "POST", as: CLIENT, body });
  }
  await server.request("/api/client/register", {
    method: "POST",
    as: CLIENT,
    body: { ...registration, appName: "App" },
  });
  const toggles = { f: { yes: 1 }, hidden: { yes: 1 }, missing: { no: 1 } };
  await reportTo(server, report(toggles, { instanceId: "one" }));
  return server;
}

const viewer = personal(3);

scenarios(`GET ${METRICS}/applications`, [
  { name: "none", as: viewer, see: (body) => assert.deepEqual(body, { applications: [], total: 0 }) },
]);

test("an application that only reports usage is in every list", async (t) => {
  const server = await openServer(t, createWorld().project("a").feature("f", "a"));
  await reportTo(server, report({ f: { yes: 1 } }));
  const read = async (path: string) => (await server.request(`/api/admin/${path}`)).body;
  const [{ appName, strategies, usage }] = (await read("metrics/applications")).applications;
  assert.deepEqual([appName, strategies], ["shop", []]);
  assert.deepEqual(usage, [{ project: "*", environments: ["development"] }]);
  assert.equal((await read("projects/a/applications")).applications[0].name, "shop");
  assert.deepEqual((await read("client-metrics/features/f")).seenApplications, ["shop"]);
  assert.equal((await read("metrics/applications/shop")).appName, "shop");
  await server.request("/api/client/register", { method: "POST", as: CLIENT, body: registration });
  await reportTo(server, report({ f: { yes: 1 } }));
  const { strategies: kept } = (await read("metrics/applications")).applications[0];
  assert.deepEqual(kept, registration.strategies, "a later report keeps what was registered");
});

test("applications are listed by name, one page at a time", async (t) => {
  const { request } = await openWithUse(t);
  const list = async (query: string) => {
    const { body } = await request(`${METRICS}/applications${query}`, { as: viewer });
    return [body.applications.map(({ appName }: { appName: string }) => appName), body.total];
  };
  assert.deepEqual(await list(""), [["App", "shop"], 2]);
  assert.deepEqual(await list("?sortOrder=desc&sortBy=appName"), [["shop", "App"], 2]);
  assert.deepEqual(await list("?limit=1&offset=1"), [["shop"], 2]);
  assert.deepEqual(await list("?query=SHO,nothing&strategyName=none"), [["shop"], 1]);
  const { applications } = (await request(`${METRICS}/applications?query=shop`, { as: viewer })).body;
  assert.partialDeepStrictEqual(applications[0], {
    appName: "shop",
    description: null,
    url: null,
    color: null,
    icon: null,
    strategies: registration.strategies,
    createdBy: "unleash_system_user",
    project: "*",
    environment: "development",
    usage: [{ project: "*", environments: ["development"] }],
  });
});

test("everything about an application, without what is hidden", async (t) => {
  const { request } = await openWithUse(t);
  const { body } = await request(`${METRICS}/applications/shop`, { as: viewer });
  assert.deepEqual(
    body.strategies.map(({ name, notFound }: { name: string; notFound?: true }) => [name, notFound ?? false]),
    [
      ["default", false],
      ["own", true],
      ["userWithId", false],
    ],
  );
  const names = ({ seenToggles }: { seenToggles: Array<{ name: string; notFound?: true }> }) =>
    seenToggles.map(({ name, notFound }) => [name, notFound ?? false]);
  assert.deepEqual(names(body), [
    ["f", false],
    ["missing", true],
  ]);
  assert.deepEqual(
    names((await request(`${METRICS}/applications/shop`)).body).map(([name]) => name),
    ["f", "hidden", "missing"],
  );
  assert.deepEqual(
    body.instances.map(({ instanceId, sdkVersion, environment }: Record<string, string>) => [
      instanceId,
      sdkVersion,
      environment,
    ]),
    [
      ["one", "unleash-client-node:5.3.1", "development"],
      ["two", "unleash-client-node:5.3.2", "development"],
    ],
  );
  assert.deepEqual(body.links, { self: "/api/applications/shop" });
  const { instances } = (await request(`${METRICS}/instances/shop/environment/development`)).body;
  assert.deepEqual(
    instances.map((one: { instanceId: string }) => one.instanceId),
    ["one", "two"],
  );
});

test("where an application is in use, and the problems there", async (t) => {
  const { request } = await openWithUse(t);
  const read = async (as: string) => (await request(`${METRICS}/applications/shop/overview`, { as })).body;
  const { environments, ...overview } = await read(viewer);
  assert.deepEqual(overview, {
    projects: ["a"],
    featureCount: 2,
    issues: { missingStrategies: ["own"] },
  });
  const [{ lastSeen, ...development }, ...others] = environments;
  assert.ok(lastSeen);
  assert.deepEqual(others, []);
  assert.deepEqual(development, {
    name: "development",
    instanceCount: 2,
    sdks: ["unleash-client-node:5.3.1", "unleash-client-node:5.3.2"],
    issues: { missingFeatures: ["missing"], outdatedSdks: ["unleash-client-node:5.3.1"] },
  });
  assert.partialDeepStrictEqual(await read(SERVICE), { projects: ["a", "secret"], featureCount: 3 });
});

test("the applications that have requested flags of a project, and their SDKs", async (t) => {
  const { request } = await openWithUse(t);
  const sdks = [{ sdkVersion: "unleash-client-node:5.3.1", applications: ["shop"] }];
  assert.deepEqual((await request(`${METRICS}/sdks/outdated`, { as: viewer })).body, { sdks });
  const a = "/api/admin/projects/a";
  assert.deepEqual((await request(`${a}/sdks/outdated`, { as: viewer })).body, { sdks });
  assert.deepEqual((await request(`${a}/applications`, { as: viewer })).body, {
    applications: [
      {
        name: "shop",
        environments: ["development"],
        instances: ["one", "two"],
        sdks: [{ name: "unleash-client-node", versions: ["5.3.1", "5.3.2"] }],
      },
    ],
    total: 1,
  });
  const none = (await request(`${a}/applications?query=nothing`, { as: viewer })).body;
  assert.deepEqual(none, { applications: [], total: 0 });
});

for (const end of ["applications", "sdks/outdated"]) {
  scenarios(`GET /api/admin/projects/:project/${end}`, [
    { name: "an unknown project", url: `/api/admin/projects/nosuch/${end}`, as: viewer },
    {
      name: "a private project",
      url: `/api/admin/projects/a/${end}`,
      as: viewer,
      given: (w) => w.project("a", { mode: "private" }),
      expect: [403, "NoAccessError"],
    },
  ]);
}

scenarios(`GET ${METRICS}/applications/nosuch`, [
  { name: "an unknown application", as: viewer, expect: [404, "NotFoundError"] },
  {
    name: "still has an overview",
    url: `${METRICS}/applications/nosuch/overview`,
    see: (body) =>
      assert.deepEqual(body, {
        projects: [],
        featureCount: 1,
        environments: [],
        issues: { missingStrategies: [] },
      }),
  },
]);

const described = { description: "Sells", url: "https://shop.example", color: "red", icon: "cart" };
const asked: Pick<Scenario, "body"> = { body: described };

scenarios(`POST ${METRICS}/applications/shop`, [
  { ...asked, name: "an Editor may", as: personal(2), expect: 202 },
  { ...asked, name: "a service token may", as: SERVICE, expect: 202 },
  { ...asked, name: "an empty body", body: {}, expect: 202 },
  { ...asked, name: "an overlong name", url: "x".repeat(300), expect: [400, "ValidationError"] },
  ...badBodies({}, [
    ["an object as the description", { description: {} }, "body.description"],
    ["text as the strategies", { strategies: "default" }, "body.strategies"],
  ]),
]);

scenarios(`DELETE ${METRICS}/applications/shop`, [{ name: "an unknown one is ignored", as: personal(2) }]);

test("the description of an application survives its registration, and is deleted with it", async (t) => {
  const server = await openWithUse(t);
  const { request, db } = server;
  const path = `${METRICS}/applications/shop`;
  await request(path, { method: "POST", body: described });
  await request(path, { method: "POST", body: { color: "blue" } });
  await request("/api/client/register", {
    method: "POST",
    as: CLIENT,
    body: { ...registration, strategies: [] },
  });
  await writeUsage(db);
  const { body } = await request(path);
  assert.partialDeepStrictEqual(body, { ...described, color: "blue", strategies: [] });
  await request(path, { method: "DELETE" });
  assert.equal((await request(path)).status, 404);
  const { instances } = (await request(`${METRICS}/instances/shop/environment/development`)).body;
  assert.deepEqual(instances, []);
});

for (const end of ["seen-toggles", "seen-apps", "feature-toggles", "feature-toggles/f"]) {
  scenarios(`GET ${METRICS}/${end}`, [
    { name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
    { name: "is gone", as: viewer, expect: 410, see: ({ maturity }) => assert.equal(maturity, "deprecated") },
  ]);
}
