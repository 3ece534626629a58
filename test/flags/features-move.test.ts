import assert from "node:assert/strict";
import { badBodies, withCustomRole } from "../support/bad-bodies.ts";
import { type Scenario, scenarios } from "../support/server.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

const MOVE = "/api/admin/projects/a/features/f/changeProject";
const ARCHIVED = { archivedAt: "2026-01-02T00:00:00.000Z" };

const given = (w: World) =>
  w
    .project("a")
    .project("b", { environments: ["production"] })
    .project("old", ARCHIVED)
    .project("hidden", { mode: "private" })
    .project("full", { featureLimit: 1 })
    .feature("f", "a", { environments: [{ name: "development" }, { name: "production", enabled: true }] })
    .feature("gone", "a", ARCHIVED)
    .feature("other", "full");

const body = { newProjectId: "b" };

const moved = (name: string, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  given,
  body,
  records: [
    {
      type: "feature-project-change",
      project: "b",
      featureName: "f",
      data: { oldProject: "a", newProject: "b" },
      preData: null,
    },
  ],
  ...rest,
});
const refused = (name: string, error: string, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  given,
  body,
  expect: [error === "NotFoundError" ? 404 : 403, error],
  ...rest,
});

/** User 3 with these roles in the two projects. */
const withRoles = (old: number, other: number) => (w: World) =>
  given(w).member("a", 3, old).member("b", 3, other);

scenarios(`POST ${MOVE}`, [
  moved("an Admin may"),
  moved("a service token may", { as: SERVICE }),
  moved("an Owner of both may", { as: personal(3), given: withRoles(4, 4) }),
  refused("an Owner of only one of the projects", "NoAccessError", {
    as: personal(3),
    given: (w) => given(w).member("a", 3, 4),
  }),
  refused("an Owner who is a Member of the target", "NoAccessError", {
    as: personal(3),
    given: withRoles(4, 5),
  }),
  refused("a Member who is an Owner of the target", "NoAccessError", {
    as: personal(3),
    given: withRoles(5, 4),
  }),
  refused("MOVE_FEATURE_TOGGLE in only one of the projects", "NoAccessError", {
    as: personal(3),
    given: withCustomRole(given, { name: "MOVE_FEATURE_TOGGLE" }),
  }),
  refused("a private project is closed to others", "NoAccessError", {
    as: personal(3),
    given: (w) => given(w).member("a", 3, 4),
    body: { newProjectId: "hidden" },
    see: ({ message }) => assert.match(message, /^This belongs to a private project/),
  }),
  ...badBodies({ given }, [
    ["no project", {}, "body.newProjectId"],
    ["a project that is null", { newProjectId: null }, "body.newProjectId"],
    ["a project that is an object", { newProjectId: {} }, "body.newProjectId"],
  ]),
  refused("an unknown project", "NotFoundError", { body: { newProjectId: "nope" } }),
  refused("a lone surrogate", "NotFoundError", { body: `{"newProjectId":"\\ud800"}` }),
  refused("an archived project", "NotFoundError", { body: { newProjectId: "old" } }),
  refused("an unknown flag", "NotFoundError", { url: MOVE.replace("/f/", "/g/") }),
  refused("a flag of another project", "NotFoundError", { url: MOVE.replace("/a/", "/full/") }),
  refused("an archived flag", "NotFoundError", { url: MOVE.replace("/f/", "/gone/") }),
  moved("to the same project", { body: { newProjectId: "a" }, records: [] }),
  moved("the target may lack an environment in which the flag is disabled"),
  refused("but not one in which it is enabled", "IncompatibleProjectError", {
    given: (w) => given(w).feature("on", "a", { environments: [{ name: "development", enabled: true }] }),
    url: MOVE.replace("/f/", "/on/"),
    see: ({ message }) => assert.match(message, /development/),
  }),
  refused("a full project", "InvalidOperationError", {
    body: { newProjectId: "full" },
  }),
  refused("a flag that depends on another", "InvalidOperationError", {
    given: (w) => given(w).feature("child", "a", { dependencies: [{ feature: "f" }] }),
    url: MOVE.replace("/f/", "/child/"),
  }),
  refused("a flag that others depend on", "InvalidOperationError", {
    given: (w) => given(w).feature("child", "a", { dependencies: [{ feature: "f" }] }),
  }),
  refused("a flag that uses a segment of its project", "InvalidOperationError", {
    given: (w) =>
      given(w)
        .add("segment", { id: 1, name: "ours", project: "a" })
        .feature("segmented", "a", {
          environments: [{ name: "production", strategies: [{ name: "default", segments: [1] }] }],
        }),
    url: MOVE.replace("/f/", "/segmented/"),
    see: ({ message }) => assert.match(message, /ours/),
  }),
]);
