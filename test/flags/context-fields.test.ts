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
  { project: "" },
  { project: ["a"] },
  { project: "nope" },
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

const withPlaces = (w: World) =>
  withRegion(w)
    .project("a")
    .project("b")
    .project("hidden", { mode: "private" })
    .add("contextField", { ...TIER, project: "a" })
    .add("contextField", { ...TIER, name: "level", project: "b" })
    .add("contextField", { ...TIER, name: "secret", project: "hidden" })
    .member("a", 3, 4)
    .feature("f", "a", constrained("s1", "tier", "region"));

const TIER = { name: "tier", description: null, stickiness: false, sortOrder: 1, createdAt: CREATED };

const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

const listed = (url: string, as: string | undefined, expected: string[]) => ({
  name: `${url} for ${as ?? "an Admin"}`,
  url,
  ...(as !== undefined && { as }),
  given: withPlaces,
  see: (list: { name: string }[]) => assert.deepEqual(names(list), expected),
});

scenarios("GET /api/admin/", [
  listed("context", undefined, ["region"]),
  listed("context?include=root", undefined, ["region"]),
  listed("context?include=PROJECT", undefined, ["level", "region", "secret", "tier"]),
  listed("context?include=project", personal(2), ["level", "region", "tier"]),
  listed("projects/a/context", personal(2), ["tier"]),
  listed("projects/a/context?include=Root", personal(2), ["region", "tier"]),
  listed("projects/a/context?include=project", personal(2), ["tier"]),
  listed("projects/nope/context", undefined, []),
  {
    name: "a private project's",
    url: "projects/hidden/context",
    as: personal(2),
    given: withPlaces,
    expect: 403,
  },
  {
    name: "one of a project, with its project",
    url: "context/tier",
    given: withPlaces,
    see: (body) => assert.deepEqual(body, { ...TIER, legalValues: [], project: "a" }),
  },
  {
    name: "the same below its project",
    url: "projects/a/context/tier",
    given: withPlaces,
    see: (body) => assert.equal(body.project, "a"),
  },
  { name: "one of no project below a project", url: "projects/a/context/region", given: withPlaces },
  {
    name: "another project's",
    url: "projects/a/context/level",
    given: withPlaces,
    expect: [404, "NotFoundError"],
  },
  {
    name: "a hidden project's",
    url: "context/secret",
    as: personal(2),
    given: withPlaces,
    expect: [404, "NotFoundError"],
    see: ({ message }) => assert.equal(message, "There is no context field secret"),
  },
  {
    name: "the strategies that refer to one",
    url: "projects/a/context/tier/strategies",
    given: withPlaces,
    see: ({ strategies }) =>
      assert.deepEqual(
        strategies.map(({ id }: { id: string }) => id),
        ["s1"],
      ),
  },
]);

const created = (project: string | null, data: object) => ({
  type: "context-field-created",
  project,
  data: { name: "plan", stickiness: false, ...data },
});

scenarios("POST /api/admin/", [
  {
    name: "one of the path's project, as its Owner",
    url: "projects/a/context",
    as: personal(3),
    given: withPlaces,
    body: { name: "plan", project: "b" },
    expect: 201,
    records: [created(null, { project: "a" })],
    see: (body, { headers }) => {
      assert.equal(body.project, "a");
      assert.equal(headers.get("location"), "context/plan");
    },
  },
  {
    name: "one of the body's project",
    url: "context",
    as: personal(2),
    given: withPlaces,
    body: { name: "plan", project: "b" },
    expect: 201,
    records: [created(null, { project: "b" })],
  },
  {
    name: "one of a private project: its event belongs to it",
    url: "projects/hidden/context",
    given: withPlaces,
    body: { name: "plan" },
    expect: 201,
    records: [created("hidden", { project: "hidden" })],
  },
  {
    name: "one of a project that the caller can't see",
    url: "context",
    as: personal(2),
    given: withPlaces,
    body: { name: "plan", project: "hidden" },
    expect: [403, "NoAccessError"],
  },
  { name: "an unknown project", url: "projects/nope/context", body: { name: "plan" }, expect: 404 },
  {
    name: "another project's Owner",
    url: "projects/b/context",
    as: personal(3),
    given: withPlaces,
    body: { name: "plan" },
    expect: [403, "NoAccessError"],
  },
  {
    name: "a name that another project has",
    url: "projects/a/context",
    given: withPlaces,
    body: { name: "level" },
    expect: [409, "NameExistsError"],
  },
  {
    name: "whether it is taken",
    url: "projects/a/context/validate",
    as: personal(3),
    given: withPlaces,
    body: { name: "level" },
    expect: [409, "NameExistsError"],
  },
  {
    name: "whether it is free",
    url: "projects/a/context/validate",
    as: personal(3),
    given: withPlaces,
    body: { name: "plan" },
  },
]);

