import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { CLIENT, createWorld, personal, SERVICE, type World } from "../support/world.ts";

const ENVIRONMENTS = "/api/admin/environments";
const NOT_FOUND: [number, string] = [404, "NotFoundError"];
const WRONG: [number, string] = [400, "ValidationError"];
const DEVELOPMENT = {
  name: "development",
  type: "development",
  sortOrder: 1,
  enabled: true,
  protected: false,
};

/** The same as it is read. */
const READ = { ...DEVELOPMENT, requiredApprovals: null };

const on = { name: "development", enabled: true };

/** A visible project and one that only its member sees, each with an enabled flag. */
const withProjects = (w: World) =>
  w
    .environment("guarded", { protected: true })
    .project("a")
    .project("only", { environments: ["production"] })
    .project("hidden", { mode: "private" })
    .member("hidden", 4)
    .member("a", 4, 4)
    .member("a", 3)
    .feature("f", "a", { environments: [{ ...on, strategies: [{ id: "s", name: "default" }] }] })
    .feature("gone", "a", { archivedAt: "2026-01-02T00:00:00Z", environments: [on] })
    .feature("secret", "hidden", { environments: [on] })
    .add("token", {
      type: "client",
      name: "secret",
      hash: "0".repeat(64),
      environment: "development",
      projects: ["hidden"],
    });

const given = (rest: Partial<Scenario>): Scenario => ({ name: "", given: withProjects, ...rest });

const wrong = (body: unknown, path: string): Scenario =>
  given({
    name: `${JSON.stringify(body).slice(0, 100)} is refused for ${path}`,
    body,
    expect: WRONG,
    see: ({ details }) => assert.equal(details[0].path, path),
  });

const onlyAdmins = (rest: Partial<Scenario>): Scenario[] => [
  given({ ...rest, name: "no credential", as: null, expect: [401, "AuthenticationRequired"] }),
  given({ ...rest, name: "a client token", as: CLIENT, expect: [403, "NoAccessError"] }),
  given({ ...rest, name: "an Editor", as: personal(2), expect: [403, "NoAccessError"] }),
];

const counts = ({ environments: [first] }: { environments: Array<Record<string, unknown>> }) => first;

scenarios(`GET ${ENVIRONMENTS}`, [
  given({ name: "no credential", as: null, expect: [401, "AuthenticationRequired"] }),
  given({
    name: "in their order, with everything counted for an Admin",
    see: (body) => {
      assert.deepEqual(
        body.environments.map(({ name }: { name: string }) => name),
        ["development", "production", "guarded"],
      );
      const counted = { projectCount: 2, apiTokenCount: 3, enabledToggleCount: 2 };
      assert.deepEqual(counts(body), { ...READ, ...counted });
    },
  }),
  given({
    name: "hidden projects are not counted",
    as: personal(3),
    see: (body) =>
      assert.deepEqual(counts(body), {
        ...READ,
        projectCount: 1,
        apiTokenCount: 2,
        enabledToggleCount: 1,
      }),
  }),
  given({
    name: "one",
    url: `${ENVIRONMENTS}/development`,
    see: (body) => assert.deepEqual(body, READ),
  }),
  given({ name: "an unknown one", url: `${ENVIRONMENTS}/nosuch`, expect: NOT_FOUND }),
]);

scenarios(`GET ${ENVIRONMENTS}/project/a`, [
  given({
    name: "each from the project's point of view",
    as: personal(3),
    see: (body) => {
      assert.equal(body.environments.length, 3);
      assert.deepEqual(counts(body), {
        ...READ,
        projectApiTokenCount: 2,
        projectEnabledToggleCount: 1,
      });
    },
  }),
  given({
    name: "a private one is closed to others",
    url: `${ENVIRONMENTS}/project/hidden`,
    as: personal(3),
    expect: [403, "NoAccessError"],
  }),
  given({
    name: "an unknown project has none",
    url: `${ENVIRONMENTS}/project/nosuch`,
    see: (body) => assert.equal(counts(body)!.projectEnabledToggleCount, 0),
  }),
]);

const NEW = { name: "staging", type: "test" };

