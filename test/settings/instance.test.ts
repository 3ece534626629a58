import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { toCsv } from "../../src/http/csv.ts";
import { instanceId } from "../../src/settings/settings.ts";
import { badBodies } from "../support/bad-bodies.ts";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/;
const ARCHIVED = { archivedAt: "2026-01-02T00:00:00.000Z" };
const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

const forEveryone = (see: NonNullable<Scenario["see"]>): Scenario[] => [
  { name: "a Viewer may", as: personal(3), see },
  { name: "a service token may", as: SERVICE, see },
];

scenarios("GET /api/admin/ui-config", [
  ...forEveryone((body) => {
    assert.deepEqual(
      [body.maintenanceMode, body.flags.maintenanceMode, body.frontendApiOrigins],
      [false, false, ["*"]],
    );
    assert.match(body.versionInfo.instanceId, UUID);
  }),
  {
    name: "the limits and flags that the original's page reads",
    see: (body) => {
      assert.deepEqual(body.resourceLimits, {
        ...{
          segmentValues: 1000,
          strategySegments: 5,
          segments: 300,
          constraints: 30,
          constraintValues: 250,
        },
        ...{
          featureEnvironmentStrategies: 30,
          featureFlags: 5000,
          environments: 50,
          projects: 500,
          apiTokens: 2000,
        },
        ...{ signalEndpoints: 5, signalTokensPerEndpoint: 5, actionSetsPerProject: 5, actionSetActions: 10 },
        ...{ actionSetFilters: 5, actionSetFilterValues: 25 },
      });
      const shown = { embedProxy: true, embedProxyFrontend: true, featuresExportImport: true };
      assert.deepEqual(body.flags, { ...shown, maintenanceMode: false });
    },
  },
  {
    name: "stored settings",
    given: (w) =>
      w.add("setting", { name: "maintenance.mode", content: { enabled: true } }).add("setting", {
        name: "unleash.frontend",
        content: { frontendApiOrigins: ["https://shop.example"] },
      }),
    see: (body) => {
      assert.deepEqual([body.maintenanceMode, body.flags.maintenanceMode], [true, true]);
      assert.deepEqual(body.frontendApiOrigins, ["https://shop.example"]);
    },
  },
]);

const company = (w: World) =>
  w
    .add("role", { id: 7, name: "Custom root", type: "custom-root" })
    .add("role", { id: 8, name: "Unused", type: "custom-root" })
    .add("role", { id: 9, name: "Custom", type: "custom" })
    .user({ rootRole: 7, seenAt: ago(1) })
    .user({ seenAt: ago(31) })
    .user({ seenAt: ago(1), accountType: "Service Account" })
    .group("g", [1])
    .project("a")
    .project("old", ARCHIVED)
    .project("hidden", { mode: "private" })
    .add("segment", { id: 1, name: "s" })
    .feature("f", "a")
    .feature("secret", "hidden")
    .feature("gone", "a", ARCHIVED)
    .event({ type: "features-exported" })
    .event({ type: "features-imported" })
    .event({ type: "features-imported" });

/** An hour of yesterday, in UTC. */
const yesterday = `${ago(1).slice(0, 10)}T12:00:00.000Z`;

const constraint = (count: number) => ({
  contextName: "userId",
  operator: "IN",
  values: Array(count).fill("x"),
});

const busyFlag = (w: World, name: string, project: string, strategies: object[]) =>
  w
    .feature(name, project, { environments: [{ name: "production", enabled: true, strategies }] })
    .add("application", { name: `${name}-app`, places: [{ project, environment: "production" }] })
    .add("instance", { application: `${name}-app`, environment: "production", instance: "i", seenAt: ago(9) })
    .add("usage", {
      feature: name,
      environment: "production",
      application: `${name}-app`,
      hours: [
        { hour: yesterday, yes: 1, variants: { red: 1, blue: 2 } },
        { hour: `${ago(3).slice(0, 10)}T12:00:00.000Z`, yes: 1, variants: { red: 1 } },
      ],
    });

/** As much goes on in a private project as in an open one, and more. */
const busy = (w: World) => {
  const many = { name: "default", constraints: [constraint(4), constraint(1), constraint(1)] };
  busyFlag(w.project("a"), "open", "a", [
    { name: "default", constraints: [constraint(3)] },
    { name: "default" },
  ]);
  busyFlag(w.project("p", { mode: "private" }), "secret", "p", [many, many, many]);
  for (const project of ["a", "p"]) w.event({ project, environment: "production", createdAt: ago(61) });
  for (const project of ["a", "p"]) w.event({ project, environment: "development", createdAt: ago(2) });
  return w.event({ environment: "production", createdAt: ago(1) });
};

