import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { hourAgo, report, reportTo } from "../support/usage.ts";
import { createWorld, personal } from "../support/world.ts";

for (const [end, empty] of [
  ["", { featureName: "f", lastHourUsage: [], seenApplications: [] }],
  ["/raw", { data: [] }],
] as const) {
  scenarios(`GET /api/admin/client-metrics/features/f${end}`, [
    {
      name: "no usage, or no such flag",
      as: personal(3),
      see: (body) => assert.deepEqual(body, { version: 1, maturity: "stable", ...empty }),
    },
    {
      name: "a flag of a private project looks unknown to others",
      as: personal(3),
      given: (w) => w.project("a", { mode: "private" }).feature("f", "a"),
      see: (body) => assert.deepEqual(body, { version: 1, maturity: "stable", ...empty }),
    },
  ]);
}

test("usage is reported for the current hour, and for all hours", async (t) => {
  const server = await openServer(t, createWorld().project("a").feature("f", "a"));
  const { request } = server;
  await reportTo(server, report({ f: { yes: 3, no: 1, variants: { red: 2 } } }));
  await reportTo(server, report({ f: { yes: 5, no: 0 } }, { appName: "app" }, hourAgo(2)));
  await reportTo(server, report({ f: { yes: 7, no: 0 } }, { appName: "old" }, hourAgo(30)));
  const path = "/api/admin/client-metrics/features/f";
  const now = hourAgo(0);
  assert.deepEqual((await request(path)).body, {
    version: 1,
    maturity: "stable",
    featureName: "f",
    lastHourUsage: [{ environment: "development", timestamp: now, yes: 3, no: 1 }],
    seenApplications: ["app", "shop"],
  });
  const { data } = (await request(`${path}/raw?hoursBack=3`)).body;
  const row = (appName: string, hours: number, yes = 0, rest: object = {}) => ({
    featureName: "f",
    appName,
    environment: "development",
    timestamp: hourAgo(hours),
    yes,
    no: 0,
    ...rest,
  });
  assert.deepEqual(data, [
    row("app", 2, 5, { variants: {} }),
    row("shop", 2),
    row("app", 1),
    row("shop", 1),
    row("app", 0),
    row("shop", 0, 3, { no: 1, variants: { red: 2 } }),
  ]);
  for (const [query, rows] of [
    ["", 2 * 24],
    ["?hoursBack=48", 3 * 48],
    ["?hoursBack=49", 2 * 24],
    ["?hoursBack=many", 2 * 24],
  ])
    assert.equal((await request(`${path}/raw${query}`)).body.data.length, rows, String(query));
});

test("flags and searches show the usage in the current hour", async (t) => {
  const world = createWorld().project("a").feature("f", "a").feature("unused", "a");
  const server = await openServer(t, world);
  await reportTo(server, report({ f: { yes: 3, no: 1 } }));
  await reportTo(server, report({ f: { yes: 1, no: 1 } }, { appName: "app" }));
  await reportTo(server, report({ f: { yes: 9, no: 9 } }, {}, hourAgo(1)));
  const path = "/api/admin/projects/a/features/f";
  const counted = ({ environments }: { environments: Array<{ name: string; yes: number; no: number }> }) =>
    environments.map(({ name, yes, no }) => [name, yes, no]);
  const used = [
    ["development", 4, 2],
    ["production", 0, 0],
  ];
  assert.deepEqual(counted((await server.request(path)).body), used);
  const { features } = (await server.request("/api/admin/search/features?sortBy=name")).body;
  assert.deepEqual(features.map(counted), [used, used.map(([name]) => [name, 0, 0])]);
});
