import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, personal, SERVICE, type World } from "../support/world.ts";

const SEGMENTS = "/api/admin/segments";
const CREATED = "2026-01-01T00:00:00.000Z";
const invalid = [400, "ValidationError"] as [number, string];
const noAccess = [403, "NoAccessError"] as [number, string];

const GIVEN = [{ contextName: "userId", operator: "IN", values: ["1", "2"] }];
const CONSTRAINTS = [
  { contextName: "userId", operator: "IN", caseInsensitive: false, inverted: false, values: ["1", "2"] },
];
const BETA = {
  id: 1,
  name: "beta",
  description: "Beta users",
  constraints: CONSTRAINTS,
  createdBy: "ada",
  createdAt: CREATED,
};
const OF_HIDDEN = { id: 2, name: "Alpha", description: null, project: "hidden", constraints: [] };

const using = (id: string, ...segments: number[]) => ({
  environments: [{ name: "development", strategies: [{ id, name: "default", segments }] }],
});

/** 1 is used in `a`, in `hidden` and by an archived flag, 2 belongs to `hidden`, 3 to `a`, and 4 is unused. User 4 owns `a`. */
const withSegments = (w: World) =>
  w
    .project("a")
    .project("b")
    .project("hidden", { mode: "private" })
    .member("a", 4, 4)
    .add("segment", BETA)
    .add("segment", { ...OF_HIDDEN, createdAt: CREATED })
    .add("segment", { id: 3, name: "of a", project: "a", createdAt: CREATED })
    .add("segment", { id: 4, name: "free", createdAt: CREATED })
    .feature("f", "a", using("s1", 1))
    .feature("g", "a", using("s2", 1))
    .feature("i", "hidden", using("s3", 1, 2))
    .feature("gone", "b", { ...using("s4", 1), archivedAt: "2026-01-02T00:00:00Z" });

scenarios(`GET ${SEGMENTS}`, [
  { name: "a client token", as: CLIENT, expect: noAccess },
  { name: "none", see: (body) => assert.deepEqual(body, { segments: [] }) },
  {
    name: "by name, without what is hidden",
    as: personal(3),
    given: withSegments,
    see: ({ segments }) => {
      assert.deepEqual(
        segments.map(({ name }: { name: string }) => name),
        ["beta", "free", "of a"],
      );
      assert.deepEqual(segments[0], { ...BETA, usedInProjects: 1, usedInFeatures: 2 });
      assert.equal(segments[2].project, "a");
    },
  },
  {
    name: "all of them for a service",
    as: SERVICE,
    given: withSegments,
    see: ({ segments: [alpha, beta] }) =>
      assert.deepEqual([alpha.project, alpha.usedInFeatures, beta.usedInProjects], ["hidden", 1, 2]),
  },
]);

scenarios(`GET ${SEGMENTS}/`, [
  {
    name: "one",
    url: "1",
    as: personal(3),
    given: withSegments,
    see: (body) => assert.deepEqual(body, BETA),
  },
  {
    name: "one of a hidden project",
    url: "2",
    as: personal(3),
    given: withSegments,
    expect: [404, "NotFoundError"],
  },
  { name: "an unknown one", url: "9", expect: [404, "NotFoundError"] },
  { name: "a negative one", url: "-1", expect: [404, "NotFoundError"] },
  { name: "one beyond the range of numbers", url: "99999999999999999999999", expect: [404, "NotFoundError"] },
  { name: "not a number", url: "one", expect: invalid },
  {
    name: "the strategies that use it, of visible projects",
    url: "1/strategies",
    as: personal(3),
    given: withSegments,
    see: ({ strategies: [first, ...others], changeRequestStrategies }) => {
      assert.deepEqual(first, {
        id: "s1",
        projectId: "a",
        featureName: "f",
        strategyName: "default",
        environment: "development",
      });
      assert.deepEqual(
        others.map(({ id }: { id: string }) => id),
        ["s2", "s4"],
      );
      assert.deepEqual(changeRequestStrategies, []);
    },
  },
  {
    name: "the strategies that use an unknown one",
    url: "9/strategies",
    see: (body) => assert.deepEqual(body, { strategies: [], changeRequestStrategies: [] }),
  },
  {
    name: "those of a strategy",
    url: "strategies/s3",
    given: withSegments,
    see: ({ segments }) =>
      assert.deepEqual(segments, [BETA, { ...OF_HIDDEN, createdBy: null, createdAt: CREATED }]),
  },
  ...["strategies/s3", "strategies/nope"].map((url) => ({
    name: `those of a strategy that the caller can't see: ${url}`,
    url,
    as: personal(3),
    given: withSegments,
    see: (body: object) => assert.deepEqual(body, { segments: [] }),
  })),
]);