scenarios(`POST ${ENVIRONMENTS}`, [
  ...onlyAdmins({ body: NEW }),
  given({
    name: "a new one",
    as: SERVICE,
    body: NEW,
    expect: 201,
    records: [{ type: "environment-created", environment: "staging", data: NEW }],
    see: (body) => assert.deepEqual(body, { ...NEW, sortOrder: 9999, enabled: true, protected: false }),
  }),
  given({
    name: "every property",
    body: { ...NEW, enabled: false, sortOrder: -1, requiredApprovals: 2 },
    expect: 201,
    records: [{ type: "environment-created" }],
    see: (body) =>
      assert.deepEqual(body, {
        ...NEW,
        sortOrder: -1,
        enabled: false,
        protected: false,
        requiredApprovals: 2,
      }),
  }),
  given({ name: "a name that is taken", body: DEVELOPMENT, expect: [409, "NameExistsError"] }),
  wrong({ type: "test" }, "body.name"),
  wrong({ ...NEW, name: "a b" }, "body.name"),
  wrong({ ...NEW, name: "." }, "body.name"),
  wrong({ name: "x" }, "body.type"),
  wrong({ ...NEW, type: [] }, "body.type"),
  wrong({ ...NEW, sortOrder: 1.5 }, "body.sortOrder"),
]);

scenarios(`PUT ${ENVIRONMENTS}/update/development`, [
  ...onlyAdmins({ body: {} }),
  given({
    name: "another type",
    body: { type: "test" },
    records: [{ type: "environment-updated", data: { type: "test", sortOrder: 1 }, preData: DEVELOPMENT }],
    see: (body) => assert.deepEqual(body, { ...DEVELOPMENT, type: "test" }),
  }),
  given({
    name: "it asks before changes; the answer says so only then",
    body: { askBeforeChange: true },
    records: [{ type: "environment-updated", data: { askBeforeChange: true }, preData: DEVELOPMENT }],
    see: (body) => assert.deepEqual(body, { ...DEVELOPMENT, askBeforeChange: true }),
  }),
  wrong({ sortOrder: "first" }, "body.sortOrder"),
  wrong({ askBeforeChange: "maybe" }, "body.askBeforeChange"),
  given({ name: "an unknown one", url: `${ENVIRONMENTS}/update/nosuch`, body: {}, expect: NOT_FOUND }),
]);

scenarios(`DELETE ${ENVIRONMENTS}/development`, [
  ...onlyAdmins({}),
  given({
    name: "its tokens are revoked with it",
    records: [
      { type: "api-token-deleted" },
      { type: "api-token-deleted" },
      { type: "api-token-deleted" },
      { type: "environment-deleted", environment: "development", data: null, preData: DEVELOPMENT },
    ],
  }),
  given({
    name: "the only one of a project is not deleted",
    url: `${ENVIRONMENTS}/production`,
    expect: [400, "MinimumOneEnvironmentError"],
    see: ({ message }) => assert.match(message, /project only/),
  }),
  given({
    name: "a protected one",
    url: `${ENVIRONMENTS}/guarded`,
    expect: [403, "InvalidOperationError"],
  }),
  given({ name: "an unknown one", url: `${ENVIRONMENTS}/nosuch`, expect: NOT_FOUND }),
]);

scenarios(`PUT ${ENVIRONMENTS}/sort-order`, [
  ...onlyAdmins({ body: {} }),
  given({ name: "nothing", body: {} }),
  given({ name: "an unknown one is ignored", body: { nosuch: 1 } }),
  wrong({ development: "x" }, "body.development"),
  wrong({ development: 0.5 }, "body.development"),
  wrong([], "body"),
]);

for (const verb of ["on", "off"]) {
  scenarios(`POST ${ENVIRONMENTS}/development/${verb}`, [
    ...onlyAdmins({}),
    given({ name: "without an event", expect: 204 }),
    given({ name: "an unknown one", url: `${ENVIRONMENTS}/nosuch/${verb}`, expect: NOT_FOUND }),
  ]);
}

const OF_A = "/api/admin/projects/a/environments";

scenarios(`POST ${OF_A}`, [
  given({
    name: "a member",
    as: personal(3),
    body: { environment: "guarded" },
    expect: [403, "NoAccessError"],
  }),
  given({
    name: "an owner adds one",
    as: personal(4),
    body: { environment: "guarded" },
    records: [{ type: "project-environment-added", project: "a", environment: "guarded", data: null }],
  }),
  given({ name: "one that it has", body: { environment: "production" }, expect: [409, "NameExistsError"] }),
  given({ name: "an unknown one", body: { environment: "nosuch" }, expect: NOT_FOUND }),
  given({
    name: "an unknown project",
    url: OF_A.replace("/a/", "/no/"),
    body: { environment: "production" },
    expect: NOT_FOUND,
  }),
  wrong({}, "body.environment"),
  wrong({ environment: [] }, "body.environment"),
]);

