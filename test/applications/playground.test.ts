import assert from "node:assert/strict";
import { scenarios } from "../support/server.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

const BLUE = { name: "blue", weight: 1000, weightType: "variable", stickiness: "userId" };
const BELGIAN = { contextName: "country", operator: "IN", values: ["be"] };

type Strategy = { id: string; name: string; [key: string]: unknown };

/** Enabled in development only. */
const flag = (name: string, strategies: Strategy[], line: object = {}, place: object = {}) => ({
  name,
  line: { environments: [{ name: "development", enabled: true, strategies, ...place }], ...line },
});

const withFlag =
  (...flags: ReturnType<typeof flag>[]) =>
  (w: World) => {
    w.project("a").add("segment", { id: 1, name: "belgians", constraints: [BELGIAN] });
    for (const { name, line } of flags) w.feature(name, "a", line);
    return w;
  };

const asking = (context: object = {}, more: object = {}) => ({
  body: { environment: "development", context: { appName: "x", ...context }, ...more },
});

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked into at many places
type Body = any;
const named = (body: Body, name: string) => body.features.find((one: Body) => one.name === name);
const sees = (name: string, expected: object) => (body: Body) =>
  assert.partialDeepStrictEqual(named(body, name), expected);

const TEN_THOUSAND_FIELDS = Object.fromEntries(
  Array.from({ length: 10_000 }, (_, index) => [`field${index}`, "x"]),
);

const EVERYONE = { id: "s", name: "default" };
const STAFF = {
  id: "s",
  name: "userWithId",
  title: "Staff",
  parameters: { userIds: "7" },
  constraints: [BELGIAN, { contextName: "age", operator: "NUM_GT", value: "17" }],
  segments: [1],
  variants: [BLUE],
};

