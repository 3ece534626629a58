import assert from "node:assert/strict";
import { badBodies, withCustomRole } from "../support/bad-bodies.ts";
import { scenarios } from "../support/server.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

const withDefault = (w: World) => w.project("default").project("secret", { mode: "private" });

/** Gives user 3 a custom role in the project `a`. */
const withRole = withCustomRole(
  (w) => w.project("a"),
  { name: "CREATE_FEATURE" },
  { name: "UPDATE_FEATURE_ENVIRONMENT", environment: "production" },
  { name: "ADMIN" },
  { name: "DELETE_FEATURE", environment: "production" },
);

type Held = { permission: string; project?: string; environment?: string };

scenarios("GET /api/admin/user", [
  {
    name: "an Admin",
    see: ({ user, ...rest }) => {
      assert.deepEqual(rest, { permissions: [{ permission: "ADMIN" }], feedback: [], splash: {} });
      assert.deepEqual([user.id, user.username, "rootRole" in user], [1, "admin", false]);
    },
  },
  {
    name: "a service token, without its secret",
    as: SERVICE,
    see: ({ user, permissions }, { text }) => {
      assert.deepEqual(permissions, [{ permission: "ADMIN" }]);
      assert.deepEqual([user.isAPI, user.username], [true, "the admin token"]);
      assert.ok(!text.includes(SERVICE));
    },
  },
  { name: "a Viewer holds nothing", as: personal(3), see: (body) => assert.deepEqual(body.permissions, []) },
  {
    name: "an Editor has project permissions in the default project, in each of its environments",
    as: personal(2),
    given: withDefault,
    see: ({ permissions }: { permissions: Held[] }) => {
      const of = (name: string) => permissions.filter(({ permission }) => permission === name);
      assert.deepEqual(of("CREATE_SEGMENT"), [{ permission: "CREATE_SEGMENT" }]);
      assert.deepEqual(of("CREATE_FEATURE"), [{ permission: "CREATE_FEATURE", project: "default" }]);
      assert.deepEqual(
        of("UPDATE_FEATURE_ENVIRONMENT").map(({ environment }) => environment),
        ["development", "production"],
      );
    },
  },
  {
    name: "a custom role, in one environment and in all",
    as: personal(3),
    given: withRole,
    // A role in a project gives no root permissions, and project permissions are not tied to an environment.
    see: ({ permissions }) =>
      assert.deepEqual(permissions, [
        { project: "a", permission: "CREATE_FEATURE" },
        { project: "a", environment: "production", permission: "UPDATE_FEATURE_ENVIRONMENT" },
      ]),
  },
]);

scenarios("GET /api/admin/user/profile", [
  { name: "a service token has no user", as: SERVICE, expect: [403, "NoAccessError"] },
  {
    name: "projects with a role, and the default one; never a hidden or an archived one",
    as: personal(3),
    given: (w) =>
      withDefault(w)
        .project("mine", { mode: "private" })
        .member("mine", 3)
        .project("gone", { archivedAt: "2026-01-01T00:00:00.000Z" })
        .member("gone", 3),
    see: (body) => {
      assert.deepEqual([body.projects, body.features], [["default", "mine"], []]);
      assert.deepEqual([body.rootRole.id, body.rootRole.type], [3, "root"]);
    },
  },
]);

scenarios("GET /api/admin/user/roles", [
  { name: "a service token has no user", url: "?projectId=a", as: SERVICE, expect: [403, "NoAccessError"] },
  { name: "no project", expect: [400, "ValidationError"] },
  {
    name: "the root role, and those in the project",
    url: "?projectId=a",
    as: personal(3),
    given: (w) => w.project("a").group("crew", [3]).groupMember("a", 1, 4).member("a", 3),
    see: ({ roles }) =>
      assert.deepEqual(
        roles.map(({ id, project }: { id: number; project: string }) => [id, project]),
        [
          [3, "default"],
          [4, "a"],
          [5, "a"],
        ],
      ),
  },
]);

const FEEDBACK = { feedbackId: "f1", neverShow: true };

scenarios("POST /api/admin/feedback", [
  { name: "a service token has no user", as: SERVICE, body: FEEDBACK, expect: [403, "NoAccessError"] },
  {
    name: "it is stored",
    as: personal(3),
    body: FEEDBACK,
    see: ({ given, ...rest }) => {
      assert.deepEqual(rest, { userId: 3, ...FEEDBACK });
      assert.ok(Date.parse(given) > Date.now() - 60_000);
    },
  },
  {
    name: "neverShow is false",
    body: { feedbackId: "f" },
    see: (body) => assert.equal(body.neverShow, false),
  },
  ...badBodies({}, [
    ["no id", {}, "body.feedbackId"],
    ["an empty id", { feedbackId: "" }, "body.feedbackId"],
    ["text for neverShow", { feedbackId: "f", neverShow: "yes" }, "body.neverShow"],
  ]),
]);

scenarios("PUT /api/admin/feedback/f1", [
  {
    name: "it is updated, or created",
    body: { neverShow: true, given: "2026-01-01T00:00:00Z" },
    see: (body) =>
      assert.deepEqual(body, {
        userId: 1,
        feedbackId: "f1",
        neverShow: true,
        given: "2026-01-01T00:00:00.000Z",
      }),
  },
  { name: "without a time", body: {}, see: ({ given }) => assert.equal(given, null) },
  ...badBodies({}, [["no time", { given: "soon" }, "body.given"]]),
]);

scenarios("POST /api/admin/splash/hello", [
  { name: "a service token has no user", as: SERVICE, expect: [403, "NoAccessError"] },
  {
    name: "it is stored",
    as: personal(3),
    see: (body) => assert.deepEqual(body, { userId: 3, splashId: "hello", seen: true }),
  },
]);
