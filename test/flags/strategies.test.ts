import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, personal, SERVICE, type World } from "../support/world.ts";

const FLAG = "/api/admin/projects/a/features/f";
const DEVELOPMENT = `${FLAG}/environments/development`;
const STRATEGIES = `${DEVELOPMENT}/strategies`;
const ON = { contextName: "userId", operator: "IN", values: ["7"] };
const VARIANT = { name: "v", weight: 1000, weightType: "variable", stickiness: "default" };
const NOT_FOUND: [number, string] = [404, "NotFoundError"];
const WRONG: [number, string] = [400, "ValidationError"];

/** A flag with an enabled strategy and a disabled one after it; another flag, and segments of two projects. */
const withFlag = (w: World) =>
  w
    .project("a", { defaultStickiness: "userId" })
    .project("b")
    .project("hidden", { mode: "private" })
    .member("a", 3)
    .add("segment", { id: 1, name: "one" })
    .add("segment", { id: 2, name: "two", project: "a" })
    .add("segment", { id: 3, name: "three", project: "b" })
    .feature("other", "a", {
      environments: [{ name: "production", strategies: [{ id: "far", name: "default" }] }],
    })
    .add("contextField", { name: "userId" })
    .feature("f", "a", {
      environments: [
        {
          name: "development",
          enabled: true,
          strategies: [
            {
              id: "s",
              name: "flexibleRollout",
              title: "Half",
              sortOrder: 1,
              segments: [1],
              constraints: [ON],
              variants: [VARIANT],
              parameters: { rollout: "50", stickiness: "default", groupId: "f" },
            },
            { id: "t", name: "default", sortOrder: 2, disabled: true },
          ],
        },
      ],
    });

const on = (place: Partial<Scenario>): Scenario => ({ name: "", given: withFlag, as: personal(3), ...place });

/** Callers who are refused, whatever the request. */
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
    name: `${JSON.stringify(body).slice(0, 100)} is refused for ${path}`,
    body,
    expect: WRONG,
    see: ({ details }) => assert.equal(details[0].path, `body.${path}`),
  });

const added = (data: object) => ({
  type: "feature-strategy-add" as const,
  project: "a",
  environment: "development",
  featureName: "f",
  preData: null,
  data: data as Record<string, unknown>,
});