scenarios("POST /api/admin/playground", [
  { name: "a viewer", as: personal(3), ...asking() },
  { name: "a service token", as: SERVICE, ...asking() },
  { name: "no body", expect: [415, "ContentTypeError"] },
  { name: "no environment", body: { context: { appName: "x" } }, expect: [400, "ValidationError"] },
  { name: "an environment that is a list", ...asking({}, { environment: [] }), expect: 400 },
  { name: "no context", body: { environment: "development" }, expect: [400, "ValidationError"] },
  { name: "a context that is text", ...asking({}, { context: "x" }), expect: [400, "ValidationError"] },
  {
    name: "ten thousand fields",
    ...asking(TEN_THOUSAND_FIELDS),
  },
  {
    name: "no appName",
    ...asking({ appName: undefined }),
    expect: [400, "ValidationError"],
    see: ({ details }) => assert.equal(details[0].path, "body.context.appName"),
  },
  { name: "an empty appName", ...asking({ appName: "" }), expect: [400, "ValidationError"] },
  { name: "a user that is an object", ...asking({ userId: {} }), expect: [400, "ValidationError"] },
  { name: "an invalid time", ...asking({ currentTime: "soon" }), expect: [400, "ValidationError"] },
  { name: "properties that are a list", ...asking({ properties: [] }), expect: [400, "ValidationError"] },
  {
    name: "a property that is a list",
    ...asking({ properties: { age: [7] } }),
    expect: [400, "ValidationError"],
    see: ({ details }) => assert.equal(details[0].path, "body.context.properties.age"),
  },
  { name: "projects that are text", ...asking({}, { projects: "a" }), expect: [400, "ValidationError"] },
  {
    name: "the request is echoed",
    ...asking({ userId: "7", plan: "free" }, { projects: "*" }),
    see: ({ input }) =>
      assert.deepEqual(input, {
        environment: "development",
        projects: "*",
        context: { appName: "x", userId: "7", plan: "free" },
      }),
  },
  {
    name: "an unknown project",
    given: withFlag(flag("cart", [EVERYONE])),
    ...asking({}, { projects: ["nope"] }),
    see: ({ features }) => assert.deepEqual(features, []),
  },
  {
    name: "an unknown environment",
    given: withFlag(flag("cart", [EVERYONE])),
    ...asking({}, { environment: "nope" }),
    see: sees("cart", { isEnabled: false, isEnabledInCurrentEnvironment: false }),
  },
  {
    name: "a repeated project",
    given: withFlag(flag("cart", [EVERYONE])),
    ...asking({}, { projects: ["a", "a"] }),
    see: (body) => assert.equal(named(body, "cart").strategies.data.length, 1),
  },
  {
    name: "a private project is invisible to others",
    as: personal(3),
    given: (w) => withFlag(flag("cart", []))(w).project("secret", { mode: "private" }).feature("x", "secret"),
    ...asking({}, { projects: ["a", "secret"] }),
    see: ({ features }: Body) =>
      assert.deepEqual(
        features.map((one: Body) => one.name),
        ["cart"],
      ),
  },
  {
    name: "all parts of a strategy, with their results",
    given: withFlag(flag("cart", [STAFF])),
    ...asking({ userId: "7", country: "be", properties: { age: "18" } }),
    see: sees("cart", {
      isEnabled: true,
      hasUnsatisfiedDependency: false,
      variant: { name: "blue", enabled: true, feature_enabled: true },
      variants: [BLUE],
      projectId: "a",
      strategies: {
        result: true,
        data: [
          {
            id: "s",
            title: "Staff",
            disabled: false,
            parameters: { userIds: "7" },
            result: { enabled: true, evaluationStatus: "complete", variant: { name: "blue", enabled: true } },
            constraints: [
              { contextName: "country", result: true },
              { contextName: "age", value: "17", result: true },
            ],
            segments: [{ id: 1, name: "belgians", result: true, constraints: [{ result: true }] }],
            links: {
              edit: "/projects/a/features/cart/strategies/edit?environmentId=development&strategyId=s",
            },
          },
        ],
      },
    }),
  },
  {
    name: "one constraint is not met",
    given: withFlag(flag("cart", [STAFF])),
    ...asking({ userId: "7", country: "be", age: "17" }),
    see: sees("cart", {
      isEnabled: false,
      variant: { name: "disabled", enabled: false },
      strategies: {
        result: false,
        data: [{ result: { enabled: false }, constraints: [{ result: true }, { result: false }] }],
      },
    }),
  },
  {
    name: "all constraints are met, but not the strategy's own condition",
    given: withFlag(flag("cart", [STAFF])),
    ...asking({ userId: "8", country: "be", age: "18" }),
    see: sees("cart", {
      strategies: {
        data: [{ result: { enabled: false }, constraints: [{ result: true }, { result: true }] }],
      },
    }),
  },
  {
    name: "a strategy known only to applications",
    given: (w) =>
      withFlag(flag("cart", [{ id: "s", name: "applicationHostname", parameters: { hostNames: "x" } }]))(w),
    ...asking(),
    see: sees("cart", {
      isEnabled: false,
      strategies: {
        result: "unknown",
        data: [{ result: { enabled: "unknown", evaluationStatus: "incomplete" } }],
      },
    }),
  },
  {
    name: "a disabled strategy, which applications do not get",
    given: withFlag(flag("cart", [{ ...STAFF, disabled: true }])),
    ...asking(),
    see: sees("cart", {
      isEnabled: true,
      strategies: { result: true, data: [{ disabled: true, result: { evaluationStatus: "unevaluated" } }] },
    }),
  },
  {
    name: "enabled without a strategy",
    given: withFlag(flag("cart", [])),
    ...asking(),
    see: sees("cart", { isEnabled: true, strategies: { result: true, data: [] } }),
  },
  {
    name: "a variant of the flag",
    given: withFlag(flag("cart", [EVERYONE], {}, { variants: [BLUE] })),
    ...asking({ userId: "7" }),
    see: sees("cart", { variant: { name: "blue", enabled: true }, variants: [BLUE] }),
  },
  {
    name: "a flag that depends on another, which is off",
    given: withFlag(
      flag("parent", [], { environments: [] }),
      flag("child", [EVERYONE], { dependencies: [{ feature: "parent" }] }),
    ),
    ...asking(),
    see: sees("child", {
      isEnabled: false,
      isEnabledInCurrentEnvironment: true,
      hasUnsatisfiedDependency: true,
      strategies: { result: true },
    }),
  },
  {
    name: "values that are not text are ignored, with a warning",
    given: withFlag(flag("cart", [STAFF])),
    ...asking({ userId: "7", country: ["be"], age: 18, __proto__: null }),
    see: (body) => {
      assert.deepEqual(body.warnings, { invalidContextProperties: ["country", "age"] });
      assert.equal(named(body, "cart").isEnabled, false);
    },
  },
  {
    name: "another current time",
    given: withFlag(
      flag("cart", [
        {
          ...EVERYONE,
          constraints: [
            { contextName: "currentTime", operator: "DATE_AFTER", value: "2030-01-01T00:00:00Z" },
          ],
        },
      ]),
    ),
    ...asking({ currentTime: "2031-01-01T00:00:00Z" }),
    see: sees("cart", { isEnabled: true }),
  },
]);

