import assert from "node:assert/strict";
import { test } from "node:test";
import { withCustomRole } from "../support/bad-bodies.ts";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const FLAG = "/api/admin/projects/a/features/f";

const withFlag = (w: World) =>
  w.project("a").project("default").project("hidden", { mode: "private" }).feature("f", "a");
const dependent = { dependencies: [{ feature: "f" }] };

const ARCHIVED = [
  { type: "feature-dependencies-removed", project: "a", featureName: "f", data: null, preData: null },
  { type: "feature-archived", project: "a", featureName: "f", data: null, preData: null, environment: null },
] as const;

const done = (name: string, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  given: withFlag,
  expect: 202,
  records: ARCHIVED,
  ...rest,
});
const refused = (name: string, expect: Scenario["expect"], rest: Partial<Scenario> = {}): Scenario => ({
  name,
  given: withFlag,
  ...(expect !== undefined && { expect }),
  ...rest,
});
const NO_ACCESS: [number, string] = [403, "NoAccessError"];
const NOT_FOUND: [number, string] = [404, "NotFoundError"];

scenarios(`DELETE ${FLAG}`, [
  done("an Admin may"),
  done("a service token may", { as: SERVICE }),
  done("a Member may", { as: personal(3), given: (w) => withFlag(w).member("a", 3) }),
  done("DELETE_FEATURE alone is enough", {
    as: personal(3),
    given: withCustomRole(withFlag, { name: "DELETE_FEATURE" }),
  }),
  refused("another permission is not enough", NO_ACCESS, {
    as: personal(3),
    given: withCustomRole(withFlag, { name: "CREATE_FEATURE" }, { name: "UPDATE_FEATURE" }),
    see: ({ message }) => assert.match(message, /DELETE_FEATURE/),
  }),
  refused("a Viewer may not", NO_ACCESS, { as: personal(3) }),
  refused("an Editor may not outside the default project", NO_ACCESS, { as: personal(2) }),
  refused("a private project is closed to others", NO_ACCESS, {
    as: personal(2),
    url: "/api/admin/projects/hidden/features/f",
  }),
  refused("an unknown flag", NOT_FOUND, { url: FLAG.replace("/f", "/nope") }),
  refused("a flag in another letter case", NOT_FOUND, { url: "/api/admin/projects/a/features/F" }),
  refused("a flag of another project", NOT_FOUND, { url: "/api/admin/projects/default/features/f" }),
  refused("an unknown project", NOT_FOUND, { url: "/api/admin/projects/nope/features/f" }),
  refused("NUL in the path", [400, "ValidationError"], { url: `${FLAG}%00` }),
  done("an archived flag again", {
    given: (w) => w.project("a").feature("f", "a", { archivedAt: "2026-01-02T00:00:00Z" }),
  }),
  refused("while another flag depends on it", [403, "InvalidOperationError"], {
    given: (w) => withFlag(w).feature("child", "a", dependent),
    see: ({ message }) => assert.match(message, /child/),
  }),
  done("while only an archived flag depends on it", {
    given: (w) => withFlag(w).feature("child", "a", { ...dependent, archivedAt: "2026-01-02T00:00:00Z" }),
  }),
]);

test("an archived flag is missing among live ones, and its name stays taken", async (t) => {
  const world = withFlag(createWorld()).member("a", 3).member("a", 4);
  const { request } = await openServer(t, world);
  await request(FLAG, { method: "DELETE", as: personal(3) });
  assert.equal((await request(FLAG)).status, 404);
  assert.deepEqual((await request("/api/admin/projects/a/features")).body.features, []);
  const [{ featureCount }] = (await request("/api/admin/personal-dashboard", { as: personal(3) })).body
    .projects;
  assert.equal(featureCount, 0);
  const again = await request("/api/admin/projects/a/features", { method: "POST", body: { name: "f" } });
  assert.equal(again.body.name, "NameExistsError");
  const told = await Promise.all(
    [1, 3, 4].map(
      async (id) => (await request("/api/admin/notifications", { as: personal(id) })).body.length,
    ),
  );
  assert.deepEqual(told, [0, 0, 1], "members except its author");
});

test("events of a flag include its tags", async (t) => {
  const tags = [
    { type: "simple", value: "aa" },
    { type: "simple", value: "bb" },
  ];
  const world = createWorld().project("a").feature("f", "a", { tags: tags.toReversed() });
  const { request, db } = await openServer(t, world);
  const recorded = watchLog(db);
  await request(FLAG, { method: "DELETE" });
  assertRecorded(
    recorded(),
    ARCHIVED.map((event) => ({ ...event, tags })),
  );
});

test("archiving a child removes its dependencies, so that its parent can be archived", async (t) => {
  const { request, db } = await openServer(t, withFlag(createWorld()).feature("child", "a", dependent));
  const recorded = watchLog(db);
  const archive = (name: string) => request(`/api/admin/projects/a/features/${name}`, { method: "DELETE" });
  const replies = [await archive("f"), await archive("child"), await archive("f")];
  assert.deepEqual(
    replies.map(({ status }) => status),
    [403, 202, 202],
  );
  assertRecorded(recorded(), [...ARCHIVED.map((event) => ({ ...event, featureName: "child" })), ...ARCHIVED]);
});
