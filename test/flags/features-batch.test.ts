import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const BATCH = "/api/admin/features-batch";

const STRATEGY = {
  id: "s1",
  name: "flexibleRollout",
  title: "Half",
  segments: [7],
  constraints: [{ contextName: "userId", operator: "IN", values: ["9"] }],
  parameters: { rollout: "50", stickiness: "sessionId", groupId: "cart" },
};

const withFlags = (w: World) =>
  w
    .project("a")
    .project("b")
    .project("p", { mode: "private" })
    .add("contextField", { name: "userId", legalValues: [{ value: "9" }] })
    .add("contextField", { name: "sessionId", sortOrder: 3 })
    .add("contextField", { name: "unused" })
    .add("segment", { id: 7, name: "beta" })
    .feature("menu", "a", { type: "experiment" })
    .feature("cart", "a", {
      description: "The cart",
      tags: [{ type: "simple", value: "red" }],
      dependencies: [{ feature: "menu" }],
      environments: [{ name: "development", enabled: true, strategies: [STRATEGY] }],
    })
    .feature("other", "b", { tags: [{ type: "simple", value: "red" }] })
    .feature("secret", "p", { tags: [{ type: "simple", value: "red" }] })
    .feature("gone", "a", { archivedAt: "2026-05-01T00:00:00Z" });

const exported = (body: object) => ({
  type: "features-exported" as const,
  project: null,
  data: { data: body, auditUser: { id: 3, username: "user3" } },
});

const exports = (body: object, names: string[]) => ({
  name: `${JSON.stringify(body)} exports the right flags`,
  as: personal(3),
  given: withFlags,
  body: { environment: "development", ...body },
  records: [exported({ environment: "development", ...body })],
  see: ({ features }: { features: Array<{ name: string }> }) =>
    assert.deepEqual(
      features.map(({ name }) => name),
      names,
    ),
});

scenarios(`POST ${BATCH}/export`, [
  exports({ features: ["cart", "menu", "cart", "nope", "secret"] }, ["cart", "menu"]),
  exports({ features: ["gone"] }, ["gone"]),
  exports({ features: [] }, ["cart", "menu", "other"]),
  exports({ tag: "red" }, ["cart", "other"]),
  exports({ tag: "simple:red" }, ["cart", "other"]),
  exports({ project: "a" }, ["cart", "menu"]),
  exports({ project: "p" }, []),
  exports({ project: "nope" }, []),
  {
    name: "everything a flag needs",
    given: withFlags,
    body: { environment: "development", features: ["cart"] },
    records: [{ type: "features-exported" }],
    see: (body) =>
      assert.deepEqual(body, {
        features: [
          {
            name: "cart",
            description: "The cart",
            type: "release",
            project: "a",
            stale: false,
            impressionData: false,
            archived: false,
          },
        ],
        featureStrategies: [
          {
            ...STRATEGY,
            featureName: "cart",
            disabled: false,
            variants: [],
            constraints: [{ ...STRATEGY.constraints[0], caseInsensitive: false, inverted: false }],
          },
        ],
        featureEnvironments: [
          { enabled: true, featureName: "cart", environment: "development", variants: [], name: "cart" },
        ],
        contextFields: [
          { name: "sessionId", description: null, stickiness: false, sortOrder: 3, legalValues: [] },
          {
            name: "userId",
            description: null,
            stickiness: false,
            sortOrder: 10,
            legalValues: [{ value: "9" }],
          },
        ],
        featureTags: [{ featureName: "cart", tagType: "simple", tagValue: "red" }],
        segments: [{ id: 7, name: "beta" }],
        tagTypes: [{ name: "simple", description: null, icon: null }],
        dependencies: [{ feature: "cart", dependencies: [{ feature: "menu", enabled: true, variants: [] }] }],
      }),
  },
  {
    name: "an environment without strategies for the flag",
    given: withFlags,
    body: { environment: "nope", features: ["cart"] },
    records: [{ type: "features-exported" }],
    see: (body) => assert.deepEqual([body.featureStrategies, body.featureEnvironments], [[], []]),
  },
  {
    name: "as a file",
    given: withFlags,
    body: { environment: "development", features: ["cart"], downloadFile: true },
    records: [{ type: "features-exported" }],
    see: (_, { headers }) =>
      assert.match(headers.get("content-disposition")!, /^attachment; filename="export-[\d-]+\.json"$/),
  },
  ...(
    [
      ["features", { environment: "development" }],
      ["environment", { features: ["cart"] }],
      ["features.0", { environment: "development", features: [""] }],
      ["features", { environment: "development", features: "cart" }],
      ["downloadFile", { environment: "development", project: "a", downloadFile: "yes" }],
    ] as const
  ).map(([path, body]) => ({
    name: `${JSON.stringify(body)} is refused`,
    body,
    expect: [400, "ValidationError"] as [number, string],
    see: (reply: { message: string }) => assert.match(reply.message, new RegExp(`^body\\.${path}: `)),
  })),
]);

