import assert from "node:assert/strict";
import { badBodies } from "../support/bad-bodies.ts";
import { permitted } from "../support/permitted.ts";
import { type Scenario, scenarios } from "../support/server.ts";
import { personal, type World } from "../support/world.ts";

const PROJECT = "/api/admin/projects/a";
const ARCHIVED = { archivedAt: "2026-01-02T00:00:00.000Z" };

const given = (w: World) =>
  w
    .project("a")
    .project("b")
    .project("hidden", { mode: "private" })
    .feature("f", "a")
    .feature("g", "a", { stale: true })
    .feature("gone", "a", ARCHIVED)
    .feature("away", "a", ARCHIVED)
    .feature("other", "b")
    .feature("parent", "a")
    .feature("child", "a", { dependencies: [{ feature: "parent" }] });

type Type = "feature-archived" | "feature-dependencies-removed" | "feature-revived" | "feature-deleted";
const of = (featureName: string, ...types: Array<Type | "feature-stale-on" | "feature-stale-off">) =>
  types.map((type) => ({ type, project: "a", featureName, data: null }));
const archived = (...names: string[]) =>
  names.flatMap((name) => of(name, "feature-dependencies-removed", "feature-archived"));

/** What all of them have in common; `rest` completes the body. */
const common = (rest: object = {}): Scenario[] => [
  ...badBodies({ given }, [
    ["no names", { ...rest }, "body.features"],
    ["null", { ...rest, features: null }, "body.features"],
    ["one name", { ...rest, features: "f" }, "body.features"],
    ["a name that is an object", { ...rest, features: ["f", {}] }, "body.features.1"],
    ["1001 names", { ...rest, features: Array(1001).fill("f") }, "body.features"],
    ["NUL in a name", { ...rest, features: ["f\0"] }, "body.0"],
  ]),
  {
    name: "every name a list",
    given,
    body: { ...rest, features: Array(200_000).fill([]) },
    expect: [400, "ValidationError"],
    see: ({ details }) => assert.equal(details.length, 100),
  },
  { name: "an empty list", given, body: { ...rest, features: [] } },
  {
    name: "unknown names",
    given,
    body: `{${JSON.stringify(rest).slice(1, -1)}${Object.keys(rest).length ? "," : ""}"features":["nope","","F","\\ud800"]}`,
  },
  {
    name: "a private project",
    url: "/api/admin/projects/hidden/archive",
    as: personal(2),
    given,
    body: { ...rest, features: [] },
    expect: [403, "NoAccessError"],
  },
];

const elsewhere = (rest: object = {}): Scenario => ({
  name: "a flag of another project, and nothing is done to the others",
  given,
  body: { ...rest, features: ["f", "g", "gone", "other"] },
  expect: [403, "InvalidOperationError"],
  see: ({ message }) => assert.match(message, /other/),
});

const with202 = (list: Scenario[]) => list.map((one) => ({ expect: 202, ...one }));

scenarios(`POST ${PROJECT}/archive`, [
  ...permitted("DELETE_FEATURE", { given, body: { features: ["f"] }, expect: 202, records: archived("f") }),
  ...with202([
    ...common(),
    elsewhere(),
    { name: "several, each once", given, body: { features: ["g", "f", "g"] }, records: archived("g", "f") },
    { name: "one that is archived", given, body: { features: ["gone"] }, records: archived("gone") },
    {
      name: "a parent and then its child",
      given,
      body: { features: ["parent", "child"] },
      records: archived("parent", "child"),
    },
    {
      name: "a child and then its parent",
      given,
      body: { features: ["child", "parent"] },
      records: archived("child", "parent"),
    },
    {
      name: "a parent without its child, and nothing is done to the others",
      given,
      body: { features: ["f", "parent"] },
      expect: [403, "InvalidOperationError"],
      see: ({ message }) => assert.match(message, /child/),
    },
  ]),
]);

scenarios(`POST ${PROJECT}/revive`, [
  ...permitted("UPDATE_FEATURE", {
    given,
    body: { features: ["gone"] },
    records: of("gone", "feature-revived"),
  }),
  ...common(),
  elsewhere(),
  {
    name: "live ones are skipped",
    given,
    body: { features: ["f", "gone", "away", "gone"] },
    records: [...of("gone", "feature-revived"), ...of("away", "feature-revived")],
  },
  {
    name: "an archived project",
    given: (w) =>
      w.project("a", ARCHIVED).project("hidden", { mode: "private" }).feature("gone", "a", ARCHIVED),
    body: { features: ["gone"] },
    expect: [404, "NotFoundError"],
  },
  {
    name: "more than the project's limit, and none is revived",
    given: (w) =>
      w.project("a", { featureLimit: 1 }).feature("gone", "a", ARCHIVED).feature("away", "a", ARCHIVED),
    body: { features: ["gone", "away"] },
    expect: [403, "InvalidOperationError"],
  },
]);

scenarios(`POST ${PROJECT}/delete`, [
  ...permitted("DELETE_FEATURE", {
    given,
    body: { features: ["gone"] },
    records: of("gone", "feature-deleted"),
  }),
  ...common(),
  elsewhere(),
  {
    name: "live ones are skipped",
    given,
    body: { features: ["gone", "f", "away", "gone"] },
    records: [
      { type: "feature-deleted", featureName: "gone", data: null, preData: { name: "gone", archived: true } },
      { type: "feature-deleted", featureName: "away" },
    ],
  },
]);

scenarios(`POST ${PROJECT}/stale`, [
  ...permitted("UPDATE_FEATURE", {
    given,
    body: { features: ["f"], stale: true },
    expect: 202,
    records: of("f", "feature-stale-on"),
  }),
  ...with202([
    ...common({ stale: true }),
    elsewhere({ stale: false }),
    {
      name: "those that are stale already are skipped",
      given,
      body: { features: ["f", "g", "f"], stale: true },
      records: of("f", "feature-stale-on"),
    },
    {
      name: "no longer stale",
      given,
      body: { features: ["f", "g"], stale: false },
      records: of("g", "feature-stale-off"),
    },
  ]),
  ...badBodies({ given }, [
    ["no stale", { features: ["f"] }, "body.stale"],
    ["text for stale", { features: ["f"], stale: "yes" }, "body.stale"],
  ]),
]);

const check = (name: string, features: string[], parents: string[], hasDeleted: boolean): Scenario => ({
  name,
  given,
  body: { features },
  see: (body) =>
    assert.deepEqual(body, { parentsWithChildFeatures: parents, hasDeletedDependencies: hasDeleted }),
});

scenarios(`POST ${PROJECT}/archive/validate`, [
  ...permitted("DELETE_FEATURE", { given, body: { features: ["f"] } }),
  ...common(),
  check("no obstacle", ["f"], [], false),
  check("a parent", ["f", "parent"], ["parent"], true),
  check("a child", ["child"], [], true),
  check("both", ["parent", "child"], [], true),
  check("flags of another project are ignored", ["other"], [], false),
]);
