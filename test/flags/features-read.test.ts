import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const FLAG = "/api/admin/projects/a/features/f";
const VARIANT = { name: "v", weight: 1000, weightType: "variable", stickiness: "default" };
const NOT_FOUND: [number, string] = [404, "NotFoundError"];

const withFlag = (w: World) =>
  w
    .add("segment", { id: 1, name: "one" })
    .add("segment", { id: 2, name: "two" })
    .project("a")
    .project("b")
    .project("hidden", { mode: "private" })
    .feature("parent", "a")
    .feature("f", "a", {
      createdByUserId: 3,
      description: "D",
      favoritedBy: [3],
      dependencies: [{ feature: "parent", enabled: false }],
      environments: [
        {
          name: "production",
          enabled: true,
          lastSeenAt: "2026-02-01T00:00:00Z",
          variants: [VARIANT],
          strategies: [
            { id: "t", name: "default", sortOrder: 2, disabled: true, title: "T" },
            {
              id: "s",
              name: "flexibleRollout",
              sortOrder: 1.5,
              segments: [2, 1],
              parameters: { rollout: "5" },
            },
          ],
        },
      ],
    })
    .feature("child", "a", { dependencies: [{ feature: "f", variants: ["v"] }] })
    .feature("gone", "a", { archivedAt: "2026-01-02T00:00:00Z", dependencies: [{ feature: "f" }] })
    .event({ project: "a", featureName: "f", createdByUserId: 3, createdBy: "Vic Viewer" })
    .event({ project: "a", featureName: "f", createdByUserId: 1 })
    .event({ project: "a", featureName: "f", createdByUserId: 99, createdBy: "gone" });

const sees = (name: string, see: Scenario["see"], rest: Partial<Scenario> = {}): Scenario => ({
  name,
  given: withFlag,
  ...(see && { see }),
  ...rest,
});

scenarios(`GET ${FLAG}`, [
  sees("a Viewer who has it as a favorite", (body) => assert.equal(body.favorite, true), { as: personal(3) }),
  sees("an Admin who has not", (body) => assert.equal(body.favorite, false)),
  sees("a service token, which has none", (body) => assert.equal(body.favorite, false), { as: SERVICE }),
  {
    name: "every property",
    given: withFlag,
    see: ({ environments, createdBy, collaborators, ...flag }) => {
      assert.deepEqual(flag, {
        name: "f",
        description: "D",
        type: "release",
        project: "a",
        stale: false,
        impressionData: false,
        createdAt: "2026-01-01T00:00:00.000Z",
        lastSeenAt: "2026-02-01T00:00:00.000Z",
        archived: false,
        favorite: false,
        variants: [VARIANT],
        dependencies: [{ feature: "parent", enabled: false, variants: [] }],
        children: ["child"],
        links: [],
      });
      const names = (people: Array<{ name: string }>) => people.map(({ name }) => name);
      assert.deepEqual(names([createdBy]), ["Vic Viewer"]);
      assert.deepEqual(
        names(collaborators.users),
        ["user 99", "admin", "Vic Viewer"],
        "the latest author comes first",
      );
      const untouched = { yes: 0, no: 0 };
      assert.deepEqual(environments, [
        {
          name: "development",
          type: "development",
          sortOrder: 1,
          enabled: false,
          lastSeenAt: null,
          strategies: [],
          ...untouched,
        },
        {
          name: "production",
          type: "production",
          sortOrder: 2,
          enabled: true,
          lastSeenAt: "2026-02-01T00:00:00.000Z",
          ...untouched,
          strategies: [
            {
              id: "s",
              name: "flexibleRollout",
              title: "",
              disabled: false,
              sortOrder: 1.5,
              segments: [1, 2],
              constraints: [],
              variants: [],
              parameters: { rollout: "5" },
            },
            {
              id: "t",
              name: "default",
              title: "T",
              disabled: true,
              sortOrder: 2,
              segments: [],
              constraints: [],
              variants: [],
              parameters: {},
            },
          ],
        },
      ]);
    },
  },
  sees(
    "the variants of each environment, if requested",
    ({ environments }) =>
      assert.deepEqual(
        environments.map((one: { variants: unknown }) => one.variants),
        [[], [VARIANT]],
      ),
    { url: "?variantEnvironments=true" },
  ),
  sees(
    "and not, if not",
    ({ environments }) => assert.ok(environments.every((one: object) => !("variants" in one))),
    { url: "?variantEnvironments=false" },
  ),
  {
    name: "neither",
    given: withFlag,
    url: "?variantEnvironments=yes",
    expect: [400, "ValidationError"],
    see: ({ message }) => assert.match(message, /^query\.variantEnvironments: /),
  },
  sees(
    "what its dependency requires of the parent",
    ({ dependencies }) => assert.deepEqual(dependencies, [{ feature: "f", enabled: true, variants: ["v"] }]),
    { url: FLAG.replace(/f$/, "child") },
  ),
  ...[
    ["an unknown flag", FLAG.replace(/f$/, "nope")],
    ["another letter case", FLAG.replace(/f$/, "F")],
    ["an archived flag", FLAG.replace(/f$/, "gone")],
    ["a flag of another project", FLAG.replace("/a/", "/b/")],
    ["an unknown project", FLAG.replace("/a/", "/nope/")],
  ].map(([name = "", url = ""]): Scenario => ({ name, given: withFlag, url, expect: NOT_FOUND })),
  {
    name: "a private project",
    given: withFlag,
    as: personal(3),
    url: FLAG.replace("/a/", "/hidden/"),
    expect: [403, "NoAccessError"],
  },
]);

