import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, personal, SERVICE, type World } from "../support/world.ts";

const FLAG = "/api/admin/projects/a/features/f";
const VARIANTS = `${FLAG}/environments/development/variants`;
const NOT_FOUND: [number, string] = [404, "NotFoundError"];
const WRONG: [number, string] = [400, "ValidationError"];

const variant = (name: string, weight = 1000, rest: object = {}) => ({
  name,
  weight,
  weightType: "variable",
  stickiness: "default",
  ...rest,
});

/** A flag with a variant in development, and one without variants. */
const withFlag = (w: World) =>
  w
    .project("a")
    .member("a", 3)
    .project("hidden", { mode: "private" })
    .feature("new", "a")
    .feature("secret", "hidden", { environments: [{ name: "development", variants: [variant("x")] }] })
    .feature("f", "a", {
      environments: [
        { name: "development", variants: [variant("old")] },
        { name: "production", strategies: [{ name: "default", variants: [variant("of a strategy")] }] },
      ],
    });

const on = (rest: Partial<Scenario>): Scenario => ({ name: "", given: withFlag, as: personal(3), ...rest });

const refused = (body?: unknown): Scenario[] => [
  on({ name: "no credential", as: null, body, expect: [401, "AuthenticationRequired"] }),
  on({ name: "a client token", as: CLIENT, body, expect: [403, "NoAccessError"] }),
  on({
    name: "a viewer without a role in the project",
    as: personal(4),
    body,
    expect: [403, "NoAccessError"],
  }),
];

const wrong = (body: unknown, path: string): Scenario =>
  on({
    name: `${JSON.stringify(body)} is refused for ${path}`,
    body,
    expect: WRONG,
    see: ({ details }) => assert.equal(details[0].path, path),
  });

const changed = (environment: string, after: object[], before: object[]) => ({
  type: "feature-environment-variants-updated" as const,
  project: "a",
  environment,
  featureName: "f",
  data: { variants: after },
  preData: { variants: before },
});

const weights = ({ variants }: { variants: Array<{ name: string; weight: number }> }) =>
  variants.map(({ name, weight }) => [name, weight]);

scenarios(`GET ${VARIANTS}`, [
  on({
    name: "those of the environment",
    as: personal(4),
    see: (body) => assert.deepEqual(body, { version: 1, variants: [variant("old")] }),
  }),
  on({
    name: "none in an environment without stored state",
    url: VARIANTS.replace("/f/", "/new/"),
    see: ({ variants }) => assert.deepEqual(variants, []),
  }),
  on({ name: "an unknown environment", url: VARIANTS.replace("development", "no"), expect: NOT_FOUND }),
  on({ name: "an unknown flag", url: VARIANTS.replace("/f/", "/no/"), expect: NOT_FOUND }),
]);

scenarios(`PUT ${VARIANTS}`, [
  ...refused([]),
  on({
    name: "they share the weight and are sorted by name",
    body: [
      { name: "b", weight: 0, weightType: "variable" },
      variant("c", 300, { weightType: "fix", payload: { type: "number", value: "1" } }),
      variant("a", 5, { overrides: [{ contextName: "userId", values: ["7"] }], unknown: 1 }),
    ],
    records: [{ type: "feature-environment-variants-updated", preData: { variants: [variant("old")] } }],
    see: (body, { text }) => {
      assert.deepEqual(weights(body), [
        ["a", 350],
        ["b", 350],
        ["c", 300],
      ]);
      assert.deepEqual(body.variants[0].overrides, [{ contextName: "userId", values: ["7"] }]);
      assert.deepEqual(body.variants[1], { name: "b", weight: 350, weightType: "variable" });
      assert.ok(!text.includes("unknown"));
    },
  }),
  on({ name: "none", body: [], records: [changed("development", [], [variant("old")])] }),
  on({
    name: "a flag without variants gets none",
    url: VARIANTS.replace("/f/", "/new/"),
    body: [variant("a")],
    expect: [403, "InvalidOperationError"],
  }),
  on({
    name: "without a stickiness, none is stored",
    body: [{ name: "a", weight: 1000, weightType: "variable" }],
    records: [
      changed("development", [{ name: "a", weight: 1000, weightType: "variable" }], [variant("old")]),
    ],
    see: ({ variants }) => assert.deepEqual(variants, [{ name: "a", weight: 1000, weightType: "variable" }]),
  }),
  on({
    name: "a flag without variants gets none, even if they are wrong",
    url: VARIANTS.replace("/f/", "/new/"),
    body: [variant("a", 1000, { weightType: "fix" })],
    expect: [403, "InvalidOperationError"],
  }),
  on({
    name: "a flag without variants keeps none",
    url: VARIANTS.replace("/f/", "/new/"),
    body: [],
    expect: [403, "InvalidOperationError"],
  }),
  wrong([variant("")], "body.0.name"),
  wrong([variant("a b")], "body.0.name"),
  wrong([{ name: "a", weight: 1000 }], "body.0.weightType"),
  wrong([variant("a", 1000, { payload: { type: "string", value: "" } })], "body.0.payload.value"),
  wrong([{ name: "a" }], "body.0.weight"),
  wrong([variant("a", -1)], "body.0.weight"),
  wrong([variant("a", 1001)], "body.0.weight"),
  wrong([variant("a", 0.5)], "body.0.weight"),
  wrong([variant("a"), variant("a")], "body.1.name"),
  wrong([variant("a", 1000, { weightType: "fix" })], "body"),
  wrong([variant("a", 1000, { payload: { type: "xml", value: "" } })], "body.0.payload.type"),
  wrong([variant("a", 1000, { payload: { type: "json", value: "{" } })], "body.0.payload.value"),
  wrong([variant("a", 1000, { overrides: [{ values: [] }] })], "body.0.overrides.0.contextName"),
  wrong({}, "body"),
  on({ name: "an unknown flag", url: VARIANTS.replace("/f/", "/no/"), body: [], expect: NOT_FOUND }),
]);

