import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies, withCustomRoot } from "../support/bad-bodies.ts";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const given = (w: World) => w.project("a").feature("f", "a");

/** Requires ADMIN. */
const forAdmins = (body: object | undefined, done: Partial<Scenario>): Scenario[] => [
  { name: "an Admin may", given, body, ...done },
  { name: "a service token may", as: SERVICE, given, body, ...done },
  {
    name: "ADMIN alone is enough",
    as: personal(5),
    given: withCustomRoot(given, { name: "ADMIN" }),
    body,
    ...done,
  },
  ...[2, 3].map(
    (id): Scenario => ({
      name: `the user ${id} may not`,
      as: personal(id),
      given,
      body,
      expect: [403, "NoAccessError"],
    }),
  ),
];

const origins = (...frontendApiOrigins: unknown[]) => ({ frontendSettings: { frontendApiOrigins } });
const created = (...list: string[]) =>
  [
    {
      type: "setting-created",
      project: null,
      data: { id: "unleash.frontend", frontendApiOrigins: list },
      preData: null,
    },
  ] as const;

scenarios("POST /api/admin/ui-config", [
  ...forAdmins(origins("https://shop.example"), { expect: 204, records: created("https://shop.example") }),
  ...badBodies({ given }, [
    ["settings that are text", { frontendSettings: "x" }, "body.frontendSettings"],
    ["no origins", { frontendSettings: {} }, "body.frontendSettings.frontendApiOrigins"],
    [
      "one origin",
      { frontendSettings: { frontendApiOrigins: "x" } },
      "body.frontendSettings.frontendApiOrigins",
    ],
    ...[
      "not an origin",
      "",
      "https://shop.example/",
      "https://shop.example/x",
      "shop.example",
      "null",
      "*.shop.example",
      "https://u:p@shop.example",
      "javascript:1",
      "https://\ud800",
    ].map((origin): [string, unknown, string] => [
      `the origin ${JSON.stringify(origin)}`,
      origins("*", origin),
      "body.frontendSettings.frontendApiOrigins.1",
    ]),
    ["an origin that is an object", origins({}), "body.frontendSettings.frontendApiOrigins.0"],
  ]),
  { name: "no settings", given, body: {}, expect: [404, "NotFoundError"] },
  { name: "no origins", given, body: origins(), expect: 204, records: created() },
  {
    name: "anywhere",
    given,
    body: origins("*", "http://localhost:8080"),
    expect: 204,
    records: created("*", "http://localhost:8080"),
  },
]);

const maintenance = (enabled: boolean) => ({
  kind: "setting",
  name: "maintenance.mode",
  content: { enabled },
});

scenarios("POST /api/admin/maintenance", [
  ...forAdmins(
    { enabled: false },
    {
      expect: 204,
      records: [{ type: "setting-created", data: { id: "maintenance.mode", enabled: false }, preData: null }],
    },
  ),
  ...badBodies({ given }, [
    ["nothing", {}, "body.enabled"],
    ["text", { enabled: "yes" }, "body.enabled"],
    ["a number", { enabled: 2 }, "body.enabled"],
    ["null", { enabled: null }, "body.enabled"],
  ]),
  {
    name: "again while it is on",
    given: (w) => w.add("setting", maintenance(true)),
    body: { enabled: false },
    expect: 204,
    records: [
      {
        type: "setting-updated",
        data: { id: "maintenance.mode", enabled: false },
        preData: { enabled: true },
      },
    ],
  },
]);

scenarios("GET /api/admin/maintenance", [
  ...forAdmins(undefined, { see: (body) => assert.deepEqual(body, { enabled: false }) }),
  {
    name: "while it is on",
    given: (w) => w.add("setting", maintenance(true)),
    see: (body) => assert.deepEqual(body, { enabled: true }),
  },
]);

scenarios("POST /api/admin/ui-config/cors", [
  ...forAdmins(
    { frontendApiOrigins: ["https://shop.example"] },
    { expect: 204, records: created("https://shop.example") },
  ),
  { name: "no origins", given, body: {}, expect: [404, "NotFoundError"] },
  ...badBodies({ given }, [
    ["what is not an origin", { frontendApiOrigins: ["a"] }, "body.frontendApiOrigins.0"],
  ]),
]);

test("during maintenance nothing can be changed, and reads continue", async (t) => {
  const { request } = await openServer(t, given(createWorld()).add("setting", maintenance(true)));
  for (const [method, path, body] of [
    ["POST", "projects/a/features", { name: "g" }],
    ["DELETE", "projects/a/features/f"],
    ["POST", "projects/a/features/f/favorites"],
    ["POST", "ui-config", origins("*")],
    ["PUT", "projects/a", { name: "A" }],
  ] as const) {
    const reply = await request(`/api/admin/${path}`, { method, ...(body && { body }) });
    assert.deepEqual([reply.status, reply.body.name], [503, "ServiceUnavailableError"], path);
    assert.ok(Number(reply.headers.get("retry-after")) > 0);
  }
  assert.equal((await request("/api/admin/projects/a/features")).body.features.length, 1);
  assert.equal(
    (await request("/api/admin/projects/a/features", { method: "POST", as: personal(3) })).status,
    403,
  );
});
