import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies } from "../support/bad-bodies.ts";
import { permitted } from "../support/permitted.ts";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, type World } from "../support/world.ts";

const CLONE = "/api/admin/projects/a/features/f/clone";
const ARCHIVED = { archivedAt: "2026-01-02T00:00:00.000Z" };

const given = (w: World) =>
  w
    .project("a")
    .project("old", ARCHIVED)
    .feature("f", "a", { type: "experiment", description: "d", stale: true, impressionData: true })
    .feature("gone", "a", ARCHIVED)
    .feature("older", "old", ARCHIVED);

const variant = { name: "v", weight: 1000, weightType: "variable", stickiness: "default" };
const constraint = {
  contextName: "userId",
  operator: "IN",
  values: ["1"],
  caseInsensitive: false,
  inverted: false,
};

const strategies = [
  {
    id: "s1",
    name: "flexibleRollout",
    title: "t",
    parameters: { rollout: "5", stickiness: "default", groupId: "f" },
  },
  {
    id: "s2",
    name: "default",
    disabled: true,
    segments: [1],
    constraints: [constraint],
    variants: [variant],
  },
];

/** A flag that depends on another, with variants, and strategies in both environments. */
const withMuch = (w: World) =>
  w
    .project("a")
    .add("segment", { id: 1, name: "segment", createdAt: "2026-01-01T00:00:00.000Z" })
    .feature("parent", "a")
    .feature("f", "a", {
      tags: [{ type: "simple", value: "tag" }],
      favoritedBy: [1],
      dependencies: [{ feature: "parent", enabled: true, variants: ["v"] }],
      environments: [
        { name: "development", enabled: true, variants: [variant], strategies },
        { name: "production", lastSeenAt: "2026-01-02T00:00:00.000Z", strategies: [{ name: "default" }] },
      ],
    });

const added = (environment: string, data: Record<string, unknown>) =>
  ({ type: "feature-strategy-add", project: "a", featureName: "g", environment, data }) as const;
const dependency = { feature: "parent", enabled: true, variants: ["v"] };

scenarios(`POST ${CLONE}`, [
  ...permitted("CREATE_FEATURE", {
    given,
    body: { name: "g" },
    expect: 201,
    records: [{ type: "feature-created", project: "a", featureName: "g", environment: null, preData: null }],
  }),
  ...badBodies({ given }, [
    ["no name", {}, "body.name"],
    ["a name that is null", { name: null }, "body.name"],
    ["a name that is an object", { name: {} }, "body.name"],
    ["an empty name", { name: "" }, "body.name"],
    ["a name with a slash", { name: "a/b" }, "body.name"],
    ["dots as the name", { name: ".." }, "body.name"],
    ["an overlong name", { name: "x".repeat(101) }, "body.name"],
    ["a lone surrogate", `{"name":"\\ud800"}`, "body.name"],
    ["text for replaceGroupId", { name: "g", replaceGroupId: "x" }, "body.replaceGroupId"],
  ]),
  ...["f", "gone", "older"].map((name) => ({
    name: `the name ${name}, which is taken`,
    given,
    body: { name },
    expect: [409, "NameExistsError"] as [number, string],
  })),
  {
    name: "an unknown flag",
    url: CLONE.replace("/f/", "/g/"),
    given,
    body: { name: "h" },
    expect: [404, "NotFoundError"],
  },
  {
    name: "a flag of another project",
    url: CLONE.replace("/f/", "/older/"),
    given,
    body: { name: "h" },
    expect: [404, "NotFoundError"],
  },
  {
    name: "an archived project",
    url: "/api/admin/projects/old/features/older/clone",
    given,
    body: { name: "h" },
    expect: [404, "NotFoundError"],
  },
  {
    name: "the flag's metadata is cloned",
    given,
    body: { name: "g" },
    expect: 201,
    records: [
      { type: "feature-created", data: { name: "g", project: "a", type: "experiment", description: "d" } },
    ],
    see: ({ stale, impressionData, archived }) =>
      assert.deepEqual(
        { stale, impressionData, archived },
        { stale: true, impressionData: true, archived: false },
      ),
  },
  {
    name: "an archived flag",
    url: "/api/admin/projects/a/features/gone/clone",
    given,
    body: { name: "g" },
    expect: [404, "NotFoundError"],
  },
  {
    name: "strategies and dependencies are cloned too",
    given: withMuch,
    body: { name: "g" },
    expect: 201,
    records: [
      { type: "feature-created", featureName: "g" },
      added("development", {
        name: "flexibleRollout",
        title: "t",
        sortOrder: 0,
        parameters: { rollout: "5", stickiness: "default", groupId: "g" },
      }),
      added("development", {
        name: "default",
        disabled: true,
        segments: [1],
        constraints: [constraint],
        variants: [variant],
      }),
      added("production", { name: "default", parameters: {} }),
      { type: "feature-dependency-added", project: "a", featureName: "g", data: dependency },
    ],
  },
  {
    name: "strategies keep the groupId if requested",
    given: withMuch,
    body: { name: "g", replaceGroupId: false },
    expect: 201,
    records: [
      { type: "feature-created" },
      added("development", { parameters: { rollout: "5", stickiness: "default", groupId: "f" } }),
      added("development", {}),
      added("production", {}),
      { type: "feature-dependency-added" },
    ],
  },
]);

test("a clone is disabled everywhere, has the variants, and no last-seen time, tags or favorites", async (t) => {
  const { request } = await openServer(t, withMuch(createWorld()));
  await request(CLONE, { method: "POST", body: { name: "g" } });
  const { body } = await request("/api/admin/projects/a/features/g?variantEnvironments=true");
  const told = body.environments.map(({ name, enabled, lastSeenAt, variants }: Record<string, unknown>) => ({
    name,
    enabled,
    lastSeenAt,
    variants,
  }));
  assert.deepEqual(told, [
    { name: "development", enabled: false, lastSeenAt: null, variants: [variant] },
    { name: "production", enabled: false, lastSeenAt: null, variants: [] },
  ]);
  assert.deepEqual([body.favorite, body.dependencies], [false, [dependency]]);
  const { features } = (await request("/api/admin/projects/a/features?tag=simple:tag")).body;
  assert.deepEqual(
    features.map(({ name }: { name: string }) => name),
    ["f"],
  );
});