scenarios(`PATCH ${VARIANTS}`, [
  ...refused([]),
  on({
    name: "one more",
    body: [{ op: "add", path: "/-", value: variant("new", 0) }],
    records: [changed("development", [variant("new", 500), variant("old", 500)], [variant("old")])],
    see: (body) =>
      assert.deepEqual(weights(body), [
        ["new", 500],
        ["old", 500],
      ]),
  }),
  on({
    name: "of a flag without variants",
    url: VARIANTS.replace("/f/", "/new/"),
    body: [],
    expect: [403, "InvalidOperationError"],
  }),
  wrong([{ op: "add", path: "/0/weight", value: "x" }], "body.0.weight"),
  wrong([{ op: "remove", path: "/1" }], "body.0"),
  on({ name: "an unknown flag", url: VARIANTS.replace("/f/", "/no/"), body: [], expect: NOT_FOUND }),
]);

const ALL = `${FLAG}/variants`;

scenarios(`GET ${ALL}`, [
  on({
    name: "those of the first environment that has any",
    see: (body) => assert.deepEqual(weights(body), [["old", 1000]]),
  }),
  on({ name: "an unknown flag", url: "/api/admin/projects/a/features/no/variants", expect: NOT_FOUND }),
]);

scenarios(`PUT ${ALL}`, [
  ...refused([]),
  on({
    name: "a flag without variants gets them in every environment",
    url: ALL.replace("/f/", "/new/"),
    body: [variant("b", 0), variant("a", 0)],
    records: [
      {
        type: "feature-variants-updated",
        project: "a",
        environment: null,
        featureName: "new",
        data: { variants: [variant("a", 500), variant("b", 500)] },
        preData: { variants: [] },
      },
    ],
  }),
  wrong([variant("a", 1000, { weightType: "fix" })], "body"),
  on({ name: "an unknown flag", url: ALL.replace("/f/", "/no/"), body: [], expect: NOT_FOUND }),
]);

scenarios(`PATCH ${ALL}`, [
  ...refused([]),
  on({
    name: "each environment based on its own",
    body: [{ op: "add", path: "/0", value: variant("new") }],
    records: [
      changed("development", [variant("new", 500), variant("old", 500)], [variant("old")]),
      changed("production", [variant("new")], []),
    ],
    see: (body) => assert.deepEqual(body.variants.length, 2),
  }),
  on({ name: "all or none", body: [{ op: "remove", path: "/0" }], expect: WRONG }),
  on({
    name: "of a flag without variants",
    url: ALL.replace("/f/", "/new/"),
    body: [],
    expect: [403, "InvalidOperationError"],
  }),
]);

const BATCH = `${FLAG}/variants-batch`;
const both = { variants: [variant("a", 0)], environments: ["development", "production", "production"] };

scenarios(`PUT ${BATCH}`, [
  ...refused(both),
  on({
    name: "the same in several environments",
    body: both,
    records: [
      changed("development", [variant("a")], [variant("old")]),
      changed("production", [variant("a")], []),
    ],
    see: (body) => assert.deepEqual(body, { version: 1, variants: [variant("a")] }),
  }),
  on({
    name: "defaults are filled in",
    body: { variants: [{ name: "a", weight: 0 }], environments: ["development"] },
    records: [changed("development", [variant("a")], [variant("old")])],
    see: (body) => assert.deepEqual(body, { version: 1, variants: [variant("a")] }),
  }),
  wrong({ variants: [] }, "body.environments"),
  wrong({ ...both, environments: [] }, "body.environments"),
  wrong({ ...both, variants: [variant("a", 1, { weightType: "fix" })] }, "body.variants"),
  on({
    name: "an unknown environment",
    as: SERVICE,
    body: { ...both, environments: ["no"] },
    expect: NOT_FOUND,
  }),
]);

test("the names of variants that others can depend on, in order; none for an unknown flag or another project's", async (t) => {
  const { request } = await openServer(t, withFlag(createWorld()));
  const names = async (path: string) => (await request(`/api/admin/projects/${path}/parent-variants`)).body;
  assert.deepEqual(await names("a/features/f"), ["of a strategy", "old"]);
  assert.deepEqual(await names("a/features/no"), []);
  assert.deepEqual(await names("a/features/secret"), []);
  const reply = await request("/api/admin/projects/hidden/features/secret/parent-variants", {
    as: personal(3),
  });
  assert.equal(reply.status, 403);
});
