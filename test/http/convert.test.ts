import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, type World } from "../support/world.ts";

const FEATURES = "/api/admin/projects/a/features";
const ENVIRONMENT = { name: "production" };
const withFlag = (w: World) =>
  w
    .add("contextField", { name: "userId" })
    .project("a")
    .feature("f", "a", { environments: [ENVIRONMENT] });
const STRATEGIES = `${FEATURES}/f/environments/production/strategies`;

scenarios("POST /api/admin/tag-types", [
  {
    name: "numbers and booleans become text",
    body: { name: 42, description: true },
    expect: 201,
    records: [{ type: "tag-type-created", data: { name: "42", description: "true" } }],
  },
  { name: "a list for text is a 400", body: { name: ["a"] }, expect: [400, "ValidationError"] },
  { name: "null for a required property is a 400", body: { name: null }, expect: [400, "ValidationError"] },
]);

scenarios("PUT /api/admin/feature-types/experiment/lifetime", [
  {
    name: "digits become a number",
    body: { lifetimeDays: "12" },
    records: [{ type: "feature-type-updated" }],
    see: ({ lifetimeDays }) => assert.equal(lifetimeDays, 12),
  },
  ...["", " ", "x", "1x", "Infinity", "9e999", true, [1]].map((lifetimeDays) => ({
    name: `${JSON.stringify(lifetimeDays)} is not a number`,
    body: { lifetimeDays },
    expect: [400, "ValidationError"] as [number, string],
  })),
]);

scenarios(`POST ${FEATURES}`, [
  {
    name: "a property that is null is absent, or its default",
    given: (w) => w.project("a"),
    body: { name: "new", type: null, description: null, stale: null, impressionData: null, tags: null },
    expect: 201,
    records: [{ type: "feature-created", data: { name: "new", type: "release", stale: false } }],
  },
  ...[
    ["true", true],
    [1, true],
    ["false", false],
    [0, false],
  ].map(([given, impressionData]) => ({
    name: `${JSON.stringify(given)} is ${impressionData}`,
    given: (w: World) => w.project("a"),
    body: { name: "new", impressionData: given },
    expect: 201,
    records: [{ type: "feature-created" as const, data: { impressionData } }],
  })),
  {
    name: "other text is not a boolean",
    given: (w) => w.project("a"),
    body: { name: "new", stale: "yes" },
    expect: [400, "ValidationError"],
  },
]);

scenarios("POST /api/admin/user-admin", [
  {
    name: "a role's id in digits is an id",
    body: { username: "new", rootRole: "3" },
    expect: 201,
    records: [{ type: "user-created" }],
    see: ({ rootRole }) => assert.equal(rootRole, 3),
  },
  { name: "true is no role", body: { username: "new", rootRole: true }, expect: [400, "ValidationError"] },
]);

scenarios("POST /api/admin/events/search", [
  { name: "nothing is converted", body: { limit: "1" }, expect: [400, "ValidationError"] },
  { name: "not to text either", body: { feature: 1 }, expect: [400, "ValidationError"] },
]);

test("values inside lists and maps are converted too, and no key of a map is lost", async (t) => {
  const { request } = await openServer(t, withFlag(createWorld()));
  const body = JSON.parse(`{
    "name": "flexibleRollout", "sortOrder": "7", "title": 5, "variants": null, "segments": null,
    "constraints": [{ "contextName": "userId", "operator": "IN", "values": [1, true], "inverted": "true" }],
    "parameters": { "rollout": 50, "stickiness": null, "__proto__": 1, "constructor": false }
  }`);
  const { status, text, body: created } = await request(STRATEGIES, { method: "POST", body });
  assert.equal(status, 200, text);
  const { sortOrder, title, constraints, parameters } = created;
  assert.deepEqual({ sortOrder, title }, { sortOrder: 7, title: "5" });
  assert.deepEqual(constraints[0].values, ["1", "true"]);
  assert.equal(constraints[0].inverted, true);
  assert.deepEqual(Object.entries(parameters).sort(), [
    ["__proto__", "1"],
    ["constructor", "false"],
    ["groupId", "f"],
    ["rollout", "50"],
    ["stickiness", "default"],
  ]);
});

test("the steps of a JSON Patch keep their values", async (t) => {
  const { request } = await openServer(t, withFlag(createWorld()));
  const patch = (value: unknown) =>
    request(`${FEATURES}/f`, { method: "PATCH", body: [{ op: "replace", path: "/description", value }] });
  assert.equal((await patch("text")).body.description, "text");
  assert.equal((await patch(null)).body.description, null);
  assert.equal((await patch(7)).status, 400);
});
