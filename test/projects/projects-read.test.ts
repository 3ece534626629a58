import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const PROJECT = "/api/admin/projects/a";
const ARCHIVED = { archivedAt: "2026-01-02T00:00:00.000Z" };
const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** One flag in good health, one stale, one too old, and one archived. */
const given = (w: World) =>
  w
    .project("a", { description: "d", featureLimit: 9, featureNaming: { pattern: "[a-z]+" } })
    .project("empty", { environments: [] })
    .project("old", ARCHIVED)
    .project("hidden", { mode: "private" })
    .member("a", 3)
    .group("g", [3, 4])
    .groupMember("a", 1, 4)
    .feature("fresh", "a", { createdAt: ago(3.5), createdByUserId: 3, favoritedBy: [1] })
    .feature("stale", "a", { createdAt: ago(35), stale: true, type: "permission" })
    .feature("aged", "a", { createdAt: ago(50) })
    .feature("gone", "a", { createdAt: ago(100), archivedAt: ago(2), createdByUserId: 2 })
    .feature("secret", "hidden");

const health = { potentiallyStaleCount: 1, activeCount: 1, staleCount: 1 };
const basics = {
  name: "a",
  description: "d",
  mode: "open",
  featureLimit: 9,
  featureNaming: { pattern: "[a-z]+", example: null, description: null },
  health: 33,
  technicalDebt: 67,
  favorite: false,
  members: 2,
  version: 1,
  environments: [{ environment: "development" }, { environment: "production" }],
};
const featureTypeCounts = [
  { type: "permission", count: 1 },
  { type: "release", count: 2 },
];

/** Access, the response for `a`, and errors for missing projects. */
const reads = (path: string, see: NonNullable<Scenario["see"]>, unknown: unknown): Scenario[] => [
  { name: `${path}: a Viewer may`, url: PROJECT + path, as: personal(3), given, see },
  { name: `${path}: a service token may`, url: PROJECT + path, as: SERVICE, given, see },
  { name: `${path}: an empty project`, url: `/api/admin/projects/empty${path}`, given },
  { name: `${path}: an archived project`, url: `/api/admin/projects/old${path}`, given },
  {
    name: `${path}: a private project`,
    url: `/api/admin/projects/hidden${path}`,
    as: personal(3),
    given,
    expect: [403, "NoAccessError"],
  },
  {
    name: `${path}: an unknown project`,
    url: `/api/admin/projects/nope${path}`,
    given,
    ...(unknown === 404
      ? { expect: [404, "NotFoundError"] }
      : { see: (body) => assert.deepEqual(body, unknown) }),
  },
];

const names = (features: Array<{ name: string }>) => features.map(({ name }) => name);

scenarios(`GET ${PROJECT}`, [
  ...reads(
    "",
    (body) => {
      assert.partialDeepStrictEqual(body, basics);
      assert.deepEqual(names(body.features), ["aged", "fresh", "stale"]);
    },
    404,
  ),
  ...reads(
    "/overview",
    (body) =>
      assert.partialDeepStrictEqual(body, {
        ...basics,
        featureTypeCounts,
        onboardingStatus: { status: "first-flag-created", feature: "aged" },
      }),
    404,
  ),
  ...reads("/health-report", (body) => assert.partialDeepStrictEqual(body, { ...basics, ...health }), 404),
  ...reads(
    "/insights",
    (body) =>
      assert.partialDeepStrictEqual(body, {
        stats: {
          createdCurrentWindow: 1,
          createdPastWindow: 2,
          archivedCurrentWindow: 1,
          archivedPastWindow: 0,
        },
        featureTypeCounts,
        health: { ...health, rating: 33 },
        technicalDebt: { ...health, rating: 67 },
        leadTime: { features: [], projectAverage: 0 },
        members: { currentMembers: 2, change: 0 },
      }),
    404,
  ),
  ...reads("/dora", (body) => assert.deepEqual(body, { features: [], projectAverage: 0 }), {
    features: [],
    projectAverage: 0,
  }),
  ...reads(
    "/flag-creators",
    (body) =>
      assert.deepEqual(body, [
        { id: 3, name: "Vic Viewer" },
        { id: 1, name: "admin" },
      ]),
    [],
  ),
]);

test("the lead time is from a flag's creation to its first time in production", async (t) => {
  const enabled = (featureName: string, days: number, environment = "production") => ({
    type: "feature-environment-enabled",
    project: "a",
    featureName,
    environment,
    createdAt: ago(days),
  });
  const world = given(createWorld())
    .event(enabled("aged", 400)) // an earlier flag of the same name
    .event(enabled("aged", 49, "development"))
    .event(enabled("aged", 48))
    .event(enabled("gone", 47))
    .event(enabled("aged", 10))
    .event(enabled("fresh", 2.5));
  const { request } = await openServer(t, world);
  const expected = {
    features: [
      { name: "aged", timeToProduction: 2 },
      { name: "fresh", timeToProduction: 1 },
    ],
    projectAverage: 1.5,
  };
  assert.deepEqual((await request(`${PROJECT}/dora`)).body, expected);
  const { body } = await request(`${PROJECT}/insights`);
  assert.deepEqual([body.leadTime, body.stats.avgTimeToProdCurrentWindow], [expected, 1.5]);
  assert.equal(body.stats.projectActivityPastWindow + body.stats.projectActivityCurrentWindow, 5);
});
