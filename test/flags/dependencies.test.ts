import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies } from "../support/bad-bodies.ts";
import { permitted } from "../support/permitted.ts";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const FEATURES = "/api/admin/projects/a/features";
const ARCHIVED = { archivedAt: "2026-01-02T00:00:00.000Z" };
const variant = (name: string) => ({ name, weight: 1000, weightType: "variable", stickiness: "default" });

const given = (w: World) =>
  w
    .project("a")
    .project("b")
    .project("hidden", { mode: "private" })
    .feature("f", "a")
    .feature("parent", "a", {
      environments: [
        { name: "development", variants: [variant("z"), variant("y")] },
        { name: "production", strategies: [{ name: "default", variants: [variant("x"), variant("y")] }] },
      ],
    })
    .feature("child", "a", { dependencies: [{ feature: "parent" }] })
    .feature("gone", "a", ARCHIVED)
    .feature("other", "b");

const added = (data: Record<string, unknown>) =>
  ({ type: "feature-dependency-added", project: "a", featureName: "f", data, preData: null }) as const;

const refused = (name: string, feature: string, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  given,
  body: { feature },
  expect: [403, "InvalidOperationError"],
  ...rest,
});
const NOT_FOUND: [number, string] = [404, "NotFoundError"];

scenarios(`POST ${FEATURES}/f/dependencies`, [
  ...permitted("UPDATE_FEATURE_DEPENDENCY", {
    given,
    body: { feature: "parent" },
    records: [added({ feature: "parent", enabled: true })],
  }),
  ...badBodies({ given }, [
    ["no parent", {}, "body.feature"],
    ["a parent that is an object", { feature: {} }, "body.feature"],
    ["text for enabled", { feature: "parent", enabled: "x" }, "body.enabled"],
    ["one variant", { feature: "parent", variants: "x" }, "body.variants"],
    ["a variant that is null", { feature: "parent", variants: [null] }, "body.variants.0"],
    ["a lone surrogate", `{"feature":"parent","variants":["\\ud800"]}`, "body.variants.0"],
    [
      "variants of a parent that must be off",
      { feature: "parent", enabled: false, variants: ["x"] },
      "body.variants",
    ],
  ]),
  refused("on itself", "f"),
  refused("on an unknown flag", "nope"),
  refused("on a flag of another project", "other"),
  refused("on an archived flag", "gone"),
  refused("on a flag that itself depends on another", "child"),
  refused("of a flag that others depend on", "f", { url: `${FEATURES}/parent/dependencies` }),
  {
    name: "of an unknown flag",
    url: `${FEATURES}/nope/dependencies`,
    given,
    body: { feature: "f" },
    expect: NOT_FOUND,
  },
  {
    name: "of an archived flag",
    url: `${FEATURES}/gone/dependencies`,
    given,
    body: { feature: "f" },
    expect: NOT_FOUND,
  },
  {
    name: "of a flag of another project",
    url: `${FEATURES}/other/dependencies`,
    given,
    body: { feature: "f" },
    expect: NOT_FOUND,
  },
  {
    name: "on variants of the parent",
    given,
    body: { feature: "parent", variants: ["x", "unheard-of"] },
    records: [added({ feature: "parent", enabled: true, variants: ["x", "unheard-of"] })],
  },
  {
    name: "on another flag than before",
    url: `${FEATURES}/child/dependencies`,
    given,
    body: { feature: "f" },
    records: [{ ...added({ feature: "f", enabled: true }), featureName: "child" }],
  },
  {
    name: "on the parent being off",
    given,
    body: { feature: "parent", enabled: false },
    records: [added({ feature: "parent", enabled: false })],
  },
]);

test("a flag depends on the flag named last, and no longer on those before", async (t) => {
  const { request } = await openServer(t, given(createWorld()));
  await request(`${FEATURES}/child/dependencies`, { method: "POST", body: { feature: "f" } });
  const { body } = await request(`${FEATURES}/child`);
  assert.deepEqual(body.dependencies, [{ feature: "f", enabled: true, variants: [] }]);
});

const removed = { type: "feature-dependencies-removed", project: "a", data: null, preData: null } as const;

scenarios(`DELETE ${FEATURES}/child/dependencies`, [
  ...permitted("UPDATE_FEATURE_DEPENDENCY", { given, records: [{ ...removed, featureName: "child" }] }),
  {
    name: "of a flag that depends on nothing",
    url: `${FEATURES}/f/dependencies`,
    given,
    records: [{ ...removed, featureName: "f" }],
  },
  { name: "of an unknown flag", url: `${FEATURES}/nope/dependencies`, given, expect: NOT_FOUND },
]);

const one = {
  type: "feature-dependency-removed",
  project: "a",
  featureName: "child",
  preData: null,
} as const;

scenarios(`DELETE ${FEATURES}/child/dependencies/parent`, [
  ...permitted("UPDATE_FEATURE_DEPENDENCY", { given, records: [{ ...one, data: { feature: "parent" } }] }),
  {
    name: "an unknown one",
    url: `${FEATURES}/child/dependencies/f`,
    given,
    records: [{ ...one, data: { feature: "f" } }],
  },
  { name: "of an unknown flag", url: `${FEATURES}/nope/dependencies/parent`, given, expect: NOT_FOUND },
]);

const answers = (name: string, url: string, expected: unknown, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  url,
  given,
  see: (body) => assert.deepEqual(body, expected),
  ...rest,
});
const hidden = (path: string): Scenario => ({
  name: "a private project",
  url: `/api/admin/projects/hidden/${path}`,
  as: personal(2),
  given,
  expect: [403, "NoAccessError"],
});

scenarios(`GET ${FEATURES}`, [
  answers("live flags that depend on nothing, but not the flag itself", `${FEATURES}/f/parents`, ["parent"]),
  answers("an unknown flag", "/api/admin/projects/b/features/nope/parents", []),
  answers("an unknown project", "/api/admin/projects/nope/features/f/parents", []),
  hidden("features/f/parents"),
  answers(
    "variants of all environments and strategies, without duplicates",
    `${FEATURES}/parent/parent-variants`,
    ["x", "y", "z"],
  ),
  answers("no variants", `${FEATURES}/f/parent-variants`, []),
  answers("variants of another project's flag", "/api/admin/projects/b/features/parent/parent-variants", []),
  hidden("features/f/parent-variants"),
  answers("a project with dependencies", "/api/admin/projects/a/dependencies", true),
  answers("one without", "/api/admin/projects/b/dependencies", false),
  hidden("dependencies"),
]);

test("an existing dependency is changed", async (t) => {
  const { request } = await openServer(t, given(createWorld()));
  const add = (body: object) => request(`${FEATURES}/child/dependencies`, { method: "POST", body });
  await add({ feature: "parent", variants: ["x"] });
  await add({ feature: "parent", enabled: false });
  const { body } = await request(`${FEATURES}/child`);
  assert.deepEqual(body.dependencies, [{ feature: "parent", enabled: false, variants: [] }]);
});

test("of two concurrent dependencies on each other, one is created", async (t) => {
  const { request } = await openServer(t, createWorld().project("a").feature("f", "a").feature("g", "a"));
  const replies = await Promise.all(
    [
      ["f", "g"],
      ["g", "f"],
    ].map(([child, feature]) =>
      request(`${FEATURES}/${child}/dependencies`, { method: "POST", body: { feature } }),
    ),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 403]);
});
