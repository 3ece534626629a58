import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const CONTEXT = "/api/admin/context";
const CREATED = "2026-01-01T00:00:00.000Z";
const invalid = [400, "ValidationError"] as [number, string];

const REGION = {
  name: "region",
  description: "Where",
  stickiness: true,
  sortOrder: 3,
  legalValues: [{ value: "eu" }, { value: "us", description: "America" }],
  createdAt: CREATED,
};
const withRegion = (w: World) => w.add("contextField", REGION);

const constrained = (id: string, ...contextNames: string[]) => ({
  environments: [
    {
      name: "development",
      strategies: [
        {
          id,
          name: "default",
          constraints: contextNames.map((contextName) => ({ contextName, operator: "IN", values: ["eu"] })),
        },
      ],
    },
  ],
});

/** Flags of two visible projects and a hidden one, and an archived flag, whose strategies refer to the region. */
const withUses = (w: World) =>
  withRegion(w)
    .project("a")
    .project("b")
    .project("hidden", { mode: "private" })
    .feature("f", "a", constrained("s1", "region", "userId", "region"))
    .feature("g", "a", constrained("s2", "region"))
    .feature("h", "b", constrained("s3", "region"))
    .feature("i", "hidden", constrained("s4", "region"))
    .feature("gone", "b", { ...constrained("s5", "region"), archivedAt: "2026-01-02T00:00:00Z" });

const counted = (name: string, usedInProjects: number, usedInFeatures: number) => ({
  name: `counts, for ${name}`,
  given: withUses,
  see: ([region]: [object]) =>
    assert.deepEqual(region, { ...REGION, usedInProjects, usedInFeatures } as object),
});

scenarios(`GET ${CONTEXT}`, [
  { ...counted("who sees some projects", 2, 3), as: personal(3) },
  { ...counted("a service", 3, 4), as: SERVICE },
  {
    name: "by name",
    given: (w) => withRegion(w).add("contextField", { name: "Zone" }).add("contextField", { name: "age" }),
    see: (body) =>
      assert.deepEqual(
        body.map(({ name }: { name: string }) => name),
        ["Zone", "age", "region"],
      ),
  },
]);

scenarios(`GET ${CONTEXT}/`, [
  {
    name: "one by name",
    url: "region",
    as: personal(3),
    given: withRegion,
    see: (body) => assert.deepEqual(body, REGION),
  },
  { name: "an unknown one", url: "nope", expect: [404, "NotFoundError"] },
  {
    name: "the strategies that refer to it, in visible projects",
    url: "region/strategies",
    as: personal(3),
    given: withUses,
    see: ({ strategies }) => {
      const [first, ...others] = strategies;
      assert.deepEqual(first, {
        id: "s1",
        projectId: "a",
        featureName: "f",
        strategyName: "default",
        environment: "development",
      });
      assert.deepEqual(
        others.map(({ id }: { id: string }) => id),
        ["s2", "s5", "s3"],
      );
    },
  },
  {
    name: "the strategies that refer to an unknown one",
    url: "userId/strategies",
    given: withUses,
    see: ({ strategies }) => assert.equal(strategies.length, 1),
  },
]);

const INVALID: object[] = [
  { description: "x".repeat(251) },
  { description: [] },
  { stickiness: "yes" },
  { sortOrder: "first" },
  { sortOrder: 1.5 },
  { legalValues: "eu" },
  { legalValues: ["eu"] },
  { legalValues: [{}] },
  { legalValues: [{ value: "" }] },
  { legalValues: [{ value: "x".repeat(101) }] },
  { legalValues: [{ value: "eu", description: "x".repeat(101) }] },
  { legalValues: [{ value: "eu" }, { value: "eu" }] },
];