const INVALID: Array<[body: object, what: RegExp]> = [
  [{}, /^body\.name: is missing/],
  [{ name: "x" }, /^body\.constraints: is missing/],
  [{ name: "", constraints: [] }, /^body\.name: must not be empty/],
  [{ name: {}, constraints: [] }, /^body\.name: must be text/],
  [{ name: "x", constraints: {} }, /^body\.constraints: must be a list/],
  [{ name: "x", constraints: [{}] }, /^body\.constraints\.0\.contextName: is missing/],
  [{ name: "x", constraints: [{ ...GIVEN[0], operator: "LIKE" }] }, /^body\.constraints\.0\.operator/],
  [
    { name: "x", constraints: [...GIVEN, { ...GIVEN[0], operator: "NUM_GT" }] },
    /^body\.constraints\.1\.value/,
  ],
  [{ name: "x", description: [], constraints: [] }, /^body\.description: must be text/],
  [{ name: "x", project: "nope", constraints: [] }, /^body\.project: there is no project/],
  [
    { name: "x", constraints: [{ ...GIVEN[0], values: Array(1001).fill("1") }] },
    /^body\.constraints: must have 1000 values or fewer/,
  ],
];
const refused = INVALID.map(([body, what]) => ({
  name: `refused: ${JSON.stringify(body).slice(0, 80)}`,
  given: withSegments,
  body,
  expect: invalid,
  see: ({ message }: { message: string }) => assert.match(message, what),
}));
const NEW = { name: "new", constraints: GIVEN };

scenarios(`POST ${SEGMENTS}`, [
  { name: "a viewer", as: personal(3), body: NEW, expect: noAccess },
  ...refused,
  {
    name: "a name that is taken",
    given: withSegments,
    body: { ...NEW, name: "beta" },
    expect: [409, "NameExistsError"],
  },
  {
    name: "as an Editor, for all projects",
    as: personal(2),
    body: NEW,
    expect: 201,
    records: [
      {
        type: "segment-created",
        project: null,
        data: {
          id: 1,
          name: "new",
          description: null,
          constraints: CONSTRAINTS,
          createdBy: "edith@example.com",
        },
        preData: null,
      },
    ],
    see: ({ createdAt, ...body }, { headers }) => {
      assert.deepEqual(body, {
        id: 1,
        name: "new",
        description: null,
        constraints: CONSTRAINTS,
        createdBy: "edith@example.com",
      });
      assert.ok(createdAt > CREATED);
      assert.equal(headers.get("location"), "segments/1");
    },
  },
  {
    name: "as an owner, for the project",
    as: personal(4),
    given: withSegments,
    body: { ...NEW, project: "a", description: "" },
    expect: 201,
    records: [{ type: "segment-created", project: "a" }],
    see: ({ project, description }) => assert.deepEqual([project, description], ["a", ""]),
  },
  ...[null, "b", "hidden"].map((project) => ({
    name: `as the owner of another project, for ${project}`,
    as: personal(4),
    given: withSegments,
    body: { ...NEW, project },
    expect: noAccess,
  })),
  {
    name: "more than the limit",
    given: (w) =>
      Array.from({ length: 300 }, (_, i) => i + 1).reduce(
        (world, id) => world.add("segment", { id, name: `s${id}` }),
        w,
      ),
    body: NEW,
    expect: [400, "ExceedsLimitError"],
  },
  {
    name: "too large for an event",
    body: {
      name: "new",
      constraints: Array(15_000).fill({ contextName: "x", operator: "NUM_GT", value: "1" }),
    },
    expect: [413, "PayloadTooLargeError"],
    see: ({ message }) => assert.match(message, /^The change is too large/),
  },
]);

