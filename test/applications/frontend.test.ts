import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND, personal, SERVICE, type World } from "../support/world.ts";

const FLAGS = "/ofrep/v1/evaluate/flags";

const VARIANT = { name: "blue", weight: 1000, weightType: "variable", stickiness: "default" };

/** `everyone` is on for all, `staff` for user 7 with a variant, `off` for nobody. */
const withFlags = (w: World) => {
  const on = (name: string, strategy: object, variants: object[] = []) =>
    w.feature(name, "a", {
      environments: [
        { name: "development", enabled: true, variants, strategies: [{ id: `s-${name}`, ...strategy }] },
      ],
    });
  w.project("a");
  on("everyone", { name: "default" });
  on("staff", { name: "userWithId", parameters: { userIds: "7, 8" } }, [
    { ...VARIANT, payload: { type: "number", value: "12" } },
  ]);
  return w.feature("off", "a");
};

type Toggles = { toggles: Array<{ name: string; variant: object }> };
const names =
  (...expected: string[]) =>
  ({ toggles }: Toggles) =>
    assert.deepEqual(
      toggles.map(({ name }) => name),
      expected,
    );

scenarios("GET /api/frontend", [
  { name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
  { name: "a personal token", as: personal(1), expect: [403, "NoAccessError"] },
  { name: "a client token", as: CLIENT, expect: [403, "NoAccessError"] },
  { name: "an empty context", as: FRONTEND, given: withFlags, see: names("everyone") },
  { name: "a user", as: FRONTEND, given: withFlags, url: "?userId=7", see: names("everyone", "staff") },
  { name: "a service token has no environment", as: SERVICE, given: withFlags, see: names() },
  {
    name: "a variant",
    as: FRONTEND,
    given: withFlags,
    url: "?userId=7&properties%5Bcountry%5D=be",
    see: ({ toggles }: Toggles) =>
      assert.deepEqual(toggles[1]!.variant, {
        name: "blue",
        payload: { type: "number", value: "12" },
        enabled: true,
        feature_enabled: true,
        featureEnabled: true,
      }),
  },
]);

scenarios("POST /api/frontend", [
  {
    name: "a context in the body",
    as: FRONTEND,
    given: withFlags,
    body: { context: { userId: "8" } },
    see: names("everyone", "staff"),
  },
  {
    name: "a number as the user",
    as: FRONTEND,
    given: withFlags,
    body: { context: { userId: 8 } },
    see: names("everyone", "staff"),
  },
  {
    name: "a hostile context",
    as: FRONTEND,
    given: withFlags,
    body: '{"context":{"__proto__":{"userId":"7"},"properties":{"__proto__":"x"}}}',
    headers: { "content-type": "application/json" },
    see: names("everyone"),
  },
  { name: "a list as the context", as: FRONTEND, body: { context: [] }, expect: [400, "ValidationError"] },
]);

scenarios(`POST ${FLAGS}/:key`, [
  { name: "no credential", as: null, url: `${FLAGS}/everyone`, expect: 401 },
  {
    name: "on",
    as: FRONTEND,
    given: withFlags,
    url: `${FLAGS}/everyone`,
    body: {},
    see: ({ key, value }) => assert.deepEqual([key, value], ["everyone", true]),
  },
  {
    name: "a variant's payload is the value",
    as: CLIENT,
    given: withFlags,
    url: `${FLAGS}/staff`,
    body: { context: { targetingKey: "7" } },
    see: ({ value, variant }) => assert.deepEqual([value, variant], [12, "blue"]),
  },
  {
    name: "unknown",
    as: FRONTEND,
    given: withFlags,
    url: `${FLAGS}/nope`,
    body: {},
    expect: 404,
    see: ({ key, errorCode }) => assert.deepEqual([key, errorCode], ["nope", "FLAG_NOT_FOUND"]),
  },
  {
    name: "an invalid context",
    as: FRONTEND,
    given: withFlags,
    url: `${FLAGS}/everyone`,
    body: { context: 7 },
    expect: 400,
    see: ({ errorCode }) => assert.equal(errorCode, "INVALID_CONTEXT"),
  },
]);

scenarios(`POST ${FLAGS}`, [
  {
    name: "every flag",
    as: FRONTEND,
    given: withFlags,
    body: { context: { targetingKey: "nobody" } },
    see: ({ flags }: { flags: Array<{ key: string; value: unknown }> }) =>
      assert.deepEqual(
        flags.map(({ key, value }) => [key, value]),
        [
          ["everyone", true],
          ["off", false],
          ["staff", undefined], // the application's default counts
        ],
      ),
  },
]);

test("an answer is kept for a context, until a flag changes, and unless chance or time decide", async (t) => {
  const on = (name: string, ...strategies: object[]) => ({
    name: "development",
    enabled: true,
    strategies: strategies.map((one, index) => ({ id: `${name}-${index}`, ...one })),
  });
  const half = (stickiness: string) => ({
    name: "flexibleRollout",
    parameters: { rollout: "50", stickiness, groupId: "g" },
  });
  const open = async (strategy: object) => {
    const world = createWorld()
      .project("a")
      .feature("flag", "a", { environments: [on("flag", strategy)] });
    const { request } = await openServer(t, world);
    const ask = async (query: string) =>
      (await request(`/api/frontend?${query}`, { as: FRONTEND })).body.toggles.length as number;
    const answers = async (query: string) =>
      new Set(await Promise.all(Array.from({ length: 60 }, () => ask(query))));
    return { request, ask, answers };
  };
  const steady = await open(half("default"));
  assert.equal((await steady.answers("userId=7")).size, 1);
  assert.equal((await steady.answers("country=DE")).size, 2, "without a user, each session is another");
  const users = await Promise.all(Array.from({ length: 60 }, (_, user) => steady.ask(`userId=${user}`)));
  assert.equal(new Set(users).size, 2, "each user has an answer of their own");
  const onFor = users.indexOf(1);
  await steady.request("/api/admin/projects/a/features/flag/environments/development/off", {
    method: "POST",
  });
  assert.equal(await steady.ask(`userId=${onFor}`), 0);
  for (const stickiness of ["random", "sessionId"])
    assert.equal((await (await open(half(stickiness))).answers("userId=7")).size, 2, stickiness);
  const soon = new Date(Date.now() + 60_000).toISOString();
  const timed = await open({
    name: "default",
    constraints: [{ contextName: "currentTime", operator: "DATE_AFTER", value: soon, values: [] }],
  });
  assert.equal(await timed.ask("userId=7"), 0);
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 120_000 });
  assert.equal(await timed.ask("userId=7"), 1);
});

