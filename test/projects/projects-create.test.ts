import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies, withCustomRole, withCustomRoot } from "../support/bad-bodies.ts";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const PROJECTS = "/api/admin/projects";
const body = { id: "p", name: "P" };
const NO_ACCESS: [number, string] = [403, "NoAccessError"];

const CREATED = {
  id: "p",
  name: "P",
  description: null,
  mode: "open",
  defaultStickiness: "default",
  environments: ["development", "production"],
};

/** Creates a project like P, with these differences. */
const makes = (name: string, rest: Partial<Scenario>, sent: object = {}, differs: object = {}): Scenario => {
  const project = { ...CREATED, ...differs };
  const { mode: _, environments: __, ...data } = project;
  return {
    name,
    body: { ...body, ...sent },
    expect: 201,
    records: [{ type: "project-created", project: project.id, data, preData: null, environment: null }],
    see: (answer) => assert.deepEqual(answer, project),
    ...rest,
  };
};

scenarios(`POST ${PROJECTS}/validate`, [
  { name: "a free id", as: personal(2), body: { id: "p" } },
  { name: "a Viewer may not", as: personal(3), body, expect: NO_ACCESS },
  {
    name: "an id that is taken",
    given: (w) => w.project("p"),
    body: { id: "p" },
    expect: [409, "NameExistsError"],
  },
  ...badBodies({}, [
    ["no id", {}, "body.id"],
    ["an id that does not fit into a URL", { id: "a/b" }, "body.id"],
  ]),
]);

scenarios(`POST ${PROJECTS}`, [
  makes("an Admin may", {}),
  makes("an Editor may", { as: personal(2) }),
  makes("a service token may", { as: SERVICE }),
  { name: "a Viewer may not", as: personal(3), body, expect: NO_ACCESS },
  makes("CREATE_PROJECT through a custom root role", {
    as: personal(5),
    given: withCustomRoot((w) => w, { name: "CREATE_PROJECT" }),
  }),
  {
    name: "CREATE_PROJECT through a project role is not enough",
    as: personal(3),
    given: withCustomRole((w) => w.project("a"), { name: "CREATE_PROJECT" }),
    body,
    expect: NO_ACCESS,
  },
  makes(
    "every property",
    {},
    { description: "D", mode: "private", defaultStickiness: "userId", environments: ["production"] },
    { description: "D", mode: "private", defaultStickiness: "userId", environments: ["production"] },
  ),
  makes("environments in their own order", {}, { environments: ["production", "development"] }),
  makes("a repeated environment", {}, { environments: ["production", "development", "production"] }),
  makes("without environments, all that are enabled", {
    given: (w) => w.environment("off", { enabled: false }),
  }),
  makes(
    "a disabled one",
    { given: (w) => w.environment("off", { enabled: false }) },
    { environments: ["off"] },
    { environments: ["off"] },
  ),
  makes("white space around the name is removed", {}, { name: "  P " }),
  makes("a description that is null", {}, { description: null }),
  makes(
    "the id is derived from the name",
    {},
    { id: undefined, name: "Größe & Co!" },
    { id: "gro-e-co", name: "Größe & Co!" },
  ),
  makes("the same if it is blank", {}, { id: " ", name: "Größe" }, { id: "gro-e", name: "Größe" }),
  makes(
    "a name without letters becomes a word",
    {},
    { id: undefined, name: "!!!" },
    { id: "project", name: "!!!" },
  ),
  makes(
    "with a number appended if it is taken",
    { given: (w) => w.project("p").project("p-2", { archivedAt: "2026-01-02T00:00:00Z" }) },
    { id: undefined },
    { id: "p-3" },
  ),
  makes("ids are case-sensitive", { given: (w) => w.project("P") }),
  makes("the name of another project", { given: (w) => w.project("a", { name: "P" }) }),
  ...badBodies({}, [
    ["no name", { id: "p" }, "body.name"],
    ["an empty name", { ...body, name: "" }, "body.name"],
    ["a blank name", { ...body, name: " \t " }, "body.name"],
    ["a name that is null", { ...body, name: null }, "body.name"],
    ["a name that is an object", { ...body, name: {} }, "body.name"],
    ["a name that is too long", { ...body, name: "x".repeat(65537) }, "body.name"],
    ["a blank id, and a name", { id: " ", name: "" }, "body.name"],
    ["an id that is an object", { ...body, id: {} }, "body.id"],
    ["an id with a slash", { ...body, id: "a/b" }, "body.id"],
    ["an id of dots", { ...body, id: "." }, "body.id"],
    ["an id of 101 characters", { ...body, id: "x".repeat(101) }, "body.id"],
    ["a lone surrogate", `{"name":"\\udc00","id":"p"}`, "body.name"],
    ["a description that is a list", { ...body, description: [] }, "body.description"],
    ["an unknown mode", { ...body, mode: "secret" }, "body.mode"],
    ["an empty stickiness", { ...body, defaultStickiness: "" }, "body.defaultStickiness"],
    ["no environment", { ...body, environments: [] }, "body.environments"],
    ["environments that are text", { ...body, environments: "production" }, "body.environments"],
    ["an environment that is an object", { ...body, environments: [{}] }, "body.environments.0"],
    ["an unknown environment", { ...body, environments: ["production", "nope"] }, "body.environments.1"],
  ]),
  ...[{}, { archivedAt: "2026-01-02T00:00:00Z" }, { mode: "private" }].map(
    (state): Scenario => ({
      name: `an id that is taken ${JSON.stringify(state)}`,
      as: personal(2),
      given: (w) => w.project("p", state),
      body,
      expect: [409, "NameExistsError"],
    }),
  ),
]);

