import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { command } from "../../src/db/statement.ts";
import { write } from "../../src/events/write.ts";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const SEARCH = "/api/admin/search/features";

type Body = { features: Array<{ name: string }>; total: number };
const namesOf = ({ features }: Body) => features.map(({ name }) => name);

const on = (name: string, line: object = {}) => ({ name, enabled: true, ...line });

/** Six live flags of two projects, created one per day in this order, and an archived one. */
const withFlags = (w: World) =>
  w
    .project("a")
    .project("b", { environments: ["production"] })
    .add("segment", { id: 1, name: "beta users" })
    .add("segment", { id: 2, name: "staff" })
    .feature("cart", "a", {
      createdAt: "2026-01-01T10:00:00Z",
      tags: [{ type: "simple", value: "red" }],
      favoritedBy: [3],
      environments: [on("development", { lastSeenAt: "2026-02-01T00:00:00Z" })],
    })
    .feature("Checkout", "a", {
      createdAt: "2026-01-02T10:00:00Z",
      type: "experiment",
      createdByUserId: 2,
      description: "The CART's last page",
      tags: [
        { type: "simple", value: "red" },
        { type: "simple", value: "a:b" },
      ],
      environments: [
        on("production", { strategies: [{ id: "s1", name: "default", segments: [1, 2] }] }),
        { name: "development", strategies: [{ id: "s2", name: "default", segments: [2], disabled: true }] },
      ],
    })
    .feature("menu", "b", {
      createdAt: "2026-01-03T10:00:00Z",
      stale: true,
      favoritedBy: [3],
      environments: [on("production", { strategies: [{ id: "s3", name: "default", segments: [1] }] })],
    })
    .feature("parent", "a", { createdAt: "2026-01-04T10:00:00Z", createdByUserId: null })
    .feature("child", "a", { createdAt: "2026-01-05T10:00:00Z", dependencies: [{ feature: "parent" }] })
    .feature("ÉTÉ_100%", "b", { createdAt: "2026-01-06T10:00:00Z", type: "kill-switch" })
    .feature("gone", "a", { createdAt: "2026-01-07T10:00:00Z", archivedAt: "2026-02-01T00:00:00Z" });

const BY_AGE = ["cart", "Checkout", "menu", "parent", "child", "ÉTÉ_100%"];

const lists = (url: string, names: readonly string[], total = names.length) => ({
  name: `${url || "nothing"} lists the right flags`,
  url,
  given: withFlags,
  as: personal(3),
  see: (body: Body) => assert.deepEqual([namesOf(body), body.total], [names, total]),
});