scenarios(`DELETE ${OF_A}`, [
  given({ name: "a member", as: personal(3), url: `${OF_A}/production`, expect: [403, "NoAccessError"] }),
  ...["production", "nosuch"].map((environment) =>
    given({
      name: `an owner removes ${environment}`,
      as: personal(4),
      url: `${OF_A}/${environment}`,
      records: [{ type: "project-environment-removed", project: "a", environment }],
    }),
  ),
  given({
    name: "the last one can't be removed",
    url: "/api/admin/projects/only/environments/production",
    expect: [400, "MinimumOneEnvironmentError"],
  }),
]);

test("environments are sorted and disabled", async (t) => {
  const { request, db } = await openServer(t, withProjects(createWorld()));
  const recorded = watchLog(db);
  await request(`${ENVIRONMENTS}/sort-order`, { method: "PUT", body: { production: -1, development: 7 } });
  await request(`${ENVIRONMENTS}/production/off`, { method: "POST" });
  assert.deepEqual(recorded(), []);
  const { environments } = (await request(ENVIRONMENTS)).body;
  assert.deepEqual(
    environments.map((one: typeof DEVELOPMENT) => [one.name, one.sortOrder, one.enabled]),
    [
      ["production", -1, false],
      ["guarded", 3, true],
      ["development", 7, true],
    ],
  );
});

/** A project whose flag is on in an environment, with a strategy and variants of its own, and the environment removed. */
async function openWithout(t: TestContext) {
  const variants = [{ name: "v", weight: 1000, weightType: "variable", stickiness: "default" }];
  const state = { ...on, variants, strategies: [{ id: "s", name: "default", title: "kept" }] };
  const world = createWorld()
    .project("a")
    .feature("f", "a", { environments: [state] });
  const server = await openServer(t, world);
  const { request } = server;
  await request(`${OF_A}/development`, { method: "DELETE" });
  const read = async (path: string) => (await request(`/api/admin/projects/a/features/f${path}`)).body;
  const restore = () => request(OF_A, { method: "POST", body: { environment: "development" } });
  return { ...server, read, restore };
}

test("a removed environment returns with the strategies of the flags, which are off", async (t) => {
  const { request, read, restore } = await openWithout(t);
  const names = (await read("")).environments.map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ["production"]);
  assert.equal((await read("/environments/development/strategies")).name, "NotFoundError");
  const { features } = (await request("/api/client/features", { as: CLIENT })).body;
  assert.deepEqual([features[0].enabled, features[0].variants], [false, []]);
  await restore();
  const { enabled, strategies } = await read("/environments/development");
  assert.deepEqual([enabled, strategies.length], [false, 1]);
  assert.deepEqual((await read("/environments/development/variants")).variants, []);
  assert.deepEqual([strategies[0].id, strategies[0].title], ["s", "kept"]);
});

test("a copy of a flag has nothing in an environment that the project lacks", async (t) => {
  const { request, read, restore } = await openWithout(t);
  const body = { name: "copy" };
  const { status } = await request("/api/admin/projects/a/features/f/clone", { method: "POST", body });
  assert.equal(status, 201);
  await restore();
  const { body: copy } = await request("/api/admin/projects/a/features/copy/environments/development");
  assert.deepEqual(copy.strategies, []);
  assert.equal((await read("/environments/development/strategies")).length, 1);
});

test("deleting an environment deletes the strategies kept in it", async (t) => {
  const { request, db } = await openWithout(t);
  await request(`${ENVIRONMENTS}/development`, { method: "DELETE" });
  assert.equal(db.prepare<[], number>("SELECT count(*) FROM strategies").pluck().get(), 0);
});

test("a flag was last used where it still is", async (t) => {
  const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
  const { request } = await openServer(
    t,
    createWorld()
      .project("a")
      .feature("f", "a", {
        environments: [
          { name: "development", lastSeenAt: at(2) },
          { name: "production", lastSeenAt: at(1) },
        ],
      }),
  );
  const seen = async () => [
    (await request("/api/admin/projects/a/features/f")).body.lastSeenAt,
    (await request("/api/admin/projects")).body.projects[0].lastReportedFlagUsage,
  ];
  assert.deepEqual(await seen(), [at(2), at(2)]);
  await request(`${ENVIRONMENTS}/development`, { method: "DELETE" });
  assert.deepEqual(await seen(), [at(1), at(1)]);
});