const NOTHING = {
  features: [],
  featureStrategies: [],
  featureEnvironments: [],
  contextFields: [],
  featureTags: [],
  segments: [],
  tagTypes: [],
  dependencies: [],
};

const intoA = (data: object) => ({ project: "a", environment: "development", data: { ...NOTHING, ...data } });

const finds = (name: string, kind: "errors" | "warnings", data: object, items: string[]) => ({
  name,
  given: withFlags,
  body: intoA(data),
  see: (body: Record<string, Array<{ affectedItems: string[] }>>) => {
    assert.deepEqual(
      body[kind]!.map(({ affectedItems }) => affectedItems),
      [items],
    );
    assert.deepEqual(body[kind === "errors" ? "warnings" : "errors"], []);
  },
});

const rollout = (line: object = {}) => ({ name: "flexibleRollout", featureName: "new", ...line });

scenarios(`POST ${BATCH}/validate`, [
  {
    name: "nothing to report",
    given: withFlags,
    body: intoA({ features: [{ name: "new" }] }),
    see: (body) => assert.deepEqual(body, { errors: [], warnings: [], permissions: [] }),
  },
  finds("a flag of another project", "errors", { features: [{ name: "other" }] }, ["other (in project b)"]),
  {
    ...finds("a flag of a hidden project", "errors", { features: [{ name: "secret" }] }, ["secret"]),
    as: personal(3),
  },
  finds("a flag twice", "errors", { features: [{ name: "new" }, { name: "new" }] }, ["new"]),
  finds("an unknown type", "errors", { features: [{ name: "new", type: "nope" }] }, ["nope"]),
  finds(
    "an unknown strategy",
    "errors",
    { features: [{ name: "new" }], featureStrategies: [rollout({ name: "nope" })] },
    ["nope"],
  ),
  finds(
    "different legal values",
    "errors",
    { contextFields: [{ name: "userId", legalValues: [{ value: "9" }, { value: "10" }] }] },
    ["userId"],
  ),
  finds("a missing segment", "errors", { segments: [{ id: 1, name: "nope" }] }, ["nope"]),
  finds(
    "a segment without a name",
    "errors",
    { features: [{ name: "new" }], featureStrategies: [rollout({ segments: [5] })] },
    ["5"],
  ),
  finds(
    "a tag of a type that does not exist",
    "errors",
    { features: [{ name: "new" }], featureTags: [{ featureName: "new", tagType: "nope", tagValue: "xx" }] },
    ["nope"],
  ),
  finds(
    "a tag of a type that exists but is not included",
    "errors",
    { features: [{ name: "new" }], featureTags: [{ featureName: "new", tagType: "simple", tagValue: "xx" }] },
    ["simple"],
  ),
  finds(
    "an unknown parent",
    "errors",
    { features: [{ name: "new" }], dependencies: [{ feature: "new", dependencies: [{ feature: "nope" }] }] },
    ["nope"],
  ),
  finds(
    "a constraint on an unknown field",
    "errors",
    {
      features: [{ name: "new" }],
      featureStrategies: [rollout({ constraints: [{ contextName: "nope", operator: "IN", values: ["1"] }] })],
    },
    ["nope"],
  ),
  finds("an archived flag", "warnings", { features: [{ name: "gone" }] }, ["gone"]),
  finds("an existing flag", "warnings", { features: [{ name: "cart" }] }, ["cart"]),
  {
    name: "an unknown project and environment",
    body: { ...intoA({}), project: "nope", environment: "nope" },
    see: (body) => assert.equal(body.errors.length, 2),
  },
  {
    name: "the permissions that a viewer lacks",
    as: personal(3),
    given: withFlags,
    body: intoA({
      features: [{ name: "new" }],
      featureStrategies: [rollout()],
      featureEnvironments: [{ featureName: "new", enabled: true }],
      tagTypes: [{ name: "team" }],
      contextFields: [{ name: "plan" }],
    }),
    see: (body) =>
      assert.deepEqual(body.permissions[0].affectedItems, [
        "Update feature flags",
        "Create feature flags",
        "Create activation strategies",
        "Enable/disable flags",
        "Create context fields",
        "Create tag types",
      ]),
  },
  {
    name: "deleting strategies is only needed where there are some",
    as: personal(3),
    given: withFlags,
    body: intoA({ features: [{ name: "cart" }] }),
    see: (body) =>
      assert.deepEqual(body.permissions[0].affectedItems, [
        "Update feature flags",
        "Delete activation strategies",
      ]),
  },
  {
    name: "a private project of others",
    as: personal(3),
    given: withFlags,
    body: { ...intoA({}), project: "p" },
    expect: [403, "NoAccessError"],
  },
  ...(
    [
      ["data", { project: "a", environment: "development" }],
      ["project", { environment: "development", data: NOTHING }],
      ["data.features", { ...intoA({}), data: { ...NOTHING, features: {} } }],
      ["data.features.0.name", intoA({ features: [{ name: "not a name" }] })],
      ["data.featureStrategies", { ...intoA({}), data: { features: [], tagTypes: [] } }],
    ] as const
  ).map(([path, body]) => ({
    name: `an invalid body.${path}`,
    body,
    expect: [400, "ValidationError"] as [number, string],
    see: (reply: { message: string }) => assert.match(reply.message, new RegExp(`^body\\.${path}: `)),
  })),
]);