test("the creator becomes the owner; with a service token there is none", async (t) => {
  const { request } = await openServer(t);
  for (const [as, id] of [
    [personal(2), "own"],
    [SERVICE, "nobodys"],
  ] as const)
    await request(PROJECTS, { method: "POST", as, body: { id, name: id, mode: "private" } });
  const owners = async (as: string) =>
    (await request(PROJECTS, { as })).body.projects.map(
      ({ id, owners: [owner] }: { id: string; owners: Array<{ ownerType: string }> }) => [
        id,
        owner?.ownerType,
      ],
    );
  assert.deepEqual(await owners(personal(2)), [["own", "user"]]);
  assert.deepEqual(await owners(SERVICE), [
    ["nobodys", "system"],
    ["own", "user"],
  ]);
  const flag = { method: "POST", as: personal(2), body: { name: "f" } };
  assert.equal((await request(`${PROJECTS}/own/features`, flag)).status, 201);
  assert.equal((await request(`${PROJECTS}/nobodys/features`, flag)).status, 403);
});

test("of two concurrent requests, one succeeds; without ids, both do", async (t) => {
  const { request, db } = await openServer(t);
  const recorded = watchLog(db);
  const make = (sent: object) => request(PROJECTS, { method: "POST", body: sent });
  const same = await Promise.all([make(body), make(body)]);
  assert.deepEqual(same.map(({ status }) => status).toSorted(), [201, 409]);
  const named = await Promise.all([make({ name: "N" }), make({ name: "N" })]);
  assert.deepEqual(named.map((reply) => reply.body.id).toSorted(), ["n", "n-2"]);
  assertRecorded(
    recorded(),
    ["p", "n", "n-2"].map((project) => ({ type: "project-created", project })),
  );
});

const listed = (name: string, ids: string[], rest: Partial<Scenario> = {}): Scenario => ({
  name,
  given: (w: World) =>
    w
      .project("b", { name: "B" })
      .project("a", { name: "a" })
      .project("hidden", { mode: "private", name: "Z" })
      .project("gone", { archivedAt: "2026-01-02T00:00:00Z" })
      .project("kept", { mode: "protected", name: "C" }),
  see: ({ projects }) =>
    assert.deepEqual(
      projects.map(({ id }: { id: string }) => id),
      ids,
    ),
  ...rest,
});

scenarios(`GET ${PROJECTS}`, [
  { name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
  listed("live ones, by name in byte order", ["b", "kept", "hidden", "a"]),
  listed("a service token sees all", ["b", "kept", "hidden", "a"], { as: SERVICE }),
  listed("an Editor sees all but private ones", ["b", "kept", "a"], { as: personal(2) }),
  listed("archived ones", ["gone"], { url: "?archived=true" }),
  listed("archived=false", ["b", "kept", "hidden", "a"], { url: "?archived=false&other=1" }),
  {
    name: "neither",
    url: "?archived=1",
    expect: [400, "ValidationError"],
    see: ({ message }) => assert.match(message, /^query\.archived: /),
  },
  { name: "both", url: "?archived=true&archived=false", expect: [400, "ValidationError"] },
  listed("a member of a private one", ["hidden"], {
    as: personal(3),
    given: (w) =>
      w
        .project("hidden", { mode: "private" })
        .project("other", { mode: "private" })
        .group("crew", [3])
        .groupMember("hidden", 1),
  }),
  {
    name: "every property",
    given: (w) =>
      w
        .project("a", { name: "A", description: "D" })
        .member("a", 3, 4)
        .member("a", 4)
        .group("crew", [2, 3])
        .groupMember("a", 1, 4)
        .feature("f", "a", {
          stale: true,
          environments: [{ name: "production", lastSeenAt: "2026-02-01T00:00:00Z" }],
        })
        .feature("g", "a", { type: "permission" })
        .feature("h", "a", { archivedAt: "2026-01-02T00:00:00Z" })
        .event({ project: "a", featureName: "f", createdAt: "2026-03-01T00:00:00Z" })
        .event({ project: "a", createdAt: "2026-04-01T00:00:00Z" }),
    see: ({ version, projects: [{ owners, ...project }] }) => {
      assert.equal(version, 1);
      assert.deepEqual(project, {
        name: "A",
        id: "a",
        description: "D",
        health: 50,
        technicalDebt: 50,
        favorite: false,
        featureCount: 2,
        memberCount: 3,
        createdAt: "2026-01-01T00:00:00.000Z",
        archivedAt: null,
        mode: "open",
        lastReportedFlagUsage: "2026-02-01T00:00:00.000Z",
        lastUpdatedAt: "2026-03-01T00:00:00.000Z",
      });
      assert.deepEqual(
        owners.map(({ ownerType, name }: Record<string, string>) => [ownerType, name]),
        [
          ["user", "Vic Viewer"],
          ["group", "crew"],
        ],
      );
    },
  },
]);

test("the list after each change", async (t) => {
  const { request } = await openServer(t, createWorld().project("a"));
  const first = async () => (await request(PROJECTS)).body.projects[0];
  assert.deepEqual([(await first()).featureCount, (await first()).lastUpdatedAt], [0, null]);
  await request(`${PROJECTS}/a/features`, { method: "POST", body: { name: "f" } });
  assert.equal((await first()).featureCount, 1);
  assert.notEqual((await first()).lastUpdatedAt, null);
  await request(`${PROJECTS}/a/features/f`, { method: "DELETE" });
  assert.equal((await first()).featureCount, 0);
});
