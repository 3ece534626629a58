import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies } from "../support/bad-bodies.ts";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const naming = { pattern: "shop\\.[a-z]+|old", example: "shop.cart", description: "shop and a word" };
const SLOW = "(a+)+(?=b)b";
const LONG = "a".repeat(90);

const given = (w: World) =>
  w
    .project("a", { featureNaming: naming })
    .project("b", { featureNaming: { pattern: "", description: "anything" } })
    .project("slow", { featureNaming: { pattern: SLOW } })
    .project("hidden", { mode: "private", featureNaming: naming })
    .project("few", { featureLimit: 2 })
    .feature("f", "a")
    .feature("one", "few")
    .feature("gone", "few", { archivedAt: "2026-01-02T00:00:00Z" });

const wrong = (name: string, body: object, rest: Partial<Scenario> = {}): Scenario => ({
  given,
  body,
  name,
  expect: [400, "ValidationError"],
  see: ({ message, details }) => {
    assert.equal(details[0].path, "body.name");
    assert.ok(message.includes(naming.pattern) && message.includes("shop.cart"), message);
    assert.ok(message.includes(naming.description), message);
  },
  ...rest,
});

const created = (name: string, flag: string, rest: Partial<Scenario> = {}): Scenario => ({
  given,
  name,
  body: { name: flag },
  expect: 201,
  records: [{ type: "feature-created", featureName: flag }],
  ...rest,
});

const inTime: Scenario["see"] = ({ details }) => {
  assert.equal(details[0].path, "body.name");
  assert.match(details[0].message, /too long/);
};

scenarios("POST /api/admin/projects/a/features", [
  created("a name that matches", "shop.cart"),
  created("the pattern's other alternative", "old"),
  wrong("a name that does not", { name: "cart" }),
  wrong("one that only starts with a match", { name: "shop.cart-2" }),
  wrong("one that only starts with the first alternative", { name: "shop.cart.old" }),
  wrong("one that only ends with a match", { name: "my-old" }),
  wrong("another letter case", { name: "Shop.cart" }),
  created("an empty pattern", "anything", { url: "/api/admin/projects/b/features" }),
  wrong(
    "a pattern that would backtrack forever",
    { name: LONG },
    { url: "/api/admin/projects/slow/features", see: inTime },
  ),
  created("a project below its limit", "two", { url: "/api/admin/projects/few/features" }),
]);

scenarios("POST /api/admin/projects/a/features/f/clone", [
  created("a name that matches", "shop.cart"),
  wrong("a name that does not", { name: "cart" }),
]);

scenarios("POST /api/admin/features/validate", [
  ...badBodies({ given }, [
    ["no name", {}, "body.name"],
    ["a name that is an object", { name: {} }, "body.name"],
    ["an empty name", { name: "" }, "body.name"],
    ["a name with a space", { name: "a b" }, "body.name"],
    ["an overlong name", { name: "x".repeat(101) }, "body.name"],
    ["a lone surrogate", `{"name":"\\ud800"}`, "body.name"],
    ["a project that is an object", { name: "x", projectId: {} }, "body.projectId"],
  ]),
  { name: "a free name", given, body: { name: "x" }, as: personal(3) },
  { name: "no project", given, body: { name: "x", projectId: null } },
  { name: "a project without a pattern", given, body: { name: "x", projectId: "b" } },
  { name: "an unknown project has no pattern", given, body: { name: "x", projectId: "nope" } },
  { name: "a name that matches", given, body: { name: "shop.cart", projectId: "a" } },
  wrong("a name that does not match", { name: "cart", projectId: "a" }, { as: personal(3) }),
  wrong("a pattern that would backtrack forever", { name: LONG, projectId: "slow" }, { see: inTime }),
  ...["f", "gone"].map((name) => ({
    name: `the name ${name}, which is taken`,
    given,
    body: { name, projectId: "a" },
    expect: [409, "NameExistsError"] as [number, string],
  })),
  {
    name: "the pattern of a private project is not revealed",
    given,
    as: personal(2),
    body: { name: "cart", projectId: "hidden" },
    expect: [403, "NoAccessError"],
    see: ({ message }) => assert.ok(!message.includes("shop"), message),
  },
]);

test("a project takes no more flags than its limit, and one more once a flag is archived", async (t) => {
  const { request } = await openServer(t, given(createWorld()));
  const FEW = "/api/admin/projects/few";
  const make = (name: string) => request(`${FEW}/features`, { method: "POST", body: { name } });
  assert.equal((await make("two")).status, 201);
  const refused = [
    await make("three"),
    await request(`${FEW}/features/one/clone`, { method: "POST", body: { name: "three" } }),
    await request("/api/admin/archive/revive/gone", { method: "POST" }),
    await request(`${FEW}/features/gone`, { method: "PUT", body: {} }),
  ];
  for (const { status, body } of refused)
    assert.deepEqual([status, body.name], [403, "InvalidOperationError"]);
  assert.equal((await request(`${FEW}/features/one`, { method: "DELETE" })).status, 202);
  assert.equal((await make("three")).status, 201);
});