scenarios(`POST ${BATCH}/import`, [
  {
    name: "a viewer may not, whatever the content",
    as: personal(3),
    given: withFlags,
    body: intoA({}),
    expect: [403, "NoAccessError"],
    see: ({ message }) => assert.match(message, /UPDATE_FEATURE to import/),
  },
  {
    name: "a member may not create anything outside the project",
    as: personal(3),
    given: (w) => withFlags(w).member("a", 3),
    body: intoA({ features: [{ name: "new" }], tagTypes: [{ name: "team" }] }),
    expect: [403, "NoAccessError"],
    see: ({ message }) => assert.match(message, /CREATE_TAG_TYPE/),
  },
  {
    name: "a member may create flags",
    as: personal(3),
    given: (w) => withFlags(w).member("a", 3),
    body: intoA({ features: [{ name: "new" }], featureStrategies: [rollout()] }),
    records: [
      { type: "feature-created", featureName: "new", createdByUserId: 3 },
      { type: "feature-strategy-add", featureName: "new", environment: "development" },
      { type: "features-imported", project: "a", environment: "development", data: null },
    ],
  },
  {
    name: "an empty import",
    as: SERVICE,
    given: withFlags,
    body: intoA({}),
    records: [{ type: "features-imported" }],
  },
  {
    name: "everything, in order of dependency",
    given: withFlags,
    body: intoA({
      features: [{ name: "new", description: "New", type: "experiment", stale: true }],
      featureStrategies: [
        rollout({ segments: [1], constraints: [{ contextName: "plan", operator: "IN", values: ["gold"] }] }),
      ],
      featureEnvironments: [{ featureName: "new", enabled: true }],
      contextFields: [{ name: "plan", legalValues: [{ value: "gold" }] }, { name: "userId" }],
      featureTags: [{ featureName: "new", tagType: "team", tagValue: "blue" }],
      segments: [{ id: 1, name: "beta" }],
      tagTypes: [{ name: "team" }, { name: "simple" }],
      dependencies: [{ feature: "new", dependencies: [{ feature: "menu", enabled: false }] }],
    }),
    records: [
      { type: "context-field-created", data: { name: "plan", description: "" } },
      { type: "tag-type-created", data: { name: "team" } },
      {
        type: "feature-created",
        featureName: "new",
        project: "a",
        data: { stale: true, type: "experiment" },
      },
      { type: "tag-created", data: { type: "team", value: "blue" } },
      { type: "feature-tagged", featureName: "new", data: { type: "team", value: "blue" } },
      {
        type: "feature-strategy-add",
        featureName: "new",
        data: { segments: [7], sortOrder: 0 },
        tags: [{ type: "team", value: "blue" }],
      },
      {
        type: "feature-environment-enabled",
        featureName: "new",
        environment: "development",
        tags: [{ type: "team", value: "blue" }],
      },
      { type: "feature-dependency-added", featureName: "new", data: { feature: "menu", enabled: false } },
      { type: "features-imported", project: "a", environment: "development" },
    ],
  },
  {
    name: "an illegal value rolls everything back",
    given: withFlags,
    body: intoA({
      features: [{ name: "new" }],
      featureStrategies: [
        rollout({ constraints: [{ contextName: "userId", operator: "IN", values: ["10"] }] }),
      ],
    }),
    expect: [400, "ValidationError"],
    see: ({ message }) =>
      assert.match(message, /^body\.data\.featureStrategies\.0\.constraints\.0\.values: /),
  },
  {
    name: "variants of the flag",
    given: withFlags,
    body: intoA({
      features: [{ name: "new" }],
      featureEnvironments: [
        {
          featureName: "new",
          enabled: false,
          variants: [{ name: "v", weight: 1000, weightType: "variable" }],
        },
      ],
    }),
    records: [
      { type: "feature-created" },
      { type: "feature-environment-variants-updated", featureName: "new", environment: "development" },
      { type: "features-imported" },
    ],
  },
  {
    name: "an invalid import is rejected, and nothing done",
    given: withFlags,
    body: intoA({ features: [{ name: "new" }, { name: "other" }] }),
    expect: [400, "ValidationError"],
    see: ({ message }) => assert.match(message, /^body\.data: .*other \(in project b\)/),
  },
  {
    name: "an impossible dependency rolls everything back",
    given: withFlags,
    body: intoA({
      features: [{ name: "new" }],
      dependencies: [{ feature: "new", dependencies: [{ feature: "cart" }] }],
    }),
    expect: [403, "InvalidOperationError"],
  },
  {
    name: "archived flags stay archived",
    given: withFlags,
    body: intoA({ features: [{ name: "gone" }], featureStrategies: [rollout({ featureName: "gone" })] }),
    records: [{ type: "features-imported" }],
  },
  {
    name: "an existing flag is replaced, and disabled",
    given: withFlags,
    body: intoA({
      features: [{ name: "cart", type: "kill-switch" }],
      featureStrategies: [rollout({ name: "default", featureName: "cart" })],
      featureEnvironments: [{ featureName: "cart", enabled: false }],
    }),
    records: [
      {
        type: "feature-metadata-updated",
        featureName: "cart",
        data: { type: "kill-switch", description: "The cart" },
        preData: { type: "release", description: "The cart" },
      },
      { type: "feature-strategy-add", featureName: "cart", data: { name: "default", sortOrder: 0 } },
      { type: "feature-environment-disabled", featureName: "cart" },
      { type: "features-imported" },
    ],
  },
  {
    name: "a description that is null replaces the one before",
    given: withFlags,
    body: intoA({ features: [{ name: "cart", description: null }] }),
    records: [
      { type: "feature-metadata-updated", data: { description: null }, preData: { description: "The cart" } },
      { type: "features-imported" },
    ],
  },
]);