scenarios(`GET ${SEARCH}`, [
  { name: "a service token", as: SERVICE, given: withFlags, see: (body) => assert.equal(body.total, 6) },
  { name: "none", see: (body) => assert.deepEqual(body, { features: [], total: 0 }) },
  {
    name: "the most words that fit", // one condition each, of which SQLite accepts a thousand
    given: withFlags,
    url: `?query=${"§,".repeat(498)}cart`,
    see: (body) => assert.equal(body.total, 2),
  },
  {
    name: "every property, environments and the rest in order",
    given: withFlags,
    url: "?query=checkout",
    see: ({ features: [feature] }) => {
      const { imageUrl, ...createdBy } = feature.createdBy;
      assert.match(imageUrl, /^\/avatars\//);
      assert.deepEqual(
        { ...feature, createdBy },
        {
          type: "experiment",
          description: "The CART's last page",
          project: "a",
          favorite: false,
          name: "Checkout",
          createdAt: "2026-01-02T10:00:00.000Z",
          stale: false,
          archivedAt: null,
          impressionData: false,
          lastSeenAt: null,
          dependencyType: null,
          environments: [
            {
              name: "development",
              enabled: false,
              type: "development",
              sortOrder: 1,
              variantCount: 0,
              lastSeenAt: null,
              hasStrategies: true,
              hasEnabledStrategies: false,
              yes: 0,
              no: 0,
            },
            {
              name: "production",
              enabled: true,
              type: "production",
              sortOrder: 2,
              variantCount: 0,
              lastSeenAt: null,
              hasStrategies: true,
              hasEnabledStrategies: true,
              yes: 0,
              no: 0,
            },
          ],
          segments: ["beta users", "staff"],
          createdBy: { id: 2, name: "user2" },
          tags: [
            { type: "simple", value: "a:b" },
            { type: "simple", value: "red" },
          ],
        },
      );
    },
  },
  {
    name: "parents and children, favorites, and a flag without a creator",
    given: withFlags,
    as: personal(3),
    see: ({ features }) => {
      assert.deepEqual(
        features.map((one: { dependencyType: string }) => one.dependencyType),
        [null, null, null, "parent", "child", null],
      );
      assert.deepEqual(
        features.map((one: { favorite: boolean }) => one.favorite),
        [true, false, true, false, false, false],
      );
      assert.equal(features[3].createdBy.name, "Unleash System");
      assert.ok(!("tags" in features[3]) && !("lifecycle" in features[3]));
    },
  },
  lists("", BY_AGE),
  lists("?sortBy=createdAt&sortOrder=asc", BY_AGE),
  lists("?sortOrder=desc", BY_AGE.toReversed()),
  lists("?sortBy=nonsense", BY_AGE),
  lists("?favoritesFirst=true", ["cart", "menu", "Checkout", "parent", "child", "ÉTÉ_100%"]),
  lists("?favoritesFirst=true&sortOrder=desc", ["menu", "cart", "ÉTÉ_100%", "child", "parent", "Checkout"]),
  lists("?favoritesFirst=true&offset=1&limit=2", ["menu", "Checkout"], 6),
  lists("?favoritesFirst=true&offset=3&limit=2", ["parent", "child"], 6),
  lists("?favoritesFirst=true&sortBy=name", ["cart", "menu", "Checkout", "child", "parent", "ÉTÉ_100%"]),
  lists("?offset=2&limit=2", ["menu", "parent"], 6),
  lists("?offset=2&limit=2&sortBy=name&sortOrder=desc", ["menu", "child"], 6),
  lists("?offset=6", [], 6),
  ...[
    "limit=0",
    "limit=101",
    "limit=x",
    "limit=",
    "limit=-1",
    "limit=2.5",
    "offset=-1",
    "offset=x",
    "nosuch=IS:x",
  ].map((given) => lists(`?${given}`, BY_AGE)),
  lists("?sortBy=name", ["Checkout", "cart", "child", "menu", "parent", "ÉTÉ_100%"]),
  lists("?sortBy=type", ["Checkout", "ÉTÉ_100%", "cart", "menu", "parent", "child"]),
  lists("?sortBy=project&sortOrder=desc", ["menu", "ÉTÉ_100%", "cart", "Checkout", "parent", "child"]),
  lists("?sortBy=stale&sortOrder=desc", ["menu", "cart", "Checkout", "parent", "child", "ÉTÉ_100%"]),
  lists("?sortBy=lastSeenAt", BY_AGE),
  lists("?sortBy=lastSeenAt&sortOrder=desc", BY_AGE),
  lists("?sortBy=environment:development&sortOrder=desc", [
    "cart",
    "Checkout",
    "parent",
    "child",
    "menu",
    "ÉTÉ_100%",
  ]),
  lists("?sortBy=environment:production", ["cart", "parent", "child", "ÉTÉ_100%", "Checkout", "menu"]),
  lists("?sortBy=archivedAt", BY_AGE),
  lists("?sortBy=lifecycle", BY_AGE),
  lists("?query=cart", ["cart", "Checkout"]),
  lists("?query=MENU,%20chi", ["menu", "child"]),
  lists("?query=,", BY_AGE),
  lists("?query=%C3%A9t%C3%A9", ["ÉTÉ_100%"]),
  lists("?query=0%25", ["ÉTÉ_100%"]),
  lists("?query=_", ["ÉTÉ_100%"]),
  lists("?project=IS:b", ["menu", "ÉTÉ_100%"]),
  lists("?project=IS:b&sortOrder=desc&favoritesFirst=true", ["menu", "ÉTÉ_100%"]),
  lists("?project=IS:nosuch", []),
  lists("?project=IS_NOT:b", ["cart", "Checkout", "parent", "child"]),
  lists("?project=IS_ANY_OF:b,nosuch,%20a", BY_AGE),
  lists("?project=IS_NONE_OF:a,b", []),
  lists("?project=IS:", BY_AGE),
  lists("?type=IS:release", ["cart", "menu", "parent", "child"]),
  lists("?type=IS_NOT:release", ["Checkout", "ÉTÉ_100%"]),
  lists("?type=IS_ANY_OF:experiment,kill-switch&project=IS:a", ["Checkout"]),
  lists("?createdBy=IS:2", ["Checkout"]),
  lists("?createdBy=IS_NOT:1", ["Checkout", "parent"]),
  lists("?createdBy=IS_ANY_OF:2,-1337", ["Checkout", "parent"]),
  lists("?state=IS:stale", ["menu"]),
  lists("?state=IS_ANY_OF:stale,active", BY_AGE),
  lists("?state=IS_NOT:active", ["menu"]),
  lists("?lifecycle=IS:initial", []),
  lists("?lifecycle=IS_NOT:initial", BY_AGE),
  lists("?tag=INCLUDE:simple:red", ["cart", "Checkout"]),
  lists("?tag=INCLUDE_ANY_OF:simple:a:b,simple:none", ["Checkout"]),
  lists("?tag=INCLUDE_ALL_OF:simple:red,simple:a:b", ["Checkout"]),
  lists("?tag=DO_NOT_INCLUDE:simple:a:b", ["cart", "menu", "parent", "child", "ÉTÉ_100%"]),
  lists("?tag=EXCLUDE_IF_ANY_OF:simple:a:b,simple:red", ["menu", "parent", "child", "ÉTÉ_100%"]),
  lists("?tag=EXCLUDE_ALL:simple:a:b,simple:red", ["cart", "menu", "parent", "child", "ÉTÉ_100%"]),
  lists("?segment=INCLUDE:staff", ["Checkout"]),
  lists("?segment=INCLUDE_ALL_OF:staff,beta%20users", ["Checkout"]),
  lists("?segment=EXCLUDE_ALL:staff,beta%20users", ["cart", "menu", "parent", "child", "ÉTÉ_100%"]),
  lists("?createdAt=IS_BEFORE:2026-01-03", ["cart", "Checkout"]),
  lists("?createdAt=IS_ON_OR_AFTER:2026-01-05", ["child", "ÉTÉ_100%"]),
  lists("?lastSeenAt=IS_BEFORE:2026-02-02", ["cart"]),
  lists("?lastSeenAt=IS_ON_OR_AFTER:2026-02-02", []),
  lists("?status=development:enabled", ["cart"]),
  lists("?status=development:enabled&status=production:enabled", ["cart", "Checkout", "menu"]),
  lists("?status[]=development:disabled", ["Checkout", "parent", "child"]),
  lists("?status=development", BY_AGE),
  lists("?archived=IS:true", ["gone"]),
  lists("?archived=IS:true&project=IS:b", []),
  lists("?archived=IS:false", BY_AGE),
  ...[
    "project=b",
    "project=NOPE:b",
    "type=INCLUDE:release",
    "state=stale",
    "createdBy=IS:abc",
    "createdBy=IS:1,x",
    "lifecycle=initial",
    "tag=IS:simple:red",
    "tag=INCLUDE:simple",
    "tag=INCLUDE:simple:red,blue",
    "segment=IS:staff",
    "createdAt=2026-01-01",
    "createdAt=IS:2026-01-01",
    "createdAt=IS_BEFORE:2026-02-30",
    "createdAt=IS_BEFORE:2026-01-01,2026-01-02",
    "lastSeenAt=IS_BEFORE:soon",
    "sortOrder=up",
    "limit=1&limit=2",
  ].map((given) => ({
    name: `${given} is refused`,
    url: `?${given}`,
    expect: [400, "ValidationError"] as [number, string],
    see: (body: { message: string }) =>
      assert.match(body.message, new RegExp(`^query\\.${given.split("=")[0]}: `)),
  })),
  {
    name: "flags of a private project are omitted, including from the total",
    as: personal(3),
    given: (w) => w.project("p", { mode: "private" }).project("a").feature("f", "a").feature("secret", "p"),
    see: (body) => assert.deepEqual([namesOf(body), body.total], [["f"], 1]),
  },
  {
    name: "even if it is named or searched for",
    as: personal(3),
    url: "?project=IS:p&query=e",
    given: (w) => w.project("p", { mode: "private" }).feature("secret", "p"),
    see: (body) => assert.deepEqual(body, { features: [], total: 0 }),
  },
  {
    name: "a member sees them",
    as: personal(3),
    url: "?project=IS:p",
    given: (w) => w.project("p", { mode: "private" }).member("p", 3).feature("secret", "p"),
    see: (body) => assert.deepEqual([namesOf(body), body.total], [["secret"], 1]),
  },
]);

const addMany = command<{ count: number }>(`
  WITH RECURSIVE numbers (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < :count - 1)
  INSERT INTO features (name, project, stale, created_at, folded)
  SELECT 'f-' || number, 'a', number % 2, '2026-01-01T00:00:00.000Z', 'F-' || number || 'a' FROM numbers`);

test("many flags, in any order", async (t) => {
  const { db, request } = await openServer(t, createWorld().project("a"));
  write(db, CLI, (tx) => addMany(tx).run({ count: 25_000 }));
  const { body } = await request(`${SEARCH}?state=IS:stale&sortBy=name&offset=12498&limit=10`);
  assert.deepEqual([namesOf(body), body.total], [["f-9997", "f-9999"], 12_500]);
  const { body: first } = await request(`${SEARCH}?query=2&sortBy=name&sortOrder=desc&limit=2`);
  assert.deepEqual(namesOf(first), ["f-9992", "f-9982"]);
  const { body: middle } = await request(`${SEARCH}?sortBy=stale&offset=12500&limit=1`);
  assert.deepEqual(namesOf(middle), ["f-1"]);
});

test("a flag is found by its newest description", async (t) => {
  const { request } = await openServer(t, createWorld().project("a"));
  const features = "/api/admin/projects/a/features";
  const found = async () => {
    const words = ["first", "second", "third"];
    const replies = await Promise.all(words.map((word) => request(`${SEARCH}?query=${word}`)));
    return words.filter((_, index) => replies[index]!.body.total === 1);
  };
  await request(features, { method: "POST", body: { name: "f", description: "First" } });
  assert.deepEqual(await found(), ["first"]);
  const body = { name: "f", type: "release", description: "Second" };
  await request(`${features}/f`, { method: "PUT", body });
  assert.deepEqual(await found(), ["second"]);
  const patch = [{ op: "replace", path: "/description", value: "Third" }];
  await request(`${features}/f`, { method: "PATCH", body: patch });
  assert.deepEqual(await found(), ["third"]);
});

test("the latest stage", async (t) => {
  const { request } = await openServer(t, createWorld().project("a"));
  const projects = "/api/admin/projects/a/features";
  await request(projects, { method: "POST", body: { name: "f" } });
  await request(projects, { method: "POST", body: { name: "g" } });
  await request(`${projects}/f/lifecycle/complete`, { method: "POST", body: { status: "kept" } });
  const { body } = await request(`${SEARCH}?sortBy=lifecycle&sortOrder=asc`);
  const stages = body.features.map((one: { name: string; lifecycle: object }) => [one.name, one.lifecycle]);
  assert.partialDeepStrictEqual(stages, [
    ["f", { stage: "completed", status: "kept" }],
    ["g", { stage: "initial" }],
  ]);
  const { body: found } = await request(`${SEARCH}?lifecycle=IS:completed`);
  assert.deepEqual(namesOf(found), ["f"]);
});