scenarios("PUT /api/admin/", [
  {
    name: "one of a project, which keeps it, as its Owner",
    url: "projects/a/context/tier",
    as: personal(3),
    given: withPlaces,
    body: { description: "Which" },
    records: [
      {
        type: "context-field-updated",
        project: null,
        data: { name: "tier", description: "Which", stickiness: false },
        preData: { name: "tier", description: null, stickiness: false, legalValues: [], project: "a" },
      },
    ],
  },
  {
    name: "another project's",
    url: "projects/b/context/tier",
    given: withPlaces,
    body: {},
    expect: [404, "NotFoundError"],
    see: ({ message }) => assert.equal(message, "There is no context field tier in the project b"),
  },
  { name: "one of none", url: "projects/b/context/region", given: withPlaces, body: {}, expect: 404 },
  {
    name: "a move to another project, where its Owner may change nothing",
    url: "projects/a/context/tier",
    as: personal(3),
    given: withPlaces,
    body: { project: "b" },
    expect: [403, "NoAccessError"],
  },
  {
    name: "a move away from strategies that use it",
    url: "context/tier",
    given: withPlaces,
    body: { project: "b" },
    expect: invalid,
    see: ({ message }) => assert.match(message, /^body.project: strategies of other projects use/),
  },
  {
    name: "a move to a private project, which is that of the event",
    url: "context/level",
    given: withPlaces,
    body: { project: "hidden" },
    records: [
      {
        type: "context-field-updated",
        project: "hidden",
        data: { name: "level", stickiness: false, project: "hidden" },
      },
    ],
  },
]);

const changed = (before: object[], after: object[], project = {}) => [
  {
    type: "context-field-updated",
    data: { ...REGION, legalValues: after, ...project },
    preData: { ...REGION, legalValues: before, ...project },
  },
];

const [EU, US] = REGION.legalValues;
const UK = { value: "uk", description: "Britain" };

scenarios(`POST ${CONTEXT}/`, [
  {
    name: "another legal value, as an Editor",
    url: "region/legal-values",
    as: personal(2),
    given: withRegion,
    body: UK,
    records: changed([EU!, US!], [EU!, US!, UK]),
    see: (_, { text }) => assert.equal(text, ""),
  },
  {
    name: "a legal value again, described",
    url: "region/legal-values",
    given: withRegion,
    body: { value: "eu", description: "Europe" },
    records: changed([EU!, US!], [{ value: "eu", description: "Europe" }, US!]),
  },
  ...[{}, { value: "" }, { value: "x".repeat(101) }, { value: "x", description: [] }].map((body) => ({
    name: `no legal value: ${JSON.stringify(body).slice(0, 80)}`,
    url: "region/legal-values",
    given: withRegion,
    body,
    expect: invalid,
  })),
  { name: "a value of an unknown field", url: "nope/legal-values", body: UK, expect: [404, "NotFoundError"] },
]);