const trying = (context: object, environments = ["development", "production"]) => ({
  body: { environments, context: { appName: "x", ...context } },
});

scenarios("POST /api/admin/playground/advanced", [
  { name: "no environments", body: { context: { appName: "x" } }, expect: [400, "ValidationError"] },
  { name: "no context", body: { environments: [] }, expect: [400, "ValidationError"] },
  {
    name: "an empty list of environments",
    given: withFlag(flag("cart", [])),
    ...trying({}, []),
    expect: [400, "ValidationError"],
    see: ({ message }) => assert.match(message, /^body\.environments: /),
  },
  {
    name: "every environment, and all combinations of values",
    given: withFlag(flag("cart", [STAFF])),
    ...trying({ userId: "7, 8", country: "be,nl", properties: { age: "18" } }),
    see: (body: Body) => {
      const { environments, projectId } = named(body, "cart");
      assert.equal(projectId, "a");
      assert.deepEqual(Object.keys(environments), ["development", "production"]);
      assert.deepEqual(
        environments.development.map(({ context, isEnabled }: Body) => [
          context.userId,
          context.country,
          context.age,
          isEnabled,
        ]),
        [
          ["7", "be", "18", true],
          ["8", "be", "18", false],
          ["7", "nl", "18", false],
          ["8", "nl", "18", false],
        ],
      );
      assert.deepEqual(
        environments.production.map(({ isEnabled, environment }: Body) => [isEnabled, environment]),
        Array(4).fill([false, "production"]),
      );
      assert.equal(body.warnings, undefined);
    },
  },
  {
    name: "values that are not text are ignored, with a warning",
    given: withFlag(flag("cart", [])),
    ...trying({ one: {}, two: true }),
    see: ({ warnings }) => assert.deepEqual(warnings, { invalidContextProperties: ["one", "two"] }),
  },
  {
    name: "ten thousand combinations of long values",
    ...trying({ a: "1,".repeat(10_000), b: "x".repeat(2000) }, ["development"]),
    expect: [400, "ValidationError"],
    see: ({ message }) =>
      assert.match(message, /^body\.context: 10001 contexts.* more than an answer with long/),
  },
  {
    name: "ten thousand fields, some with two values",
    ...trying({ ...TEN_THOUSAND_FIELDS, a: "1,2", b: "1,2" }, ["development"]),
    given: withFlag(flag("cart", [EVERYONE])),
    see: (body: Body) => assert.equal(named(body, "cart").environments.development.length, 4),
  },
  {
    name: "too many combinations",
    ...trying({ a: "1,".repeat(1000), b: "1,".repeat(1000), c: "1,".repeat(1000) }),
    expect: [400, "ValidationError"],
    see: ({ details }) => assert.equal(details[0].path, "body.context"),
  },
  {
    name: "the maximum number",
    given: withFlag(flag("cart", [EVERYONE])),
    ...trying({ userId: Array(7500).fill("7").join() }),
    see: (body: Body) => assert.equal(named(body, "cart").environments.production.length, 7500),
  },
]);
