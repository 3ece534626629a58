import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

type Named = { name: string };
const names = (body: { features: Named[] }) => body.features.map(({ name }) => name);

const ROLLOUT = {
  id: "0b0c7a52-8f53-4c8a-9b3e-1d4b6a1f0001",
  name: "flexibleRollout",
  title: "Half",
  sortOrder: 2,
  segments: [2, 1],
  constraints: [{ operator: "IN", contextName: "userId", values: ["7"] }],
  variants: [{ name: "v", weight: 1000, weightType: "variable", stickiness: "default" }],
  parameters: { rollout: "50", groupId: "f" },
};

const withFeature = (w: World) =>
  w
    .project("a")
    .project("b", { environments: ["production"] })
    .add("segment", { id: 1, name: "one" })
    .add("segment", { id: 2, name: "two" })
    .feature("f", "a", {
      environments: [
        {
          name: "development",
          enabled: true,
          lastSeenAt: "2026-02-01T00:00:00Z",
          strategies: [
            ROLLOUT,
            { id: "z", name: "default", sortOrder: 1, disabled: true },
            { id: "y", name: "default", sortOrder: 1 },
          ],
        },
        { name: "production", lastSeenAt: "2026-03-01T00:00:00Z", variants: ROLLOUT.variants },
      ],
    });

const STRATEGIES = "/api/admin/projects/a/features/f/environments/development/strategies";
const notFound = (name: string, url: string, what: RegExp) => ({
  name,
  url,
  given: withFeature,
  expect: [404, "NotFoundError"] as [number, string],
  see: (body: { message: string }) => assert.match(body.message, what),
});

scenarios(`GET ${STRATEGIES}`, [
  { name: "a viewer without a role in the project", as: personal(3), given: withFeature },
  { name: "a service token", as: SERVICE, given: withFeature },
  {
    name: "a list by sortOrder, then id, each with every property, including defaults",
    given: withFeature,
    see: (body) => {
      assert.deepEqual(
        body.map((one: { id: string }) => one.id),
        ["y", "z", ROLLOUT.id],
      );
      assert.deepEqual(body[2], {
        ...ROLLOUT,
        featureName: "f",
        disabled: false,
        segments: [1, 2],
        constraints: [
          { contextName: "userId", operator: "IN", caseInsensitive: false, inverted: false, values: ["7"] },
        ],
      });
      assert.deepEqual([body[0].title, body[0].constraints, body[0].parameters], [null, [], {}]);
      assert.equal(body[1].disabled, true);
    },
  },
  {
    name: "an environment without stored state of the flag",
    url: STRATEGIES.replace("development", "production"),
    given: (w) => w.project("a").feature("f", "a"),
    see: (body) => assert.deepEqual(body, []),
  },
  {
    name: "an archived flag still works",
    given: (w) => w.project("a").feature("f", "a", { archivedAt: "2026-05-01T00:00:00Z" }),
    see: (body) => assert.deepEqual(body, []),
  },
  notFound("an unknown project", STRATEGIES.replace("/a/", "/nope/"), /project nope/),
  notFound("an unknown flag", STRATEGIES.replace("/f/", "/nope/"), /flag nope/),
  notFound(
    "a flag of another project",
    STRATEGIES.replace("/a/", "/b/").replace("development", "production"),
    /flag f/,
  ),
  notFound("an unknown environment", STRATEGIES.replace("development", "nope"), /environment nope/),
  notFound("another letter case", STRATEGIES.replace("/f/", "/F/"), /flag F/),
  {
    name: "an environment that is not in the project",
    url: "/api/admin/projects/b/features/g/environments/development/strategies",
    given: (w) => withFeature(w).feature("g", "b"),
    expect: [404, "NotFoundError"],
  },
]);

const FEATURES = "/api/admin/projects/a/features";

