import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies } from "../support/bad-bodies.ts";
import { openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const ENVIRONMENTS = "/api/admin/environments";
const NO_ACCESS: [number, string] = [403, "NoAccessError"];
const TAKEN: [number, string] = [409, "NameExistsError"];

scenarios(`POST ${ENVIRONMENTS}/validate`, [
  { name: "a free name", as: personal(3), body: { name: "staging" } },
  { name: "a name that is taken", as: personal(3), body: { name: "production" }, expect: TAKEN },
  ...badBodies({}, [
    ["no name", {}, "body.name"],
    ["a name that does not fit into a URL", { name: "a b" }, "body.name"],
  ]),
]);

const variants = [
  { name: "red", weight: 1000, weightType: "variable", stickiness: "default", overrides: [] },
];
const strategy = {
  id: "s",
  name: "flexibleRollout",
  title: "Half",
  segments: [1],
  parameters: { rollout: "50", stickiness: "default", groupId: "f" },
  constraints: [{ contextName: "userId", operator: "IN", values: ["7"] }],
};
const production = { name: "production", enabled: true, variants, strategies: [strategy] };

/** Two projects with the environment, one of them private, and one without. */
const given = (w: World) =>
  w
    .add("contextField", { name: "userId" })
    .add("segment", { id: 1, name: "Testers", constraints: [] })
    .project("a", { defaultStrategies: [{ environment: "production", strategy: { name: "default" } }] })
    .project("p", { mode: "private" })
    .project("without", { environments: ["development"] })
    .feature("f", "a", { environments: [production, { name: "development", enabled: true }] })
    .feature("gone", "a", {
      archivedAt: "2026-01-02T00:00:00.000Z",
      environments: [production].map(withId("t")),
    })
    .feature("secret", "p", { environments: [production].map(withId("u")) })
    .add("role", {
      id: 8,
      name: "Releaser",
      type: "custom",
      permissions: [{ name: "UPDATE_FEATURE_ENVIRONMENT", environment: "production" }],
    });

const withId = (id: string) => (environment: typeof production) => ({
  ...environment,
  strategies: environment.strategies.map((one) => ({ ...one, id })),
});

const PAGE = { name: "production_clone", type: "test", projects: ["a", "without"], clonePermissions: true };

const clones = (rest: Partial<Scenario>): Scenario => ({
  name: "",
  given,
  body: { name: "staging" },
  ...rest,
});

const created = (name: string, type = "production") => ({
  type: "environment-created" as const,
  environment: name,
  data: { name, type, sortOrder: 2, enabled: true, protected: false },
});
const added = (project: string, environment = "staging") => ({
  type: "project-environment-added" as const,
  project,
  environment,
});

scenarios(`POST ${ENVIRONMENTS}/production/clone`, [
  clones({ name: "an Editor may not", as: personal(2), expect: NO_ACCESS }),
  clones({ name: "in all projects that have it", records: [created("staging"), added("a"), added("p")] }),
  clones({
    name: "as the original's page asks, in some projects",
    body: PAGE,
    records: [created(PAGE.name, "test"), added("a", PAGE.name)],
  }),
  clones({
    name: "in no project",
    body: { name: "staging", projects: [] },
    records: [created("staging")],
  }),
  clones({ name: "a name that is taken", body: { name: "development" }, expect: TAKEN }),
  clones({ name: "its own name", body: { name: "production" }, expect: TAKEN }),
  clones({
    name: "an unknown one",
    url: `${ENVIRONMENTS}/nosuch/clone`,
    expect: [404, "NotFoundError"],
  }),
  ...badBodies({ given }, [
    ["no name", {}, "body.name"],
    ["a name that does not fit into a URL", { name: "a/b" }, "body.name"],
    ["an unknown project", { name: "x", projects: ["a", "nosuch"] }, "body.projects.1"],
    ["projects that are no list", { name: "x", projects: "a" }, "body.projects"],
    [
      "permissions that are neither kept nor not",
      { name: "x", clonePermissions: "x" },
      "body.clonePermissions",
    ],
  ]),
]);

/** A flag's state in an environment, without the ids. */
const stateIn = async (
  { request }: Awaited<ReturnType<typeof openServer>>,
  flag: string,
  environment: string,
) => {
  const { body } = await request(`/api/admin/projects/${flag}?variantEnvironments=true`);
  const {
    name: _,
    type: __,
    sortOrder: ___,
    lastSeenAt: ____,
    ...state
  } = body.environments.find(({ name }: { name: string }) => name === environment);
  return { ...state, strategies: state.strategies.map(({ id: _id, ...rest }: { id: string }) => rest) };
};

test("a cloned environment has the state of all flags, with strategies of their own, and the permissions", async (t) => {
  const server = await openServer(t, given(createWorld()));
  const { request, db } = server;
  await request(`${ENVIRONMENTS}/production/clone`, { method: "POST", body: { name: "staging" } });
  for (const flag of ["a/features/f", "p/features/secret"])
    assert.deepEqual(await stateIn(server, flag, "staging"), await stateIn(server, flag, "production"), flag);
  const own = "/api/admin/projects/a/features/f/environments/staging/strategies";
  const [copy] = (await request(own)).body;
  assert.notEqual(copy.id, "s");
  assert.deepEqual(copy.segments, [1]);
  await request(`${own}/${copy.id}`, { method: "DELETE" });
  assert.equal((await request(own.replace("staging", "production"))).body.length, 1);
  const archived = db.prepare("SELECT count(*) FROM strategies WHERE feature = 'gone'").pluck().get();
  assert.equal(archived, 2, "an archived flag comes back with its strategies");
  const { environments } = (await request(`${ENVIRONMENTS}/project/a`)).body;
  assert.deepEqual(environments.at(-1).defaultStrategy, { name: "default" });
  const { permissions } = (await request("/api/admin/roles/8")).body;
  assert.deepEqual(
    permissions.map(({ environment }: { environment: string }) => environment),
    ["production", "staging"],
  );
});

test("permissions are left behind if they are not wanted, and nothing is left of a clone that fails", async (t) => {
  const { request, db } = await openServer(t, given(createWorld()));
  const recorded = watchLog(db);
  const clone = (body: object) => request(`${ENVIRONMENTS}/production/clone`, { method: "POST", body });
  assert.equal((await clone({ name: "x", projects: ["nosuch"] })).status, 400);
  assert.deepEqual(recorded(), []);
  assert.equal((await clone({ name: "x", clonePermissions: false })).status, 200);
  assert.equal((await clone({ name: "x" })).status, 409);
  const { permissions } = (await request("/api/admin/roles/8")).body;
  assert.equal(permissions.length, 1);
});
