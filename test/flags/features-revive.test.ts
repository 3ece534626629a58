import assert from "node:assert/strict";
import { test } from "node:test";
import { permitted } from "../support/permitted.ts";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const ARCHIVED = { archivedAt: "2026-01-02T00:00:00.000Z" };

const given = (w: World) =>
  w
    .project("a")
    .project("old", ARCHIVED)
    .project("hidden", { mode: "private" })
    .feature("f", "a", ARCHIVED)
    .feature("live", "a", { environments: [{ name: "production", enabled: true }] })
    .feature("older", "old", { archivedAt: "2026-01-01T00:00:00.000Z" })
    .feature("secret", "hidden", ARCHIVED);

const NOT_FOUND: [number, string] = [404, "NotFoundError"];
const NO_ACCESS: [number, string] = [403, "NoAccessError"];

const names =
  (...expected: string[]): NonNullable<Scenario["see"]> =>
  ({ features }) =>
    assert.deepEqual(
      features.map(({ name }: { name: string }) => name),
      expected,
    );

scenarios("GET /api/admin/archive/features", [
  { name: "all archived flags, the latest first", given, see: names("f", "secret", "older") },
  { name: "those of hidden projects are omitted", as: personal(3), given, see: names("f", "older") },
  { name: "none", see: names() },
  { name: "of a project", url: "/api/admin/archive/features/a", given, see: names("f") },
  { name: "of an archived project", url: "/api/admin/archive/features/old", given, see: names("older") },
  { name: "of an unknown project", url: "/api/admin/archive/features/nope", given, see: names() },
  {
    name: "of a private project",
    url: "/api/admin/archive/features/hidden",
    as: personal(2),
    given,
    expect: NO_ACCESS,
  },
  {
    name: "of a private project, for its members",
    url: "/api/admin/archive/features/hidden",
    as: personal(3),
    given: (w) => given(w).member("hidden", 3),
    see: names("secret"),
  },
]);

const revived = (featureName: string, project = "a") => [
  { type: "feature-revived", project, featureName, environment: null, data: null, preData: null } as const,
];

scenarios("POST /api/admin/archive/revive/f", [
  ...permitted("UPDATE_FEATURE", { given, records: revived("f") }),
  {
    name: "one that is live already",
    url: "/api/admin/archive/revive/live",
    given,
    records: revived("live"),
  },
  { name: "one of an archived project", url: "/api/admin/archive/revive/older", given, expect: NOT_FOUND },
  { name: "an unknown flag", url: "/api/admin/archive/revive/nope", given, expect: NOT_FOUND },
  { name: "another letter case", url: "/api/admin/archive/revive/F", given, expect: NOT_FOUND },
  {
    name: "an unknown flag, for others",
    url: "/api/admin/archive/revive/nope",
    as: personal(3),
    given,
    expect: NO_ACCESS,
  },
  {
    name: "one of a private project",
    url: "/api/admin/archive/revive/secret",
    as: personal(2),
    given,
    expect: NO_ACCESS,
  },
  { name: "NUL in the path", url: "/api/admin/archive/revive/f%00", given, expect: [400, "ValidationError"] },
]);

scenarios("DELETE /api/admin/archive/f", [
  ...permitted("DELETE_FEATURE", {
    given,
    records: [
      {
        type: "feature-deleted",
        project: "a",
        featureName: "f",
        data: null,
        preData: { name: "f", archived: true, ...ARCHIVED },
      },
    ],
  }),
  {
    name: "the event has the tags",
    given: (w) =>
      given(w)
        .add("tag", { type: "simple", value: "red" })
        .feature("tagged", "a", { ...ARCHIVED, tags: [{ type: "simple", value: "red" }] }),
    url: "/api/admin/archive/tagged",
    records: [{ type: "feature-deleted", tags: [{ type: "simple", value: "red" }] }],
  },
  { name: "one that is live", url: "/api/admin/archive/live", given, expect: [409, "ConflictError"] },
  { name: "an unknown flag", url: "/api/admin/archive/nope", given, expect: NOT_FOUND },
  {
    name: "one of a private project",
    url: "/api/admin/archive/secret",
    as: personal(2),
    given,
    expect: NO_ACCESS,
  },
  {
    name: "one of an archived project",
    url: "/api/admin/archive/older",
    given,
    records: [{ type: "feature-deleted", project: "old" }],
  },
]);

test("a revived flag is disabled everywhere, has everything it had, and starts its lifecycle again", async (t) => {
  const world = createWorld()
    .project("a")
    .feature("f", "a", {
      ...ARCHIVED,
      stages: [{ stage: "archived", enteredAt: ARCHIVED.archivedAt }],
      environments: [{ name: "production", enabled: true, strategies: [{ name: "default" }] }],
    });
  const { request } = await openServer(t, world);
  await request("/api/admin/archive/revive/f", { method: "POST" });
  const { body } = await request("/api/admin/projects/a/features/f");
  const [, production] = body.environments;
  assert.deepEqual([production.enabled, production.strategies.length], [false, 1]);
  assert.equal(body.lifecycle.stage, "initial");
});

test("the name of a deleted flag is free again, and its events stay", async (t) => {
  const { request } = await openServer(t, given(createWorld()));
  await request("/api/admin/archive/f", { method: "DELETE" });
  const again = await request("/api/admin/projects/a/features", { method: "POST", body: { name: "f" } });
  assert.equal(again.status, 201);
  const { body } = await request("/api/admin/events/search", { method: "POST", body: { feature: "f" } });
  assert.deepEqual(
    body.events.map(({ type }: { type: string }) => type),
    ["feature-created", "feature-deleted"],
  );
});

test("of two concurrent deletions of a flag, one succeeds", async (t) => {
  const { request } = await openServer(t, given(createWorld()));
  const replies = await Promise.all([1, 2].map(() => request("/api/admin/archive/f", { method: "DELETE" })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404]);
});
