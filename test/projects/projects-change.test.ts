import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies } from "../support/bad-bodies.ts";
import { permitted } from "../support/permitted.ts";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const PROJECT = "/api/admin/projects/a";
const ARCHIVED = { archivedAt: "2026-01-02T00:00:00.000Z" };

const given = (w: World) =>
  w
    .project("a", { description: "first", defaultStickiness: "userId" })
    .project("default")
    .project("hidden", { mode: "private" })
    .project("old", ARCHIVED)
    .project("full")
    .feature("gone", "a", ARCHIVED)
    .feature("f", "full");

const NOT_FOUND: [number, string] = [404, "NotFoundError"];
const REFUSED: [number, string] = [403, "InvalidOperationError"];

const updated = (data: Record<string, unknown>, preData: Record<string, unknown> = {}) =>
  [{ type: "project-updated", project: "a", environment: null, data, preData }] as const;

const elsewhere = (path: string, body: object): Scenario[] => [
  { name: "an unknown project", url: `/api/admin/projects/nope${path}`, given, body, expect: NOT_FOUND },
  {
    name: "a private project",
    url: `/api/admin/projects/hidden${path}`,
    as: personal(2),
    given,
    body,
    expect: [403, "NoAccessError"],
  },
];

const BEFORE = {
  id: "a",
  name: "a",
  description: "first",
  mode: "open",
  defaultStickiness: "userId",
  featureLimit: null,
};
const NO_NAMING = { pattern: null, example: null, description: null };

scenarios(`PUT ${PROJECT}`, [
  ...permitted("UPDATE_PROJECT", {
    given,
    body: { name: "A" },
    records: updated({ ...BEFORE, name: "A" }, BEFORE),
  }),
  ...badBodies({ given }, [
    ["no name", {}, "body.name"],
    ["an empty name", { name: "" }, "body.name"],
    ["a blank name", { name: "  " }, "body.name"],
    ["a name that is an object", { name: {} }, "body.name"],
    ["a lone surrogate", `{"name":"\\ud800"}`, "body.name"],
    ["a description that is an object", { name: "A", description: {} }, "body.description"],
    ["an unknown mode", { name: "A", mode: "secret" }, "body.mode"],
    ["an empty stickiness", { name: "A", defaultStickiness: "" }, "body.defaultStickiness"],
  ]),
  {
    name: "every property",
    given,
    body: { name: "A", description: "d", mode: "private", defaultStickiness: "random", id: "b" },
    records: updated(
      { id: "a", name: "A", description: "d", mode: "private", defaultStickiness: "random" },
      BEFORE,
    ),
  },
  {
    name: "no description",
    given,
    body: { name: "A", description: null },
    records: updated({ description: null }),
  },
  ...elsewhere("", { name: "A" }),
]);

const naming = { pattern: "[a-z]+", example: "abc", description: "words" };

scenarios(`PUT ${PROJECT}/settings`, [
  ...permitted("PROJECT_SETTINGS_WRITE", { given, body: {}, records: updated(BEFORE, BEFORE) }),
  ...badBodies({ given }, [
    ["an unknown mode", { mode: "secret" }, "body.mode"],
    ["a naming that is a list", { featureNaming: [] }, "body.featureNaming.pattern"],
    ["a naming without a pattern", { featureNaming: {} }, "body.featureNaming.pattern"],
    ["a pattern that is an object", { featureNaming: { pattern: {} } }, "body.featureNaming.pattern"],
    [
      "an example without a pattern",
      { featureNaming: { pattern: "", example: "a" } },
      "body.featureNaming.example",
    ],
    [
      "a description without a pattern",
      { featureNaming: { pattern: null, description: "a" } },
      "body.featureNaming.description",
    ],
    ["an invalid pattern", { featureNaming: { pattern: "(" } }, "body.featureNaming.pattern"],
    ["an unbalanced pattern", { featureNaming: { pattern: "a)(b" } }, "body.featureNaming.pattern"],
    ["an overlong pattern", { featureNaming: { pattern: "a".repeat(1001) } }, "body.featureNaming.pattern"],
    [
      "an example that does not match",
      { featureNaming: { pattern: "a", example: "ab" } },
      "body.featureNaming.example",
    ],
    [
      "an example that would backtrack forever",
      { featureNaming: { pattern: "(a+)+(?=b)b", example: "a".repeat(90) } },
      "body.featureNaming.pattern",
    ],
    [
      "a template without an address",
      { linkTemplates: [{ title: "a" }] },
      "body.linkTemplates.0.urlTemplate",
    ],
    [
      "a template of a script",
      { linkTemplates: [{ urlTemplate: "javascript:{{feature}}" }] },
      "body.linkTemplates.0.urlTemplate",
    ],
    [
      "more templates than a flag may have links",
      { linkTemplates: Array(11).fill({ urlTemplate: "https://a.example" }) },
      "body.linkTemplates",
    ],
    [
      "a description that is a number",
      { featureNaming: { pattern: null, description: 5 } },
      "body.featureNaming.description",
    ],
  ]),
  {
    name: "the naming pattern",
    given,
    body: { featureNaming: naming },
    records: updated({ featureNaming: naming }, { featureNaming: NO_NAMING }),
  },
  {
    name: "a pattern with unnecessary escapes",
    given,
    body: { featureNaming: { pattern: "a\\-b" } },
    records: updated({}),
  },
  {
    name: "without a pattern, and still private",
    given: (w) => w.project("a", { mode: "private", featureNaming: naming }),
    body: { featureNaming: { pattern: null } },
    records: updated({ mode: "private", featureNaming: NO_NAMING }, { featureNaming: naming }),
  },
  {
    name: "the mode alone",
    given: (w) => w.project("a", { featureNaming: naming }),
    body: { mode: "protected" },
    records: updated({ mode: "protected", featureNaming: naming }),
  },
  {
    name: "the links of new flags",
    given: (w) => w.project("a", { linkTemplates: [{ urlTemplate: "https://a.example" }] }),
    body: { linkTemplates: [{ urlTemplate: "b.example/{{feature}}", title: "B", extra: 1 }] },
    records: updated(
      { linkTemplates: [{ title: "B", urlTemplate: "b.example/{{feature}}" }] },
      { linkTemplates: [{ urlTemplate: "https://a.example" }] },
    ),
  },
  ...elsewhere("/settings", {}),
]);