test("an export can be imported elsewhere", async (t) => {
  const { request } = await openServer(t, withFlags(createWorld()));
  const ask = { method: "POST", body: { environment: "development", project: "a" } };
  const { body: data } = await request(`${BATCH}/export`, ask);
  const other = await openServer(t, createWorld().project("b").add("segment", { id: 1, name: "beta" }));
  const into = { method: "POST", body: { project: "b", environment: "development", data } };
  assert.equal((await other.request(`${BATCH}/import`, into)).status, 200);
  const { body: again } = await other.request(`${BATCH}/export`, {
    method: "POST",
    body: { environment: "development", project: "b" },
  });
  const withoutIds = (strategies: object[]) => strategies.map((one) => ({ ...one, id: "", segments: [] }));
  assert.deepEqual(withoutIds(again.featureStrategies), withoutIds(data.featureStrategies));
  assert.deepEqual(again.featureStrategies[0].segments, [1]);
  assert.deepEqual(again.featureEnvironments, data.featureEnvironments);
  assert.deepEqual(again.dependencies, data.dependencies);
  assert.deepEqual(again.featureTags, data.featureTags);
  assert.deepEqual(again.contextFields, data.contextFields);
});

test("a field of the project becomes one of the project that it is imported into", async (t) => {
  const constraints = [{ contextName: "tier", operator: "IN", values: ["gold"] }];
  const strategies = [{ ...STRATEGY, id: "s2", segments: [], constraints }];
  const { request } = await openServer(
    t,
    withFlags(createWorld())
      .add("contextField", { name: "tier", project: "a" })
      .feature("till", "a", { environments: [{ name: "development", strategies }] }),
  );
  const query = { environment: "development", features: ["till"] };
  const { body: data } = await request(`${BATCH}/export`, { method: "POST", body: query });
  assert.equal(data.contextFields.find(({ name }: { name: string }) => name === "tier").project, "a");
  const into = { method: "POST", body: { project: "b", environment: "development", data } };
  const other = await openServer(t, createWorld().project("b"));
  assert.equal((await other.request(`${BATCH}/import`, into)).status, 200);
  const { body: fields } = await other.request("/api/admin/projects/b/context");
  assert.deepEqual(
    fields.map(({ name }: { name: string }) => name),
    ["tier"],
  );
  const taken = createWorld().project("a").project("b").add("contextField", { name: "tier", project: "a" });
  const refused = await (await openServer(t, taken)).request(`${BATCH}/import`, into);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /tier/);
});

