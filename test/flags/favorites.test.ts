import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const FLAG = "/api/admin/projects/a/features/f/favorites";
const PROJECT = "/api/admin/projects/a/favorites";

const given = (w: World) =>
  w
    .project("a")
    .project("b")
    .project("hidden", { mode: "private" })
    .feature("f", "a")
    .feature("gone", "a", { archivedAt: "2026-01-02T00:00:00Z" });

const NOT_FOUND: [number, string] = [404, "NotFoundError"];
const NO_ACCESS: [number, string] = [403, "NoAccessError"];

type Type = `${"feature" | "project"}-${"favorited" | "unfavorited"}`;

const ofFeature = (type: Type): Scenario[] => {
  const records = [{ type, project: null, featureName: "f", data: { feature: "f" }, preData: null }];
  return [
    { name: "a Viewer may", as: personal(3), given, records },
    { name: "an unneeded body", given, body: {}, records },
    {
      name: "an archived flag",
      url: FLAG.replace("/f/", "/gone/"),
      given,
      records: [{ type, featureName: "gone" }],
    },
    { name: "a service token has no favorites", as: SERVICE, given, expect: NO_ACCESS },
    { name: "an unknown flag", url: FLAG.replace("/f/", "/nope/"), given, expect: NOT_FOUND },
    { name: "a flag of another project", url: FLAG.replace("/a/", "/b/"), given, expect: NOT_FOUND },
    {
      name: "a private project",
      url: FLAG.replace("/a/", "/hidden/"),
      as: personal(2),
      given,
      expect: NO_ACCESS,
    },
  ];
};

scenarios(`POST ${FLAG}`, ofFeature("feature-favorited"));
scenarios(`DELETE ${FLAG}`, ofFeature("feature-unfavorited"));

const ofProject = (type: Type): Scenario[] => [
  {
    name: "a Viewer may",
    as: personal(3),
    given,
    records: [{ type, project: "a", featureName: null, data: { project: "a" }, preData: null }],
  },
  { name: "a service token has no favorites", as: SERVICE, given, expect: NO_ACCESS },
  { name: "an unknown project", url: PROJECT.replace("/a/", "/nope/"), given, expect: NOT_FOUND },
  {
    name: "a private project",
    url: PROJECT.replace("/a/", "/hidden/"),
    as: personal(2),
    given,
    expect: NO_ACCESS,
  },
];

scenarios(`POST ${PROJECT}`, ofProject("project-favorited"));
scenarios(`DELETE ${PROJECT}`, ofProject("project-unfavorited"));

test("favorites belong to the caller, and adding one twice is idempotent", async (t) => {
  const { request } = await openServer(t, given(createWorld()));
  const favorite = async (id: number) => {
    const { body } = await request("/api/admin/projects/a/features", { as: personal(id) });
    const projects = (await request("/api/admin/projects", { as: personal(id) })).body.projects;
    return [body.features[0].favorite, projects[0].favorite];
  };
  for (const url of [FLAG, FLAG, PROJECT, PROJECT]) await request(url, { method: "POST", as: personal(3) });
  assert.deepEqual(
    [await favorite(3), await favorite(4)],
    [
      [true, true],
      [false, false],
    ],
  );
  for (const url of [FLAG, PROJECT]) await request(url, { method: "DELETE", as: personal(3) });
  assert.deepEqual(await favorite(3), [false, false]);
});