scenarios(`POST ${CONTEXT}`, [
  ...[
    {},
    { name: "" },
    { name: [] },
    { name: "a b" },
    { name: ".." },
    { name: "x".repeat(101) },
    ...INVALID.map((keys) => ({ name: "plan", ...keys })),
  ].map((body) => ({
    name: `refused: ${JSON.stringify(body).slice(0, 80)}`,
    body,
    expect: invalid,
    see: ({ message }: { message: string }) =>
      assert.ok(message.startsWith(`body.${Object.keys(body).at(-1) ?? "name"}`), message),
  })),
  {
    name: "a name that is taken",
    given: withRegion,
    body: { name: "region" },
    expect: [409, "NameExistsError"],
  },
  {
    name: "the minimum, as an Editor",
    as: personal(2),
    body: { name: "plan" },
    expect: 201,
    records: [
      {
        type: "context-field-created",
        project: null,
        data: { name: "plan", stickiness: false },
        preData: null,
      },
    ],
    see: ({ createdAt, ...body }, { headers }) => {
      assert.deepEqual(body, {
        name: "plan",
        description: null,
        stickiness: false,
        sortOrder: 10,
        legalValues: [],
      });
      assert.ok(createdAt > CREATED);
      assert.equal(headers.get("location"), "context/plan");
    },
  },
  {
    name: "every property; the order is not recorded, as in the original",
    as: SERVICE,
    body: REGION,
    expect: 201,
    records: [
      {
        type: "context-field-created",
        data: {
          name: "region",
          description: "Where",
          stickiness: true,
          legalValues: [{ value: "eu" }, { value: "us", description: "America" }],
        },
      },
    ],
    see: (body) => assert.deepEqual({ ...body, createdAt: CREATED }, REGION),
  },
]);

const { createdAt: _, sortOrder: __, ...BEFORE } = REGION;

scenarios(`PUT ${CONTEXT}/region`, [
  { name: "an unknown one", body: {}, expect: [404, "NotFoundError"] },
  ...INVALID.map((body) => ({
    name: `refused: ${JSON.stringify(body).slice(0, 80)}`,
    given: withRegion,
    body,
    expect: invalid,
  })),
  {
    name: "an empty body, as an Editor",
    as: personal(2),
    given: withRegion,
    body: { name: "the path wins" },
    records: [
      {
        type: "context-field-updated",
        project: null,
        data: { name: "region", stickiness: false },
        preData: BEFORE,
      },
    ],
  },
]);

scenarios(`DELETE ${CONTEXT}/region`, [
  { name: "an unknown one", expect: [404, "NotFoundError"] },
  {
    name: "one that strategies refer to",
    as: personal(2),
    given: withUses,
    expect: [409, "ConflictError"],
    see: ({ message }) => assert.match(message, /strategies of .+ use it/),
  },
  {
    name: "one that no strategy refers to",
    as: personal(2),
    given: withRegion,
    records: [{ type: "context-field-deleted", project: null, data: null, preData: REGION }],
    see: (_, { text }) => assert.equal(text, ""),
  },
]);

scenarios(`POST ${CONTEXT}/validate`, [
  ...[{}, { name: "" }, { name: "a b" }, { name: null }].map((body) => ({
    name: `refused: ${JSON.stringify(body)}`,
    body,
    expect: invalid,
  })),
  { name: "taken", given: withRegion, body: { name: "region" }, expect: [409, "NameExistsError"] },
  { name: "free", as: personal(2), body: { name: "plan" } },
]);

test("a change without description and order keeps them, and unsets the rest", async (t) => {
  const { request } = await openServer(t, withRegion(createWorld()));
  const read = async () => (await request(`${CONTEXT}/region`)).body;
  const put = (body: object) => request(`${CONTEXT}/region`, { method: "PUT", body });
  await put({});
  assert.deepEqual(await read(), { ...REGION, stickiness: false, legalValues: [] });
  await put({ description: null, sortOrder: 7, stickiness: true, legalValues: [{ value: "x" }] });
  assert.deepEqual(await read(), {
    ...REGION,
    description: null,
    sortOrder: 7,
    legalValues: [{ value: "x" }],
  });
});

test("the usage of a field follows changes of constraints", async (t) => {
  const { request, db } = await openServer(t, withUses(createWorld()));
  const used = () => db.prepare("SELECT context_field, strategy FROM strategy_context_fields").raw().all();
  assert.equal(used().length, 6);
  db.exec(`UPDATE strategies SET constraints = '[{"contextName":"plan","operator":"IN"}]' WHERE id = 's1'`);
  db.exec("DELETE FROM strategies WHERE id <> 's1'");
  assert.deepEqual(used(), [["plan", "s1"]]);
  const { body } = await request(`${CONTEXT}/plan/strategies`);
  assert.equal(body.strategies.length, 1);
});