const EVENTS = "/api/admin/events/f";
const idsOf = ({ events }: { events: Array<{ id: number }> }) => events.map(({ id }) => id);
const withEvents = (w: World) =>
  w
    .project("a")
    .project("hidden", { mode: "private" })
    .event({ project: "a", featureName: "f" })
    .event({ project: "a", featureName: "g" })
    .event({ project: "hidden", featureName: "f" })
    .event({ project: "a", featureName: "F" })
    .event({ featureName: "f", type: "feature-favorited" })
    .event({ project: "gone", featureName: "f" });
const lists = (name: string, ids: number[], rest: Partial<Scenario> = {}): Scenario => ({
  name,
  given: withEvents,
  ...rest,
  see: (body) => {
    assert.deepEqual(idsOf(body), ids);
    assert.equal(body.totalEvents, ids.length);
  },
});

scenarios(`GET ${EVENTS}`, [
  lists("an Admin: all events of the flag, newest first, even if it is deleted", [6, 5, 3, 1]),
  lists("a service token", [6, 5, 3, 1], { as: SERVICE }),
  lists("a Viewer: except those of a private project", [6, 5, 1], { as: personal(3) }),
  lists("a member of the private project", [6, 5, 3, 1], {
    as: personal(3),
    given: (w) => withEvents(w).member("hidden", 3),
  }),
  lists("an unknown flag", [], { url: "/api/admin/events/nope" }),
  lists("names are case-sensitive", [4], { url: "/api/admin/events/F" }),
  {
    name: "its name is returned as requested",
    given: withEvents,
    url: "/api/admin/events/a%2F%22b",
    see: (body) => assert.deepEqual(body, { version: 1, toggleName: 'a/"b', events: [], totalEvents: 0 }),
  },
]);

test("a flag's response after each change", async (t) => {
  const { request } = await openServer(t, createWorld().project("a").member("a", 2));
  const flags = "/api/admin/projects/a/features";
  await request(flags, { method: "POST", body: { name: "f" } });
  await request(`${flags}/f/environments/development/on`, { method: "POST", as: personal(2) });
  const { body } = await request(`${flags}/f`);
  assert.deepEqual(
    body.environments.map((one: { enabled: boolean; strategies: unknown[] }) => [
      one.enabled,
      one.strategies.length,
    ]),
    [
      [true, 1],
      [false, 0],
    ],
  );
  assert.deepEqual(
    body.collaborators.users.map(({ id }: { id: number }) => id),
    [2, 1],
  );
  const events = (await request(EVENTS)).body;
  assert.deepEqual(
    events.events.map(({ type }: { type: string }) => type),
    ["feature-environment-enabled", "feature-strategy-add", "feature-created"],
  );
});
