import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { stateOf } from "../../src/applications/client-state.ts";
import { flags, segmentsInUse } from "../../src/applications/client-store.ts";
import { type Call, openServer, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND, SERVICE, type World } from "../support/world.ts";

const DELTA = "/api/client/delta";
const OF_A = `a:development.${"a".repeat(56)}`;

const ON = (strategies: object[] = [{ name: "default" }]) => [
  { name: "development", enabled: true, strategies },
];

/** Two projects with a flag each, one with a segment; another segment is not used. */
const withFlags = (w: World) =>
  w
    .project("a")
    .project("b")
    .add("segment", { id: 1, name: "belgians", constraints: [] })
    .add("segment", { id: 2, name: "dutch", constraints: [] })
    .feature("cart", "a", { environments: ON([{ id: "s1", name: "default", segments: [1] }]) })
    .feature("menu", "b", { environments: ON() })
    .add("token", {
      type: "client",
      name: "of a",
      hash: hashSecret(OF_A),
      projects: ["a"],
      environment: "development",
    });

scenarios(`GET ${DELTA}`, [
  { name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
  { name: "a frontend token", as: FRONTEND, expect: [403, "NoAccessError"] },
  { name: "an empty prefix", as: CLIENT, url: "?namePrefix=", expect: [400, "ValidationError"] },
  {
    name: "a client without a revision gets everything",
    as: CLIENT,
    given: withFlags,
    see: ({ events }, { headers }) => {
      assert.deepEqual(
        events.map(({ type }: { type: string }) => type),
        ["hydration"],
      );
      assert.deepEqual(namesIn(events[0]), ["cart", "menu"]);
      assert.deepEqual(events[0].segments, [{ id: 1, name: "belgians", constraints: [] }]);
      assert.equal(headers.get("etag"), `"${events[0].eventId}"`);
    },
  },
  {
    name: "a token for some projects gets theirs",
    as: OF_A,
    url: "?project=b",
    given: withFlags,
    see: ({ events: [hydration] }) => assert.deepEqual(namesIn(hydration), ["cart"]),
  },
  {
    name: "all projects",
    as: CLIENT,
    url: "?project=*",
    given: withFlags,
    see: ({ events: [hydration] }) => assert.deepEqual(namesIn(hydration), ["cart", "menu"]),
  },
  {
    name: "by name prefix",
    as: SERVICE,
    url: "?namePrefix=me&environment=development",
    given: withFlags,
    see: ({ events: [hydration] }) => assert.deepEqual(namesIn(hydration), ["menu"]),
  },
  {
    name: "nothing new",
    as: CLIENT,
    given: withFlags,
    headers: { "if-none-match": 'W/"0"' },
    expect: 304,
  },
  {
    name: "a revision that is no longer remembered",
    as: CLIENT,
    given: withFlags,
    headers: { "if-none-match": '"12"' },
    see: ({ events: [{ type }] }) => assert.equal(type, "hydration"),
  },
]);

const namesIn = ({ features }: { features: Array<{ name: string }> }) => features.map(({ name }) => name);

/** Requests with each token what is new since its last request. */
async function open(t: TestContext) {
  const { request, db } = await openServer(t, withFlags(createWorld()));
  const known = new Map<string, string>();
  const poll = async (as: string) => {
    const headers = { "if-none-match": known.get(as) ?? "" };
    const { status, body, headers: answered } = await request(DELTA, { as, headers });
    known.set(as, answered.get("etag")!);
    return status === 304 ? [] : body.events;
  };
  await Promise.all([poll(CLIENT), poll(OF_A)]);
  const change = async (method: string, path: string, body?: unknown) => {
    const call: Call = { method, ...(body !== undefined && { body }) };
    const { status, text } = await request(`/api/admin/${path}`, call);
    assert.ok(status < 300, `${method} ${path}: ${text}`);
  };
  return { request, db, poll, change };
}

// biome-ignore lint/suspicious/noExplicitAny: events of every type
const toWords = (events: any[]) =>
  events.map(({ type, feature, featureName, project, segment, segmentId }) =>
    [type, feature?.name ?? featureName ?? segment?.name ?? segmentId, feature?.project ?? project]
      .filter((part) => part !== undefined)
      .join(" "),
  );

const CART = "projects/a/features/cart";

/** A change, and the delta for a token of all projects and for one of the project `a`. */
const CHANGES: Array<[what: string, change: [string, string, unknown?], all: string[], ofA: string[]]> = [
  [
    "a flag is created",
    ["POST", "projects/a/features", { name: "new" }],
    ["feature-updated new a"],
    ["feature-updated new a"],
  ],
  ["elsewhere", ["POST", "projects/b/features", { name: "new" }], ["feature-updated new b"], []],
  ["a tag changes nothing", ["POST", "features/cart/tags", { type: "simple", value: "red" }], [], []],
  ["in another environment", ["POST", `${CART}/environments/production/on`], [], []],
  [
    "switched off",
    ["POST", `${CART}/environments/development/off`],
    ["feature-updated cart a"],
    ["feature-updated cart a"],
  ],
  ["archived", ["DELETE", CART], ["feature-removed cart a"], ["feature-removed cart a"]],
  [
    "moved",
    ["POST", `${CART}/changeProject`, { newProjectId: "b" }],
    ["feature-updated cart b"],
    ["feature-removed cart a"],
  ],
  [
    "a strategy's segments, which have no event",
    [
      "POST",
      "segments/strategies",
      { projectId: "a", strategyId: "s1", environmentId: "development", segmentIds: [2] },
    ],
    ["segment-removed 1", "segment-updated dutch", "feature-updated cart a"],
    ["segment-removed 1", "segment-updated dutch", "feature-updated cart a"],
  ],
  [
    "a segment is renamed",
    ["PUT", "segments/1", { name: "walloons", constraints: [] }],
    ["segment-updated walloons"],
    ["segment-updated walloons"],
  ],
  [
    "an environment is removed from a project",
    ["DELETE", "projects/b/environments/development"],
    ["feature-updated menu b"],
    [],
  ],
];

for (const [what, [method, path, body], all, ofA] of CHANGES) {
  test(`only what has changed is sent: ${what}`, async (t) => {
    const { poll, change, db } = await open(t);
    await change(method, path, body);
    assert.deepEqual(toWords(await poll(CLIENT)), all);
    assert.deepEqual(toWords(await poll(OF_A)), ofA);
    assert.deepEqual(await poll(CLIENT), []);
    assert.deepEqual([...stateOf(db, "development").flags.values()], flags(db, "development"));
    assert.deepEqual(stateOf(db, "development").segments, segmentsInUse(db, "development"));
  });
}

test("several changes are combined, with each flag in its current state", async (t) => {
  const { poll, change } = await open(t);
  for (const state of ["off", "on", "off"]) await change("POST", `${CART}/environments/development/${state}`);
  await change("POST", "projects/a/features", { name: "gone" });
  await change("DELETE", "projects/a/features/gone");
  const events = await poll(CLIENT);
  assert.deepEqual(toWords(events), ["feature-updated cart a"]);
  assert.equal(events[0].feature.enabled, false);
});

test("a client that has not polled for very long gets everything", async (t) => {
  const { poll, change, db } = await open(t);
  const state = stateOf(db, "development");
  await change("POST", `${CART}/environments/development/off`);
  stateOf(db, "development");
  for (let n = 0; n < 10_000; n++) state.changes.unshift({ ...state.changes[0]!, revision: 1 });
  await change("POST", `${CART}/environments/development/on`);
  assert.deepEqual(toWords(await poll(CLIENT)), ["hydration"]);
  assert.ok(state.changes.length <= 10_000);
});