scenarios("GET /api/admin/instance-admin/statistics", [
  ...forEveryone(({ users }) => assert.equal(users, 4)),
  {
    name: "what goes on, and the most of everything",
    given: busy,
    see: (body) => {
      assert.partialDeepStrictEqual(body, {
        clientApps: [
          { range: "7d", count: 0 },
          { range: "30d", count: 2 },
          { range: "allTime", count: 2 },
        ],
        productionChanges: { last30: 1, last60: 1, last90: 3 },
        previousDayMetricsBucketsCount: { enabledCount: 2, variantCount: 4 },
        maxEnvironmentStrategies: 3,
        maxConstraints: 3,
        maxConstraintValues: 4,
      });
      const { instanceId, users, featureToggles, projects, roles, groups, environments, segments } = body;
      const summed = [instanceId, users, featureToggles, projects, roles, groups, environments, segments];
      assert.equal(body.sum, createHash("sha256").update(summed.join("")).digest("hex"));
    },
  },
  {
    name: "without what goes on in a private project",
    as: personal(3),
    given: busy,
    see: (body) =>
      assert.partialDeepStrictEqual(body, {
        clientApps: [
          { range: "7d", count: 0 },
          { range: "30d", count: 1 },
          { range: "allTime", count: 1 },
        ],
        productionChanges: { last30: 1, last60: 1, last90: 2 },
        previousDayMetricsBucketsCount: { enabledCount: 1, variantCount: 2 },
        maxEnvironmentStrategies: 2,
        maxConstraints: 1,
        maxConstraintValues: 3,
      }),
  },
  {
    name: "nothing goes on",
    see: (body) =>
      assert.partialDeepStrictEqual(body, {
        productionChanges: { last30: 0, last60: 0, last90: 0 },
        ...{ maxEnvironmentStrategies: 0, maxConstraints: 0, maxConstraintValues: 0 },
      }),
  },
  {
    name: "the number of everything",
    given: company,
    see: (body) =>
      assert.partialDeepStrictEqual(body, {
        users: 6,
        serviceAccounts: 1,
        apiTokens: { admin: 1, client: 1, frontend: 1 },
        activeUsers: { last7: 1, last30: 1, last60: 2, last90: 2 },
        featureToggles: 2,
        archivedFeatureToggles: 1,
        projects: 2,
        roles: 8,
        customRootRoles: 2,
        customRootRolesInUse: 1,
        groups: 1,
        environments: 2,
        segments: 1,
        strategies: 5,
        featureExports: 1,
        featureImports: 2,
      }),
  },
]);

scenarios("GET /api/admin/instance-admin/statistics/csv", [
  {
    name: "the same figures as a table with one row",
    as: personal(3),
    given: company,
    see: (_, { text, headers }) => {
      const [names = "", figures = "", end] = text.split("\r\n");
      assert.equal(end, "");
      assert.match(
        names,
        /^"timestamp","instanceId",.*,"clientApps","productionChanges",.*,"sum","versionOSS",/,
      );
      assert.match(figures, /,"{""admin"":1,""client"":1,""frontend"":1}",/);
      const column = names.split(",").indexOf('"users"');
      assert.equal(figures.split(",")[column], "6");
      assert.match(
        headers.get("content-disposition")!,
        /^attachment; filename="flagstone-[\da-f-]{36}.csv"$/,
      );
    },
  },
]);

test("a cell that looks like a formula is text, and quotation marks are preserved", () => {
  assert.equal(toCsv([{ a: "=1+1", b: 'x"y,\n', c: -5 }]), `"a","b","c"\r\n"'=1+1","x""y,\n",-5\r\n`);
});

scenarios(
  "GET /api/admin/telemetry/settings",
  forEveryone((body) =>
    assert.deepEqual(body, { versionInfoCollectionEnabled: false, featureInfoCollectionEnabled: false }),
  ),
);

scenarios("POST /api/admin/record-ui-error", [
  { name: "a Viewer may", as: personal(3), body: { errorMessage: "x", errorStack: "at y" }, expect: 204 },
  ...badBodies({}, [
    ["no message", {}, "body.errorMessage"],
    ["an object as the message", { errorMessage: {} }, "body.errorMessage"],
    ["an object as the stack", { errorMessage: "x", errorStack: {} }, "body.errorStack"],
  ]),
]);

test("an instance keeps its id, and each file has its own", async (t) => {
  const server = await openServer(t);
  const idOf = async () => (await server.request("/api/admin/ui-config")).body.versionInfo.instanceId;
  assert.equal(await idOf(), instanceId(server.db));
  const other = open(IN_MEMORY);
  t.after(() => close(other));
  assert.notEqual(instanceId(other), await idOf());
});