scenarios(`POST ${STRATEGIES}`, [
  ...refused({ name: "default" }),
  on({
    name: "the minimal strategy is appended",
    body: { name: "default" },
    records: [
      added({ name: "default", title: null, disabled: false, sortOrder: 3, parameters: {}, segments: [] }),
    ],
    see: ({ id, ...strategy }) => {
      assert.match(id, /^[\da-f-]{36}$/);
      assert.deepEqual(strategy, {
        name: "default",
        title: null,
        disabled: false,
        featureName: "f",
        sortOrder: 3,
        segments: [],
        constraints: [],
        variants: [],
        parameters: {},
      });
    },
  }),
  on({
    name: "by default, a gradual rollout is for everyone, with the project's stickiness and the flag's name",
    as: SERVICE,
    body: { name: "flexibleRollout", title: null, disabled: null },
    records: [added({ parameters: { rollout: "100", stickiness: "userId", groupId: "f" } })],
  }),
  on({
    name: "every property",
    body: {
      name: "flexibleRollout",
      title: "T",
      disabled: true,
      sortOrder: 0.5,
      segments: [2, 1, 2],
      constraints: [{ ...ON, inverted: true }],
      variants: [VARIANT],
      parameters: { rollout: 25, stickiness: "random", groupId: "g" },
      unknown: 1,
    },
    records: [
      added({ sortOrder: 0.5, segments: [1, 2], parameters: { rollout: "25", stickiness: "random" } }),
    ],
    see: ({ id: _, ...strategy }) =>
      assert.deepEqual(strategy, {
        name: "flexibleRollout",
        title: "T",
        disabled: true,
        featureName: "f",
        sortOrder: 0.5,
        segments: [1, 2],
        constraints: [{ ...ON, caseInsensitive: false, inverted: true }],
        variants: [VARIANT],
        parameters: { rollout: "25", stickiness: "random", groupId: "g" },
      }),
  }),
  on({
    name: "variable weights share what the fixed ones leave",
    body: {
      name: "default",
      variants: [
        { ...VARIANT, name: "a", weight: 250, weightType: "fix" },
        { ...VARIANT, name: "b", weight: 0 },
        { ...VARIANT, name: "c", weight: 0, payload: { type: "json", value: "{}" } },
        { ...VARIANT, name: "d", weight: 0 },
        { ...VARIANT, name: "e", weight: 0 },
      ],
    },
    records: [added({})],
    see: ({ variants }) =>
      assert.deepEqual(
        variants.map(({ name, weight }: typeof VARIANT) => [name, weight]),
        [
          ["a", 250],
          ["b", 188],
          ["c", 188],
          ["d", 187],
          ["e", 187],
        ],
      ),
  }),
  wrong({}, "name"),
  wrong({ name: null }, "name"),
  wrong({ name: 5 }, "name"),
  wrong({ name: "" }, "name"),
  wrong({ name: "nosuch" }, "name"),
  wrong({ name: "default", title: [] }, "title"),
  wrong({ name: "default", title: "x".repeat(65537) }, "title"),
  wrong({ name: "default", disabled: "yes" }, "disabled"),
  wrong({ name: "default", sortOrder: "first" }, "sortOrder"),
  wrong({ name: "default", parameters: [] }, "parameters"),
  wrong({ name: "default", parameters: { a: {} } }, "parameters.a"),
  wrong({ name: "default", segments: 1 }, "segments"),
  wrong({ name: "default", segments: ["x"] }, "segments.0"),
  wrong({ name: "default", segments: [1.5] }, "segments.0"),
  wrong({ name: "default", segments: [1, 3] }, "segments.1"),
  wrong({ name: "default", segments: [1, 2, 3, 4, 5, 6] }, "segments"),
  wrong({ name: "default", constraints: [{}] }, "constraints.0.contextName"),
  wrong({ name: "default", constraints: [{ ...ON, operator: "LIKE" }] }, "constraints.0.operator"),
  wrong(
    { name: "default", constraints: [ON, { ...ON, operator: "NUM_EQ", value: "x" }] },
    "constraints.1.value",
  ),
  wrong({ name: "default", variants: [{ ...VARIANT, weight: 1001 }] }, "variants.0.weight"),
  wrong({ name: "default", variants: [{ ...VARIANT, weightType: "odd" }] }, "variants.0.weightType"),
  wrong({ name: "default", variants: [{ name: "v", weight: 1 }] }, "variants.0.weightType"),
  wrong({ name: "default", variants: [VARIANT, VARIANT] }, "variants.1.name"),
  wrong({ name: "default", variants: [{ ...VARIANT, weightType: "fix" }] }, "variants"),
  wrong(
    {
      name: "default",
      variants: ["a", "b"].map((name) => ({ ...VARIANT, name, weightType: "fix" })).concat(VARIANT),
    },
    "variants",
  ),
  wrong(
    { name: "default", variants: [{ ...VARIANT, payload: { type: "json", value: "{" } }] },
    "variants.0.payload.value",
  ),
  wrong(
    { name: "default", variants: [{ ...VARIANT, payload: { type: "number", value: "" } }] },
    "variants.0.payload.value",
  ),
  on({
    name: "too many constraints, and too many values",
    body: { name: "default", constraints: Array.from({ length: 31 }, () => ON) },
    expect: [400, "ExceedsLimitError"],
  }),
  on({
    name: "too many values of a constraint",
    body: { name: "default", constraints: [{ ...ON, values: Array.from({ length: 251 }, String) }] },
    expect: [400, "ExceedsLimitError"],
  }),
  on({ name: "an unknown segment", body: { name: "default", segments: [9] }, expect: NOT_FOUND }),
  on({
    name: "the thirty-first strategy",
    given: (w) =>
      w.project("a").feature("f", "a", {
        environments: [{ name: "development", strategies: Array(30).fill({ name: "default" }) }],
      }),
    as: personal(1),
    body: { name: "default" },
    expect: [400, "ExceedsLimitError"],
  }),
  on({
    name: "a segment of another project",
    as: SERVICE,
    body: { name: "default", segments: [3] },
    expect: WRONG,
    see: ({ message }) => assert.equal(message, "body.segments.0: the segment 3 belongs to another project"),
  }),
  on({
    name: "overrides in a variant",
    body: {
      name: "default",
      variants: [{ ...VARIANT, overrides: [{ contextName: "userId", values: ["7"] }] }],
    },
    records: [added({})],
    see: ({ variants }) =>
      assert.deepEqual(variants[0].overrides, [{ contextName: "userId", values: ["7"] }]),
  }),
  ...[
    STRATEGIES.replace("/f/", "/nosuch/"),
    STRATEGIES.replace("/a/", "/b/"),
    STRATEGIES.replace("/a/", "/nosuch/"),
  ].map((url) =>
    on({ name: `${url} is not found`, as: SERVICE, url, body: { name: "default" }, expect: NOT_FOUND }),
  ),
  on({
    name: "in an environment that is not in the project",
    url: STRATEGIES.replace("development", "nosuch"),
    as: SERVICE,
    body: { name: "default" },
    expect: [400, "ValidationError"],
    see: ({ message }) => assert.match(message, /^path\.environment: nosuch/),
  }),
]);

