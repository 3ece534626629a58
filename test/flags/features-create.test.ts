import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies, withCustomRole, withCustomRoot } from "../support/bad-bodies.ts";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const CREATE = "POST /api/admin/projects/a/features";
const body = { name: "f" };

const withProjects = (w: World) => w.project("a").project("default").project("hidden", { mode: "private" });
const inHidden = { url: "/api/admin/projects/hidden/features", body };
const inDefault = { url: "/api/admin/projects/default/features", body };

const made = (by: string, byId: number, project = "a") => [
  { type: "feature-created", project, featureName: "f", createdBy: by, createdByUserId: byId } as const,
];
const may = (name: string, rest: Partial<Scenario>): Scenario => ({
  name: `${name} may`,
  body,
  given: withProjects,
  expect: 201,
  ...rest,
});
const mayNot = (name: string, rest: Partial<Scenario>, missing = /CREATE_FEATURE/): Scenario => ({
  name: `${name} may not`,
  body,
  given: withProjects,
  expect: [403, "NoAccessError"],
  see: ({ message }) => assert.match(message, missing),
  ...rest,
});

scenarios(CREATE, [
  may("an Admin", { records: made("admin", 1) }),
  may("a service token", { as: SERVICE, records: made("the admin token", -42) }),
  may("an Editor in the default project", {
    as: personal(2),
    ...inDefault,
    records: made("edith@example.com", 2, "default"),
  }),
  mayNot("an Editor elsewhere", { as: personal(2) }),
  mayNot("a Viewer", { as: personal(3) }),
  mayNot("a Viewer in the default project", { as: personal(3), ...inDefault }),
  ...[4, 5].map((role) =>
    may(`a Viewer who is ${role === 4 ? "Owner" : "Member"}`, {
      as: personal(3),
      given: (w) => withProjects(w).member("a", 3, role),
      records: made("user3", 3),
    }),
  ),
  may("a Member through a group", {
    as: personal(3),
    given: (w) => withProjects(w).group("crew", [3]).groupMember("a", 1),
    records: made("user3", 3),
  }),
  mayNot("an Owner of another project", {
    as: personal(3),
    given: (w) => withProjects(w).member("default", 3, 4),
  }),
  may("a custom role with the permission", {
    as: personal(3),
    given: withCustomRole(withProjects, { name: "CREATE_FEATURE" }),
    records: made("user3", 3),
  }),
  mayNot("a custom role with others", {
    as: personal(3),
    given: withCustomRole(withProjects, { name: "UPDATE_FEATURE" }, { name: "DELETE_FEATURE" }),
  }),
  mayNot("a custom root role with the permission, outside the default project,", {
    as: personal(5),
    given: withCustomRoot(withProjects, { name: "CREATE_FEATURE" }),
  }),
  may("a custom root role with the permission, in the default project,", {
    as: personal(5),
    ...inDefault,
    given: withCustomRoot(withProjects, { name: "CREATE_FEATURE" }),
    records: made("user5", 5, "default"),
  }),
  mayNot("an Editor in a private project", { as: personal(2), ...inHidden }, /private/),
  may("a Member of a private project", {
    as: personal(3),
    ...inHidden,
    given: (w) => withProjects(w).member("hidden", 3),
    records: made("user3", 3, "hidden"),
  }),
  mayNot("a Viewer with an invalid body", { as: personal(3), body: {} }),
]);

const CREATED = {
  name: "f",
  description: null,
  type: "release",
  project: "a",
  stale: false,
  lastSeenAt: null,
  impressionData: false,
  archivedAt: null,
  archived: false,
};

const answers = (name: string, sent: object, differs: object = {}): Scenario => ({
  name,
  given: withProjects,
  body: { ...body, ...sent },
  expect: 201,
  records: [{ type: "feature-created", data: { ...CREATED, ...differs }, preData: null, environment: null }],
  see: ({ createdAt, ...rest }) => {
    assert.deepEqual(rest, { ...CREATED, ...differs });
    assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000);
  },
});