type Type = "project-deleted" | "project-archived" | "project-revived";
const done = (type: Type, project = "a") => [
  ...(type === "project-deleted" && project === "a" ? [FLAG_DELETED] : []),
  { type, project, environment: null, data: null, preData: null },
];
const FLAG_DELETED = { type: "feature-deleted", project: "a", featureName: "gone" } as const;

const withMore = (w: World) =>
  given(w)
    .add("segment", { id: 1, name: "own", project: "a" })
    .add("segment", { id: 2, name: "global" })
    .add("token", {
      type: "client",
      name: "alone",
      hash: "1".repeat(64),
      projects: ["a"],
      environment: "production",
    })
    .add("token", {
      type: "client",
      name: "both",
      hash: "2".repeat(64),
      projects: ["a", "full"],
      environment: "production",
    })
    .add("token", { type: "client", name: "all", hash: "3".repeat(64), environment: "production" });

/** Archiving and deleting have the same preconditions. */
const emptied = (method: string, path: (id: string) => string, type: Type): Scenario[] =>
  [
    { name: "one with archived flags only", url: path("a"), records: done(type) },
    { name: "one that is archived", url: path("old"), records: done(type, "old") },
    {
      name: "one with a live flag",
      url: path("full"),
      expect: REFUSED,
      see: ({ message }: { message: string }) => assert.match(message, /such as f/),
    },
    { name: "the default project", url: path("default"), expect: REFUSED },
    { name: "an unknown project", url: path("nope"), expect: NOT_FOUND },
    {
      name: "a private project",
      url: path("hidden"),
      as: personal(2),
      expect: [403, "NoAccessError"] as [number, string],
    },
  ].map((one) => ({ ...one, method, given }));

scenarios(`DELETE ${PROJECT}`, [
  ...permitted("DELETE_PROJECT", { given, records: done("project-deleted") }),
  ...emptied("DELETE", (id) => `/api/admin/projects/${id}`, "project-deleted"),
  {
    name: "what belongs to it goes too: flags, segments, and tokens for it alone",
    given: withMore,
    records: [
      FLAG_DELETED,
      { type: "segment-deleted", project: "a", preData: { id: 1, name: "own" } },
      { type: "api-token-deleted", project: "a", preData: { tokenName: "alone", projects: ["a"] } },
      {
        type: "api-token-updated",
        project: "a,full",
        data: { tokenName: "both", projects: ["full"] },
        preData: { tokenName: "both", projects: ["a", "full"] },
      },
      { type: "project-deleted", project: "a" },
    ],
  },
]);

scenarios("POST /api/admin/projects/archive/a", [
  ...permitted("DELETE_PROJECT", { given, records: done("project-archived") }),
  ...emptied("POST", (id) => `/api/admin/projects/archive/${id}`, "project-archived"),
]);

scenarios("POST /api/admin/projects/revive/a", [
  ...permitted("DELETE_PROJECT", { given, records: done("project-revived") }),
  {
    name: "one that is archived",
    url: "/api/admin/projects/revive/old",
    given,
    records: done("project-revived", "old"),
  },
  { name: "an unknown project", url: "/api/admin/projects/revive/nope", given, expect: NOT_FOUND },
]);

test("deleting a project deletes its archived flags and roles, and keeps its events", async (t) => {
  const { request, db } = await openServer(t, given(createWorld()).member("a", 3, 4));
  await request(PROJECT, { method: "DELETE" });
  assert.equal((await request("/api/admin/archive/features")).body.features.length, 0);
  assert.deepEqual(db.pragma("foreign_key_check"), []);
  const { body } = await request("/api/admin/events?project=a");
  assert.deepEqual(
    body.events.map(({ type }: { type: string }) => type),
    ["project-deleted", "feature-deleted"],
  );
  assert.equal((await request(PROJECT)).status, 404);
  assert.equal(
    (await request("/api/admin/projects", { method: "POST", body: { id: "a", name: "a" } })).status,
    201,
  );
});

test("an archived project is listed separately, accepts no flags, and can be revived", async (t) => {
  const { request } = await openServer(t, createWorld().project("a"));
  const ids = async (query: string) =>
    (await request(`/api/admin/projects${query}`)).body.projects.map(({ id }: { id: string }) => id);
  const make = () => request(`${PROJECT}/features`, { method: "POST", body: { name: "f" } });
  await request("/api/admin/projects/archive/a", { method: "POST" });
  assert.deepEqual([await ids(""), await ids("?archived=true")], [[], ["a"]]);
  assert.equal((await make()).status, 404);
  await request("/api/admin/projects/revive/a", { method: "POST" });
  assert.deepEqual([await ids(""), await ids("?archived=true")], [["a"], []]);
  assert.equal((await make()).status, 201);
});