scenarios(`GET ${FEATURES}`, [
  ...(
    [
      ["?namePrefix=CART", ["cart-1", "Cart-2"]],
      ["?namePrefix=", ["Cart-2", "cart-1", "menu"]],
      ["?namePrefix=%25", []],
      ["?namePrefix=c_rt", []],
      ["?tag=simple:red", ["cart-1"]],
      ["?tag=simple:red&tag=simple:a:b", ["Cart-2", "cart-1"]],
      ["?tag[]=simple:red&tag=simple:none", ["cart-1"]],
      ["?tag=simple:red&namePrefix=menu", []],
      ["?archived=true&limit=1", ["Cart-2", "cart-1", "menu"]],
    ] as const
  ).map(([url, expected]) => ({
    name: `${url} lists the right flags`,
    url,
    given: (w: World) =>
      w
        .project("a")
        .feature("cart-1", "a", { tags: [{ type: "simple", value: "red" }] })
        .feature("Cart-2", "a", { tags: [{ type: "simple", value: "a:b" }] })
        .feature("menu", "a"),
    see: (body: { features: Array<{ name: string }> }) =>
      assert.deepEqual(names(body).toSorted(), [...expected].toSorted()),
  })),
  ...["?tag=simple", "?tag=:red", "?tag=simple:", "?tag=", "?namePrefix=a&namePrefix=b"].map((url) => ({
    name: `${url} is refused`,
    url,
    expect: [400, "ValidationError"] as [number, string],
  })),
  {
    name: "an unknown project is empty",
    see: (body) => assert.deepEqual(body, { version: 2, features: [] }),
  },
  {
    name: "an archived project is empty",
    given: (w) => w.project("a", { archivedAt: "2026-01-02T00:00:00Z" }).feature("f", "a"),
    see: (body) => assert.deepEqual(names(body), []),
  },
  {
    name: "live flags by code point",
    given: (w) =>
      ["b", "ä", "B", "a", "Z", "\u{1f600}", "\uff21"]
        .reduce((world, name) => world.feature(name, "a"), w.project("a").project("b"))
        .feature("other", "b")
        .feature("gone", "a", { archivedAt: "2026-01-02T00:00:00Z" }),
    see: (body) => assert.deepEqual(names(body), ["B", "Z", "a", "b", "ä", "\uff21", "\u{1f600}"]),
  },
  {
    name: "every property, environments in order, the latest time of them",
    given: (w) => withFeature(w),
    see: (body) =>
      assert.deepEqual(body.features, [
        {
          name: "f",
          type: "release",
          description: null,
          stale: false,
          favorite: false,
          impressionData: false,
          createdAt: "2026-01-01T00:00:00.000Z",
          lastSeenAt: "2026-03-01T00:00:00.000Z",
          environments: [
            {
              name: "development",
              type: "development",
              enabled: true,
              sortOrder: 1,
              variantCount: 0,
              lastSeenAt: "2026-02-01T00:00:00.000Z",
              hasStrategies: true,
              hasEnabledStrategies: true,
            },
            {
              name: "production",
              type: "production",
              enabled: false,
              sortOrder: 2,
              variantCount: 1,
              lastSeenAt: "2026-03-01T00:00:00.000Z",
              hasStrategies: false,
              hasEnabledStrategies: false,
            },
          ],
          tags: [],
        },
      ]),
  },
  {
    name: "tags by type, then value; the caller's own favorite",
    as: personal(3),
    given: (w) =>
      w
        .project("a")
        .add("tagType", { name: "aaa" })
        .feature("f", "a", {
          favoritedBy: [3],
          tags: [
            { type: "simple", value: "zz" },
            { type: "simple", value: "aa" },
            { type: "aaa", value: "mm" },
          ],
        }),
    see: ({ features: [feature] }) => {
      assert.equal(feature.favorite, true);
      assert.deepEqual(
        feature.tags.map((tag: { value: string }) => tag.value),
        ["mm", "aa", "zz"],
      );
    },
  },
  {
    name: "another user's favorite is not the caller's, and a service token has none",
    as: SERVICE,
    given: (w) => w.project("a").feature("f", "a", { favoritedBy: [3] }),
    see: ({ features: [feature] }) => assert.equal(feature.favorite, false),
  },
  {
    name: "an environment that is not in the project is omitted",
    given: (w) =>
      w.project("a", { environments: ["production"] }).feature("f", "a", {
        environments: [{ name: "development", enabled: true, lastSeenAt: "2026-01-02T00:00:00Z" }],
      }),
    see: ({ features: [feature] }) => {
      assert.deepEqual(
        feature.environments.map((one: Named) => one.name),
        ["production"],
      );
      assert.equal(feature.lastSeenAt, null);
    },
  },
]);

test("a private project's paths return 403 to others, with the reason", async (t) => {
  const world = createWorld().project("a", { mode: "private" }).feature("f", "a").member("a", 3);
  const { request } = await openServer(t, world);
  for (const path of [FEATURES, STRATEGIES, "/api/admin/personal-dashboard/a"]) {
    const reply = await request(path, { as: personal(2) });
    assert.deepEqual([reply.status, reply.body.name], [403, "NoAccessError"], path);
    assert.match(reply.body.message, /ADMIN/);
    for (const as of [personal(1), personal(3), SERVICE])
      assert.equal((await request(path, { as })).status, 200, path);
  }
});