scenarios(CREATE, [
  answers("only a name", {}),
  answers(
    "every property",
    { type: "kill-switch", description: "All of it", stale: true, impressionData: true },
    { type: "kill-switch", description: "All of it", stale: true, impressionData: true },
  ),
  {
    name: "tags: a new one is created first, and the flag's event has them",
    given: (w) => withProjects(w).add("tag", { type: "simple", value: "red" }),
    body: {
      ...body,
      tags: ["red", "new", "red"].map((value) => ({ type: "simple", value })),
    },
    expect: 201,
    records: [
      { type: "tag-created", data: { type: "simple", value: "new" } },
      {
        type: "feature-created",
        tags: [
          { type: "simple", value: "new" },
          { type: "simple", value: "red" },
        ],
      },
    ],
  },
  answers("an empty description", { description: "" }),
  answers("a description that is null", { description: null }),
  answers("properties that a client can't set are ignored", {
    archived: true,
    project: "default",
    createdAt: "x",
  }),
  answers("every URL-friendly character", { name: "A-z_0.9~!*'()" }, { name: "A-z_0.9~!*'()" }),
  answers("a hundred characters", { name: "n".repeat(100) }, { name: "n".repeat(100) }),
  answers("a description in any script", { description: "é😀\n\t" }, { description: "é😀\n\t" }),
  ...badBodies({ given: withProjects }, [
    ["no name", {}, "body.name"],
    ["a name that is null", { name: null }, "body.name"],
    ["a name that is an object", { name: {} }, "body.name"],
    ["a name that is a list", { name: ["f"] }, "body.name"],
    ["an empty name", { name: "" }, "body.name"],
    ["a name of dots", { name: ".." }, "body.name"],
    ["a name with a slash", { name: "a/b" }, "body.name"],
    ["a name with a space", { name: "a b" }, "body.name"],
    ["a name with a letter that is not ASCII", { name: "é" }, "body.name"],
    ["a name with a percent sequence", { name: "%20" }, "body.name"],
    ["a name with NUL", { name: "a\0" }, "body.name"],
    ["a lone surrogate in the name", `{"name":"\\ud800"}`, "body.name"],
    ["a name of 101 characters", { name: "n".repeat(101) }, "body.name"],
    ["an unknown type", { ...body, type: "feature" }, "body.type"],
    ["a type in another letter case", { ...body, type: "Release" }, "body.type"],
    ["an empty type", { ...body, type: "" }, "body.type"],
    ["a description that is an object", { ...body, description: {} }, "body.description"],
    ["a description with NUL", { ...body, description: "\0" }, "body.description"],
    ["a description that is too long", { ...body, description: "x".repeat(65537) }, "body.description"],
    ["text for true", { ...body, stale: "yes" }, "body.stale"],
    ["an object for true", { ...body, impressionData: {} }, "body.impressionData"],
  ]),
  {
    name: "an unknown project",
    given: withProjects,
    url: "/api/admin/projects/nope/features",
    body,
    expect: [404, "NotFoundError"],
    see: ({ message }) => assert.match(message, /nope/),
  },
  {
    name: "a project in another letter case",
    given: withProjects,
    url: "/api/admin/projects/A/features",
    body,
    expect: [404, "NotFoundError"],
  },
  {
    name: "an archived project",
    given: (w) => w.project("a", { archivedAt: "2026-01-02T00:00:00Z" }),
    body,
    expect: [404, "NotFoundError"],
    see: ({ message }) => assert.match(message, /archived/),
  },
  ...(
    [
      ["in this project", (w: World) => w.feature("f", "a")],
      ["in another", (w: World) => w.feature("f", "default")],
      ["in a hidden one", (w: World) => w.feature("f", "hidden")],
      ["of an archived flag", (w: World) => w.feature("f", "a", { archivedAt: "2026-01-02T00:00:00Z" })],
    ] as const
  ).map(
    ([where, given]): Scenario => ({
      name: `a name that is taken ${where}`,
      given: (w) => given(withProjects(w).member("a", 3)),
      as: personal(3),
      body,
      expect: [409, "NameExistsError"],
    }),
  ),
  {
    ...answers("a name that is taken only in another letter case", {}),
    given: (w) => withProjects(w).feature("F", "a"),
  },
]);

test("of two concurrent requests, one creates the flag", async (t) => {
  const { request, db } = await openServer(t, withProjects(createWorld()));
  const recorded = watchLog(db);
  const one = (project: string) =>
    request(`/api/admin/projects/${project}/features`, { method: "POST", body });
  const replies = await Promise.all([one("a"), one("default"), one("a")]);
  const statuses = replies.map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), [201, 409, 409]);
  const winner = replies.find(({ status }) => status === 201)!.body;
  assertRecorded(recorded(), [{ type: "feature-created", project: winner.project, featureName: "f" }]);
});