test("of an answer that is kept, what others change changes too: a parent, a segment", async (t) => {
  const on = (...segments: number[]) => ({
    environments: [
      { name: "development", enabled: true, strategies: [{ name: "default", parameters: {}, segments }] },
    ],
  });
  const constraint = { contextName: "userId", operator: "IN", values: ["7"] };
  const world = createWorld()
    .add("segment", { id: 1, name: "seven", constraints: [constraint] })
    .project("a")
    .feature("parent", "a", on())
    .feature("child", "a", { ...on(), dependencies: [{ feature: "parent" }] })
    .feature("alone", "a", on())
    .feature("inside", "a", on(1));
  const { request } = await openServer(t, world);
  const ask = async () => {
    const { body } = await request("/api/frontend?userId=7", { as: FRONTEND });
    return (body as Toggles).toggles.map(({ name }) => name);
  };
  assert.deepEqual(await ask(), ["alone", "child", "inside", "parent"]);
  await request("/api/admin/projects/a/features/parent/environments/development/off", { method: "POST" });
  assert.deepEqual(await ask(), ["alone", "inside"]);
  await request("/api/admin/segments/1", {
    method: "PUT",
    body: { name: "seven", constraints: [{ ...constraint, values: ["8"] }] },
  });
  assert.deepEqual(await ask(), ["alone"]);
});