scenarios(`GET ${STRATEGIES}`, [
  on({
    name: "one of them",
    url: `${STRATEGIES}/s`,
    see: ({ id, title }) => assert.deepEqual([id, title], ["s", "Half"]),
  }),
  on({ name: "an unknown one", url: `${STRATEGIES}/nosuch`, expect: NOT_FOUND }),
  on({ name: "one of another flag", url: `${STRATEGIES}/far`, expect: [403, "InvalidOperationError"] }),
]);

const updated = (data: object, preData: object = { id: "s" }) => ({
  type: "feature-strategy-update" as const,
  project: "a",
  environment: "development",
  featureName: "f",
  data: data as Record<string, unknown>,
  preData: preData as Record<string, unknown>,
});

const disabled = {
  type: "feature-environment-disabled" as const,
  project: "a",
  environment: "development",
  featureName: "f",
};

scenarios(`PUT ${STRATEGIES}/s`, [
  ...refused({}),
  {
    name: "one of an archived flag",
    given: (w) =>
      w.project("a").feature("f", "a", {
        archivedAt: "2026-01-02T00:00:00Z",
        environments: [{ name: "development", strategies: [{ id: "s", name: "default" }] }],
      }),
    body: {},
    expect: NOT_FOUND,
  },
  on({
    name: "an empty body removes constraints and variants, and keeps the rest",
    body: {},
    records: [updated({ title: "Half", constraints: [], variants: [], segments: [1] })],
    see: ({ parameters }) =>
      assert.deepEqual(parameters, { rollout: "50", stickiness: "default", groupId: "f" }),
  }),
  on({
    name: "given properties are replaced",
    body: { name: "default", title: null, sortOrder: 0, segments: [2], parameters: {}, constraints: [ON] },
    records: [
      updated(
        { id: "s", name: "default", title: null, sortOrder: 0, segments: [2], parameters: {} },
        { id: "s", name: "flexibleRollout", title: "Half", sortOrder: 1, segments: [1] },
      ),
    ],
  }),
  on({
    name: "disabling the last enabled strategy disables the flag",
    body: { disabled: true },
    records: [updated({ disabled: true }), disabled],
  }),
  wrong({ name: "nosuch" }, "name"),
  wrong({ disabled: 2 }, "disabled"),
  on({ name: "an unknown one", url: `${STRATEGIES}/nosuch`, body: {}, expect: NOT_FOUND }),
  on({
    name: "one of another flag",
    url: `${STRATEGIES}/far`,
    body: {},
    expect: [403, "InvalidOperationError"],
  }),
  on({
    name: "too large for an event",
    as: personal(1),
    given: (w) =>
      w.project("a").feature("f", "a", {
        environments: [
          {
            name: "development",
            strategies: [{ id: "s", name: "default", parameters: { a: "x".repeat(600_000) } }],
          },
        ],
      }),
    body: { parameters: { a: "y".repeat(600_000) } },
    expect: [413, "PayloadTooLargeError"],
  }),
]);

scenarios(`PATCH ${STRATEGIES}/s`, [
  ...refused([]),
  on({
    name: "an empty patch changes nothing, and is recorded",
    body: [],
    records: [updated({ title: "Half" })],
  }),
  on({
    name: "some properties",
    body: [
      { op: "replace", path: "/parameters/rollout", value: "10" },
      { op: "remove", path: "/constraints/0" },
      { op: "remove", path: "/title" },
      { op: "add", path: "/segments/-", value: 2 },
    ],
    records: [updated({ title: null, constraints: [], segments: [1, 2], variants: [VARIANT] })],
    see: ({ parameters }) => assert.equal(parameters.rollout, "10"),
  }),
  on({
    name: "a result that is not a strategy",
    body: [{ op: "replace", path: "/disabled", value: "yes" }],
    expect: WRONG,
    see: ({ details }) => assert.equal(details[0].path, "body.disabled"),
  }),
  on({ name: "an impossible step", body: [{ op: "remove", path: "/no" }], expect: WRONG }),
  on({ name: "not a list", body: {}, expect: WRONG }),
  on({ name: "an unknown one", url: `${STRATEGIES}/nosuch`, body: [], expect: NOT_FOUND }),
]);

const many = (count: number, values = 1) =>
  Array.from({ length: count }, () => ({ ...ON, values: Array.from({ length: values }, String) }));

/** An import may exceed the limits of requests. */
const withMany = (constraints: object[]) => (w: World) =>
  w
    .add("contextField", { name: "userId" })
    .project("a")
    .feature("f", "a", {
      environments: [{ name: "development", strategies: [{ id: "s", name: "default", constraints }] }],
    });

