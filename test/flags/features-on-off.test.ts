import assert from "node:assert/strict";
import { test } from "node:test";
import { withCustomRole } from "../support/bad-bodies.ts";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const FLAG = "/api/admin/projects/a/features/f";
const DEVELOPMENT = `${FLAG}/environments/development`;
const PRODUCTION = `${FLAG}/environments/production`;

const inDevelopment = (state: object) => (w: World) =>
  w
    .project("a")
    .project("default")
    .project("hidden", { mode: "private" })
    .project("small", { environments: ["production"] })
    .feature("f", "a", { environments: [{ name: "development", ...state }] })
    .feature("g", "small");
const isOff = inDevelopment({ strategies: [{ id: "s", name: "default" }] });
const isOn = inDevelopment({ enabled: true, strategies: [{ id: "s", name: "default" }] });
const isEmpty = inDevelopment({});
const isAllDisabled = inDevelopment({ strategies: [{ id: "s", name: "default", disabled: true }] });

const of = (type: string, environment = "development") =>
  ({
    type,
    project: "a",
    environment,
    featureName: "f",
  }) as Record<string, unknown>;
const ENABLED = [{ ...of("feature-environment-enabled"), data: null, preData: null }] as Scenario["records"];
const DISABLED = [
  { ...of("feature-environment-disabled"), data: null, preData: null },
] as Scenario["records"];

const NO_ACCESS: [number, string] = [403, "NoAccessError"];
const NOT_FOUND: [number, string] = [404, "NotFoundError"];

for (const [word, given, records] of [
  ["on", isOff, ENABLED],
  ["off", isOn, DISABLED],
] as const) {
  const may = (name: string, rest: Partial<Scenario> = {}): Scenario => ({
    name: `${name} may`,
    given,
    records: records!,
    ...rest,
  });
  const mayNot = (name: string, rest: Partial<Scenario> = {}): Scenario => ({
    name: `${name} may not`,
    given,
    expect: NO_ACCESS,
    ...rest,
  });
  const missing = (name: string, url: string): Scenario => ({
    name,
    given,
    url: `${url}/${word}`,
    expect: NOT_FOUND,
  });

  scenarios(`POST ${DEVELOPMENT}/${word}`, [
    may("an Admin"),
    may("a service token", { as: SERVICE }),
    may("a Member", { as: personal(3), given: (w) => given(w).member("a", 3) }),
    mayNot("a Viewer", { as: personal(3) }),
    mayNot("an Editor outside the default project", { as: personal(2) }),
    may("the permission for all environments", {
      as: personal(3),
      given: withCustomRole(given, { name: "UPDATE_FEATURE_ENVIRONMENT" }),
    }),
    may("the permission for this environment", {
      as: personal(3),
      given: withCustomRole(given, { name: "UPDATE_FEATURE_ENVIRONMENT", environment: "development" }),
    }),
    mayNot("the permission for another environment", {
      as: personal(3),
      given: withCustomRole(given, { name: "UPDATE_FEATURE_ENVIRONMENT", environment: "production" }),
      see: ({ message }) =>
        assert.match(message, /UPDATE_FEATURE_ENVIRONMENT in the environment development/),
    }),
    mayNot("another permission for this environment", {
      as: personal(3),
      given: withCustomRole(given, { name: "CREATE_FEATURE_STRATEGY", environment: "development" }),
    }),
    mayNot("a user without access to a private project", {
      as: personal(2),
      url: `${DEVELOPMENT.replace("/a/", "/hidden/")}/${word}`,
    }),
    may("with an unneeded body, an Admin", { body: { anything: 1 } }),
    may("with a body that is not JSON, an Admin", {
      body: "nonsense",
      headers: { "content-type": "text/plain" },
    }),
    missing("an unknown environment", `${FLAG}/environments/nope`),
    missing("an environment in another letter case", `${FLAG}/environments/Development`),
    missing("an unknown flag", DEVELOPMENT.replace("/f/", "/nope/")),
    missing("an unknown project", DEVELOPMENT.replace("/a/", "/nope/")),
    missing("a flag of another project", DEVELOPMENT.replace("/a/", "/default/")),
    missing(
      "an environment that is not in the project",
      "/api/admin/projects/small/features/g/environments/development",
    ),
    { name: "GET", method: "GET", given, expect: [405, "MethodNotAllowedError"] },
    { name: "again", given: word === "on" ? isOn : isOff },
    {
      name: "an archived flag",
      given: (w) =>
        w.project("a").feature("f", "a", {
          archivedAt: "2026-01-02T00:00:00Z",
          environments: [
            { name: "development", enabled: word === "off", strategies: [{ id: "s", name: "default" }] },
          ],
        }),
      expect: [400, "ArchivedFeatureError"],
    },
  ]);
}

