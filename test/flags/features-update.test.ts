import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies, withCustomRole } from "../support/bad-bodies.ts";
import { permitted } from "../support/permitted.ts";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

type Data = Record<string, unknown>;

const FLAG = "/api/admin/projects/a/features/f";
const ARCHIVED = { archivedAt: "2026-01-02T00:00:00.000Z" };

const given = (w: World) =>
  w
    .project("a")
    .project("old", ARCHIVED)
    .project("hidden", { mode: "private" })
    .feature("f", "a", { type: "experiment", description: "first", impressionData: true })
    .feature("gone", "a", ARCHIVED)
    .feature("older", "old", ARCHIVED);

const update = (featureName: string, data: Data, preData: Data = {}) =>
  ({ type: "feature-metadata-updated", featureName, data, preData }) as const;

const BEFORE = { name: "f", type: "experiment", description: "first", stale: false, impressionData: true };

/** The response is the flag as in the event. */
const becomes = (name: string, body: unknown, data: Data, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  given,
  body,
  records: [update("f", data, BEFORE)],
  see: (flag) => assert.partialDeepStrictEqual(flag, data),
  ...rest,
});

scenarios(`PUT ${FLAG}`, [
  ...permitted("UPDATE_FEATURE", { given, body: {}, records: [{ ...update("f", {}), project: "a" }] }),
  ...badBodies({ given }, [
    ["another name", { name: "g" }, "body.name"],
    ["an object as the name", { name: {} }, "body.name"],
    ["an unknown type", { type: "nope" }, "body.type"],
    ["a description that is an object", { description: {} }, "body.description"],
    ["a lone surrogate", `{"description":"\\ud800"}`, "body.description"],
    ["an overlong description", { description: "x".repeat(65_537) }, "body.description"],
    ["text for stale", { stale: "x" }, "body.stale"],
    ["an object for impressionData", { impressionData: {} }, "body.impressionData"],
  ]),
  becomes(
    "omitted properties get their defaults, except for the description",
    {},
    { ...BEFORE, type: "release", impressionData: false },
  ),
  becomes("null as the description is stored as an empty one", { description: null }, { description: "" }),
  becomes(
    "immutable properties are ignored",
    { name: "f", project: "hidden", createdAt: "x", lastSeenAt: 1 },
    { project: "a" },
  ),
  becomes("stale has no separate event here", { stale: true }, { stale: true }),
  becomes("it archives", { archived: true }, { archived: true }),
  {
    name: "it can revive a flag",
    url: "/api/admin/projects/a/features/gone",
    given,
    body: { type: "release" },
    records: [update("gone", { archived: false, archivedAt: null }, { archived: true })],
  },
  {
    name: "an archived flag keeps its archivedAt",
    url: "/api/admin/projects/a/features/gone",
    given,
    body: { archived: true },
    records: [update("gone", { archived: true, ...ARCHIVED })],
  },
  {
    name: "a flag of an archived project stays archived",
    url: "/api/admin/projects/old/features/older",
    given,
    body: {},
    expect: [404, "NotFoundError"],
  },
  {
    name: "a flag that others depend on can't be archived",
    given: (w) => given(w).feature("child", "a", { dependencies: [{ feature: "f" }] }),
    body: { archived: true },
    expect: [403, "InvalidOperationError"],
    see: ({ message }) => assert.match(message, /child/),
  },
  {
    name: "archiving needs DELETE_FEATURE",
    as: personal(3),
    given: withCustomRole(given, { name: "UPDATE_FEATURE" }),
    body: { archived: true },
    expect: [403, "NoAccessError"],
    see: ({ message }) => assert.match(message, /DELETE_FEATURE/),
  },
  { name: "an unknown flag", url: `${FLAG}f`, given, body: {}, expect: [404, "NotFoundError"] },
  {
    name: "a flag of another project",
    url: "/api/admin/projects/old/features/f",
    given,
    body: {},
    expect: [404, "NotFoundError"],
  },
  {
    name: "a private project",
    url: "/api/admin/projects/hidden/features/f",
    as: personal(2),
    given,
    body: {},
    expect: [403, "NoAccessError"],
  },
]);

const step = (path: string, value: unknown) => [{ op: "replace", path, value }];

scenarios(`PATCH ${FLAG}`, [
  ...permitted("UPDATE_FEATURE", { given, body: [], records: [{ ...update("f", BEFORE), project: "a" }] }),
  ...badBodies({ given }, [
    ["an object", {}, "body"],
    ["an invalid step", [{ op: "x", path: "/a" }], "body.0.op"],
    ["another name", step("/name", "g"), "body.name"],
    ["an unknown type", step("/type", "nope"), "body.type"],
    ["text for stale", step("/stale", "true"), "body.stale"],
    ["a description that is an object", step("/description", {}), "body.description"],
    ["NUL", step("/description", "\0"), "body.value"],
    ["a failed test", [{ op: "test", path: "/stale", value: true }, ...step("/stale", true)], "body.0"],
    ["a prototype", step("/__proto__/stale", true), "body.0"],
    ["1001 steps", Array(1001).fill(step("/stale", true)[0]), "body"],
  ]),
  becomes(
    "stale has a separate event",
    step("/stale", true),
    { stale: true },
    {
      records: [update("f", { stale: true }, BEFORE), { type: "feature-stale-on", project: "a", data: null }],
    },
  ),
  becomes(
    "no longer stale",
    step("/stale", false),
    { stale: false },
    {
      given: (w) => w.project("a").feature("f", "a", { stale: true }),
      records: [update("f", { stale: false }, { stale: true }), { type: "feature-stale-off", data: null }],
    },
  ),
  becomes("a thousand steps", Array(1000).fill(step("/stale", false)[0]), BEFORE),
  becomes(
    "a missing description stays missing",
    step("/type", "release"),
    { description: null },
    {
      given: (w) => w.project("a").feature("f", "a"),
      records: [update("f", { description: null }, { description: null })],
    },
  ),
  becomes("immutable properties are ignored", step("/project", "hidden"), { ...BEFORE, project: "a" }),
  becomes("the creation time is immutable", step("/createdAt", "2020-01-01"), {
    createdAt: "2026-01-01T00:00:00.000Z",
  }),
  becomes("it archives", step("/archived", true), { archived: true }),
  {
    name: "variants, which have operations of their own",
    given: (w) => w.project("a").feature("f", "a"),
    body: step("/variants", []),
    expect: [403, "OperationDeniedError"],
  },
]);

test("a flag that was imported with an unknown type keeps it, and gets no other unknown one", async (t) => {
  const world = createWorld().project("p").feature("later", "p", { type: "sunset" });
  const { request } = await openServer(t, world);
  const patch = (path: string, value: string) =>
    request("/api/admin/projects/p/features/later", {
      method: "PATCH",
      body: [{ op: "replace", path, value }],
    });
  const { status, body } = await patch("/description", "goes soon");
  assert.deepEqual([status, body.type, body.description], [200, "sunset", "goes soon"]);
  assert.equal((await patch("/type", "dawn")).status, 400);
});