test("names that don't match the project's pattern, and a full project", async (t) => {
  const { request, db } = await openServer(t, createWorld().project("a"));
  db.exec(`UPDATE projects SET feature_limit = 0, feature_naming = '{"pattern": "a-.*"}' WHERE id = 'a'`);
  const body = intoA({ features: [{ name: "new" }, { name: "a-new" }] });
  const { errors } = (await request(`${BATCH}/validate`, { method: "POST", body })).body;
  const items = errors.map((one: { affectedItems: string[] }) => one.affectedItems);
  assert.deepEqual(items, [["0 more are possible"], ["new"]]);
});

for (const pattern of ["(", "(?=a)(a+)+b"]) {
  test(`the pattern ${pattern}, which can't be used, matches no name, and is not tried again`, async (t) => {
    const { request, db } = await openServer(t, createWorld().project("a"));
    db.prepare(`UPDATE projects SET feature_naming = ? WHERE id = 'a'`).run(JSON.stringify({ pattern }));
    const names = Array.from({ length: 50 }, (_, index) => "a".repeat(30 + index));
    const tries = t.mock.method(vm, "runInNewContext").mock;
    const body = intoA({ features: names.map((name) => ({ name })) });
    const { errors } = (await request(`${BATCH}/validate`, { method: "POST", body })).body;
    assert.deepEqual(errors[0].affectedItems, names);
    assert.ok(tries.callCount() < 2, `${tries.callCount()} tries`);
  });
}