scenarios(`PUT ${SEGMENTS}/`, [
  { name: "a viewer", url: "1", as: personal(3), given: withSegments, body: NEW, expect: noAccess },
  { name: "an unknown one", url: "9", body: NEW, expect: [404, "NotFoundError"] },
  { name: "not a number", url: "one", body: NEW, expect: invalid },
  ...refused.map((scenario) => ({ ...scenario, url: "1" })),
  {
    name: "a name that is taken",
    url: "1",
    given: withSegments,
    body: { ...NEW, name: "free" },
    expect: [409, "NameExistsError"],
  },
  {
    name: "the description is kept if omitted",
    url: "1",
    as: personal(2),
    given: withSegments,
    body: { name: "beta", constraints: [] },
    expect: 204,
    records: [{ type: "segment-updated", project: null, data: { ...BETA, constraints: [] }, preData: BETA }],
    see: (_, { text }) => assert.equal(text, ""),
  },
  {
    name: "restricting it to a project while other projects use it",
    url: "1",
    given: withSegments,
    body: { ...NEW, project: "a" },
    expect: invalid,
    see: ({ message }) => assert.match(message, /^body\.project: /),
  },
  {
    name: "as the owner of its project",
    url: "3",
    as: personal(4),
    given: withSegments,
    body: { ...NEW, project: "a" },
    expect: 204,
    records: [{ type: "segment-updated", project: "a" }],
  },
  ...["1", "3"].map((url) => ({
    name: `as the owner of a project, for a global one: ${url}`,
    url,
    as: personal(4),
    given: withSegments,
    body: NEW,
    expect: noAccess,
  })),
]);

scenarios(`DELETE ${SEGMENTS}/`, [
  { name: "a viewer", url: "4", as: personal(3), given: withSegments, expect: noAccess },
  {
    name: "the owner of a project, for a global one",
    url: "4",
    as: personal(4),
    given: withSegments,
    expect: noAccess,
  },
  { name: "an unknown one", url: "9", expect: [404, "NotFoundError"] },
  { name: "not a number", url: "one", expect: invalid },
  {
    name: "one in use, naming the flags that the caller can see",
    url: "1",
    as: personal(2),
    given: withSegments,
    expect: [409, "ConflictError"],
    see: ({ message }) => assert.match(message, /strategies of f, g, gone use it/),
  },
  {
    name: "one that is not in use",
    url: "4",
    as: personal(2),
    given: withSegments,
    expect: 204,
    records: [{ type: "segment-deleted", project: null, data: null, preData: { id: 4, name: "free" } }],
  },
  {
    name: "as the owner of its project",
    url: "3",
    as: personal(4),
    given: withSegments,
    expect: 204,
    records: [{ type: "segment-deleted", project: "a" }],
  },
]);

scenarios(`POST ${SEGMENTS}/validate`, [
  ...[{}, { name: "" }, { name: [] }].map((body) => ({
    name: `refused: ${JSON.stringify(body)}`,
    body,
    expect: invalid,
  })),
  { name: "taken", given: withSegments, body: { name: "beta" }, expect: [409, "NameExistsError"] },
  { name: "free", as: personal(3), given: withSegments, body: { name: "Beta" }, expect: 204 },
]);

const SETTING = { projectId: "a", strategyId: "s1", environmentId: "development", segmentIds: [4, 3, 4] };

scenarios(`POST ${SEGMENTS}/strategies`, [
  { name: "a viewer", as: personal(3), given: withSegments, body: SETTING, expect: noAccess },
  ...[
    {},
    { ...SETTING, segmentIds: "1" },
    { ...SETTING, segmentIds: ["x"] },
    { ...SETTING, segmentIds: [99] },
    { ...SETTING, segmentIds: [2] },
    { ...SETTING, segmentIds: [4, 4, 4, 4, 4, 4] },
  ].map((body) => ({
    name: `refused: ${JSON.stringify(body)}`,
    given: withSegments,
    body,
    expect: invalid,
  })),
  ...[{ strategyId: "nope" }, { strategyId: "s3" }, { environmentId: "production" }].map((keys) => ({
    name: `no strategy: ${JSON.stringify(keys)}`,
    given: withSegments,
    body: { ...SETTING, ...keys },
    expect: [404, "NotFoundError"] as [number, string],
  })),
  {
    name: "as an owner; nothing is recorded, as in the original",
    as: personal(4),
    given: withSegments,
    body: SETTING,
    expect: 201,
    see: (body, { headers }) => {
      assert.deepEqual(body, SETTING);
      assert.equal(headers.get("location"), "strategies/s1");
    },
  },
]);

test("a strategy gets exactly the given segments", async (t) => {
  const { request } = await openServer(t, withSegments(createWorld()));
  await request(`${SEGMENTS}/strategies`, { method: "POST", body: SETTING });
  const { body } = await request(`${SEGMENTS}/strategies/s1`);
  assert.deepEqual(
    body.segments.map(({ id }: { id: number }) => id),
    [3, 4],
  );
});

test("the id of a deleted segment is not reused", async (t) => {
  const { request } = await openServer(t, withSegments(createWorld()));
  await request(`${SEGMENTS}/4`, { method: "DELETE" });
  const { body } = await request(SEGMENTS, { method: "POST", body: NEW });
  assert.equal(body.id, 5);
});