scenarios(`DELETE ${CONTEXT}/`, [
  {
    name: "a legal value",
    url: "region/legal-values/eu",
    as: personal(2),
    given: withRegion,
    records: changed([EU!, US!], [US!]),
  },
  {
    name: "a value that is none: recorded all the same, as in the original",
    url: "region/legal-values/nope",
    given: withRegion,
    records: changed([EU!, US!], [EU!, US!]),
  },
]);

scenarios("DELETE /api/admin/projects/", [
  {
    name: "one of the project, as its Owner",
    url: "a/context/unused",
    as: personal(3),
    given: (w) => withPlaces(w).add("contextField", { ...TIER, name: "unused", project: "a" }),
    records: [
      {
        type: "context-field-deleted",
        project: null,
        preData: { ...TIER, name: "unused", legalValues: [], project: "a" },
      },
    ],
  },
  {
    name: "one that strategies use",
    url: "a/context/tier",
    given: withPlaces,
    expect: [409, "ConflictError"],
  },
  { name: "another project's", url: "a/context/level", given: withPlaces, expect: [404, "NotFoundError"] },
  {
    name: "the project, and its fields with it",
    url: "b",
    given: withPlaces,
    records: [
      { type: "context-field-deleted", preData: { ...TIER, name: "level", legalValues: [], project: "b" } },
      { type: "project-deleted", project: "b" },
    ],
  },
]);

test("the Owner of a project changes the legal values of its fields only", async (t) => {
  const { request } = await openServer(t, withPlaces(createWorld()));
  const statusOf = async (method: string, path: string, body?: object) =>
    (await request(`/api/admin/${path}`, { method, as: personal(3), ...(body && { body }) })).status;
  assert.equal(await statusOf("POST", "projects/a/context/tier/legal-values", UK), 200);
  assert.deepEqual((await request(`${CONTEXT}/tier`)).body.legalValues, [UK]);
  assert.equal(await statusOf("DELETE", "projects/a/context/tier/legal-values/uk"), 200);
  assert.deepEqual((await request(`${CONTEXT}/tier`)).body.legalValues, []);
  for (const path of ["projects/a/context/level", "projects/a/context/region"])
    assert.equal(await statusOf("POST", `${path}/legal-values`, UK), 404);
  for (const path of ["context/tier", "projects/b/context/level"])
    assert.equal(await statusOf("POST", `${path}/legal-values`, UK), 403);
});

test("only the strategies of its project may use a field", async (t) => {
  const { request } = await openServer(t, withPlaces(createWorld()).feature("g", "b"));
  const constraint = { contextName: "tier", operator: "IN", values: ["x"] };
  const add = (project: string, flag: string) =>
    request(`/api/admin/projects/${project}/features/${flag}/environments/development/strategies`, {
      method: "POST",
      body: { name: "default", constraints: [constraint] },
    });
  assert.equal((await add("a", "f")).status, 200);
  const { status, body } = await add("b", "g");
  assert.deepEqual([status, body.message], [404, "There is no context field tier"]);
  const setDefault = (project: string) =>
    request(`/api/admin/projects/${project}/environments/development/default-strategy`, {
      method: "POST",
      body: { name: "flexibleRollout", constraints: [constraint] },
    });
  assert.deepEqual([(await setDefault("a")).status, (await setDefault("b")).status], [200, 404]);
  const move = await request("/api/admin/projects/a/features/f/changeProject", {
    method: "POST",
    body: { newProjectId: "b" },
  });
  assert.equal(move.status, 403);
  assert.match(move.body.message, /uses context fields of the project a: tier/);
});

test("a constraint on a field is validated for whoever may see the field", async (t) => {
  const { request } = await openServer(t, withPlaces(createWorld()));
  const statusOf = async (contextName: string, as: string) => {
    const body = { contextName, operator: "IN", values: ["x"] };
    return (await request("/api/admin/constraints/validate", { method: "POST", as, body })).status;
  };
  assert.deepEqual([await statusOf("tier", personal(2)), await statusOf("secret", personal(2))], [204, 404]);
  assert.equal(await statusOf("secret", SERVICE), 204);
});