const added = (data: object, environment = "development") => ({
  ...of("feature-strategy-add", environment),
  data,
  preData: null,
});
const DEFAULT_STRATEGY = {
  name: "flexibleRollout",
  title: null,
  disabled: false,
  constraints: [],
  variants: [],
  segments: [],
  parameters: { rollout: "100", stickiness: "default", groupId: "f" },
};

const records = (...events: object[]) => ({ records: events as NonNullable<Scenario["records"]> });

const SWITCH = { name: "UPDATE_FEATURE_ENVIRONMENT" };
const mayNotAdd: Partial<Scenario> = {
  as: personal(3),
  expect: NO_ACCESS,
  see: ({ message }) => assert.match(message, /CREATE_FEATURE_STRATEGY in the environment development/),
};

scenarios(`POST ${DEVELOPMENT}/on`, [
  { name: "who may not add a strategy", given: withCustomRole(isEmpty, SWITCH), ...mayNotAdd },
  {
    name: "who may not add a strategy, beside a disabled one",
    given: withCustomRole(isAllDisabled, SWITCH),
    ...mayNotAdd,
  },
  {
    name: "who may add one",
    as: personal(3),
    given: withCustomRole(isEmpty, SWITCH, { name: "CREATE_FEATURE_STRATEGY" }),
    ...records(added({ ...DEFAULT_STRATEGY, sortOrder: 0 }), ...ENABLED!),
  },
  {
    name: "several, by someone who may not add a strategy",
    url: "/api/admin/projects/a/bulk_features/environments/development/on",
    body: { features: ["f"] },
    given: withCustomRole(isEmpty, SWITCH),
    ...mayNotAdd,
  },
  {
    name: "without strategies it gets one for everyone",
    given: isEmpty,
    ...records(added({ ...DEFAULT_STRATEGY, sortOrder: 0 }), ...ENABLED!),
  },
  {
    name: "the same in an environment without stored state",
    given: isEmpty,
    url: `${PRODUCTION}/on`,
    ...records(
      added({ ...DEFAULT_STRATEGY, sortOrder: 0 }, "production"),
      of("feature-environment-enabled", "production"),
    ),
  },
  {
    name: "with only disabled strategies it gets an enabled one after them",
    given: isAllDisabled,
    ...records(added({ ...DEFAULT_STRATEGY, sortOrder: 1 }), ...ENABLED!),
  },
  {
    name: "or they are enabled, if requested",
    given: isAllDisabled,
    url: "?shouldActivateDisabledStrategies=true",
    ...records(
      {
        ...of("feature-strategy-update"),
        data: { id: "s", disabled: false },
        preData: { id: "s", disabled: true },
      },
      ...ENABLED!,
    ),
  },
  {
    name: "with that request, a flag without strategies gets one too",
    given: isEmpty,
    url: "?shouldActivateDisabledStrategies=true",
    ...records(added(DEFAULT_STRATEGY), ...ENABLED!),
  },
  {
    name: "the request must be true or false",
    given: isOff,
    url: "?shouldActivateDisabledStrategies=yes",
    expect: [400, "ValidationError"],
    see: ({ message }) => assert.match(message, /^query\.shouldActivateDisabledStrategies: /),
  },
  {
    name: "the project's stickiness is used",
    given: (w) => w.project("a", { defaultStickiness: "userId" }).feature("f", "a"),
    ...records(added({ parameters: { rollout: "100", stickiness: "userId", groupId: "f" } }), ...ENABLED!),
  },
]);

test("of many concurrent requests, one enables it and adds one strategy", async (t) => {
  const { request, db } = await openServer(t, isEmpty(createWorld()));
  const recorded = watchLog(db);
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => request(`${DEVELOPMENT}/on`, { method: "POST" })),
  );
  assert.ok(replies.every(({ status }) => status === 200));
  assertRecorded(recorded(), records(added(DEFAULT_STRATEGY), ...ENABLED!).records);
  const { body } = await request(DEVELOPMENT);
  assert.equal(body.enabled, true);
  assert.equal(body.strategies.length, 1);
});

test("other environments are not affected", async (t) => {
  const { request } = await openServer(t, isEmpty(createWorld()));
  await request(`${PRODUCTION}/on`, { method: "POST" });
  const { environments } = (await request("/api/admin/projects/a/features")).body.features[0];
  assert.deepEqual(
    environments.map((one: { name: string; enabled: boolean }) => [one.name, one.enabled]),
    [
      ["development", false],
      ["production", true],
    ],
  );
});