for (const [name, before, constraints, expect] of [
  ["as many constraints as before", many(31), many(31), 200],
  ["one more", many(31), many(32), 400],
  ["as many values as before", many(1, 251), many(1, 251), 200],
  ["one more value", many(1, 251), many(1, 252), 400],
  ["as many values, beside another constraint", many(1, 251), many(2, 251), 400],
] as const) {
  const records = expect === 200 ? [{ type: "feature-strategy-update" as const }] : [];
  const limited = { name, given: withMany([...before]), records, expect };
  scenarios(`PUT ${STRATEGIES}/s`, [{ ...limited, body: { constraints } }]);
  scenarios(`PATCH ${STRATEGIES}/s`, [
    { ...limited, body: [{ op: "replace", path: "/constraints", value: constraints }] },
  ]);
}

scenarios(`DELETE ${STRATEGIES}`, [
  ...refused().map((one) => ({ ...one, url: `${STRATEGIES}/s` })),
  on({
    name: "removing the last enabled one disables the flag",
    url: `${STRATEGIES}/s`,
    records: [
      { type: "feature-strategy-remove", data: null, preData: { id: "s", segments: [1] }, featureName: "f" },
      disabled,
    ],
  }),
  on({ name: "a disabled one", url: `${STRATEGIES}/t`, records: [{ type: "feature-strategy-remove" }] }),
  on({ name: "an unknown one", url: `${STRATEGIES}/nosuch`, expect: NOT_FOUND }),
  on({ name: "one of another flag", url: `${STRATEGIES}/far`, expect: [403, "InvalidOperationError"] }),
]);

const SORT = `${STRATEGIES}/set-sort-order`;

scenarios(`POST ${SORT}`, [
  ...refused([]),
  on({
    name: "another order",
    body: [{ id: "s", sortOrder: 9 }],
    records: [
      {
        type: "strategy-order-changed",
        featureName: "f",
        environment: "development",
        data: { strategyIds: ["t", "s"] },
        preData: { strategyIds: ["s", "t"] },
      },
    ],
  }),
  on({
    name: "with a strategy of another flag",
    body: [
      { id: "s", sortOrder: 9 },
      { id: "far", sortOrder: 9 },
    ],
    expect: [403, "InvalidOperationError"],
  }),
  on({ name: "with an unknown strategy", body: [{ id: "nosuch", sortOrder: 1 }], expect: NOT_FOUND }),
  wrong([{ id: "s" }], "0.sortOrder"),
  wrong([{ sortOrder: 1 }], "0.id"),
  wrong([{ id: "s", sortOrder: "first" }], "0.sortOrder"),
  on({ name: "not a list", body: {}, expect: WRONG }),
  on({ name: "an unknown flag", url: SORT.replace("/f/", "/nosuch/"), body: [], expect: NOT_FOUND }),
]);

test("a strategy of a private project is unknown to others in another project", async (t) => {
  const world = withFlag(createWorld())
    .project("private", { mode: "private" })
    .feature("p", "private", {
      environments: [{ name: "development", strategies: [{ id: "secret", name: "default" }] }],
    });
  const { request } = await openServer(t, world);
  const path = "/api/admin/projects/private/features/p/environments/development/strategies/secret";
  const statusOf = async (url: string) => (await request(url, { as: personal(3) })).status;
  assert.equal(await statusOf(path), 403);
  assert.equal(await statusOf(path.replace("/private/features/p/", "/a/features/f/")), 404);
});

const BULK = "/api/admin/projects/a/bulk_features/environments/development";

scenarios(`POST ${BULK}/on`, [
  ...refused({ features: [] }),
  on({
    name: "disabled flags are enabled, once",
    body: { features: ["other", "f", "other"] },
    records: [
      { type: "feature-strategy-add", featureName: "other" },
      { type: "feature-environment-enabled", featureName: "other" },
    ],
  }),
  on({
    name: "disabled strategies are enabled instead of adding one",
    url: `${BULK}/on?shouldActivateDisabledStrategies=true`,
    body: { features: ["f"] },
    records: [{ type: "feature-strategy-update", featureName: "f", data: { id: "t", disabled: false } }],
  }),
  on({ name: "none if one is unknown", body: { features: ["other", "nosuch"] }, expect: NOT_FOUND }),
  on({
    name: "an unknown environment",
    url: `${BULK.replace("development", "no")}/on`,
    as: SERVICE,
    body: { features: ["f"] },
    expect: NOT_FOUND,
  }),
  wrong({}, "features"),
  wrong({ features: "f" }, "features"),
  wrong({ features: [{}] }, "features.0"),
]);

scenarios(`POST ${BULK}/off`, [
  ...refused({ features: [] }),
  on({
    name: "enabled flags are disabled",
    body: { features: ["f", "other"] },
    records: [{ type: "feature-environment-disabled", featureName: "f" }],
  }),
  on({ name: "an unknown flag", body: { features: ["nosuch"] }, expect: NOT_FOUND }),
]);
