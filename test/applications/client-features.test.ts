import assert from "node:assert/strict";
import { test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { openServer, type Reply, scenarios } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND, personal, SERVICE, type World } from "../support/world.ts";

const FEATURES = "/api/client/features";
const OF_B = `b:production.${"b".repeat(56)}`;
const EXPIRED = `*:development.${"e".repeat(56)}`;

const IN_BELGIUM = { contextName: "country", operator: "IN", values: ["be"] };

/** Two projects; `cart` is on in development only, by a segment, and `old` is archived. */
const withFlags = (w: World) =>
  w
    .project("a")
    .project("b")
    .add("segment", { id: 1, name: "belgians", constraints: [IN_BELGIUM] })
    .feature("cart", "a", {
      tags: [{ type: "simple", value: "red" }],
      environments: [
        {
          name: "development",
          enabled: true,
          strategies: [
            { id: "s1", name: "default", segments: [1] },
            { id: "s2", name: "userWithId", disabled: true },
          ],
        },
      ],
    })
    .feature("menu", "b", {
      dependencies: [{ feature: "cart" }],
      environments: [{ name: "production", enabled: true }],
    })
    .feature("old", "a", { archivedAt: "2026-01-02T00:00:00Z" })
    .add("token", {
      type: "client",
      name: "of b",
      hash: hashSecret(OF_B),
      projects: ["b"],
      environment: "production",
    })
    .add("token", {
      type: "client",
      name: "expired",
      hash: hashSecret(EXPIRED),
      environment: "development",
      expiresAt: "2026-01-02T00:00:00Z",
    });

type Body = { features: Array<{ name: string; enabled: boolean; strategies: unknown[] }>; query: object };
const statesOf = ({ features }: Body) =>
  features.map(({ name, enabled }) => `${name} ${enabled ? "on" : "off"}`);
const states =
  (...expected: string[]) =>
  (body: Body) =>
    assert.deepEqual(statesOf(body), expected);

scenarios(`GET ${FEATURES}`, [
  { name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
  { name: "a personal token", as: personal(1), expect: [403, "NoAccessError"] },
  { name: "a frontend token", as: FRONTEND, expect: [403, "NoAccessError"] },
  { name: "an expired token", as: EXPIRED, given: withFlags, expect: [401, "AuthenticationRequired"] },
  { name: "the token's environment", as: CLIENT, given: withFlags, see: states("cart on", "menu off") },
  { name: "a token for a project", as: OF_B, given: withFlags, see: states("menu on") },
  {
    name: "the token decides",
    as: OF_B,
    given: withFlags,
    url: "?project=a&environment=development",
    see: states("menu on"),
  },
  {
    name: "a service token",
    as: SERVICE,
    given: withFlags,
    url: "?environment=production",
    see: states("cart off", "menu on"),
  },
  { name: "a prefix", as: CLIENT, given: withFlags, url: "?namePrefix=me", see: states("menu off") },
  { name: "a tag", as: CLIENT, given: withFlags, url: "?tag=simple:red", see: states("cart on") },
  {
    name: "all projects",
    as: CLIENT,
    given: withFlags,
    url: "?project=*",
    see: states("cart on", "menu off"),
  },
  {
    name: "a project and all",
    as: CLIENT,
    given: withFlags,
    url: "?project=b&project=*",
    see: states("cart on", "menu off"),
  },
  { name: "a project", as: CLIENT, given: withFlags, url: "?project=b", see: states("menu off") },
  {
    name: "a repeated project",
    as: CLIENT,
    given: withFlags,
    url: "?project=b&project=b",
    see: states("menu off"),
  },
  { name: "a tag without a value", as: CLIENT, url: "?tag=simple", expect: [400, "ValidationError"] },
  { name: "an empty prefix", as: CLIENT, url: "?namePrefix=", expect: [400, "ValidationError"] },
  {
    name: "the query is echoed",
    as: CLIENT,
    given: withFlags,
    url: "?project=a&namePrefix=c&tag=simple:red",
    see: ({ query }: Body) =>
      assert.deepEqual(query, {
        environment: "development",
        project: ["a"],
        namePrefix: "c",
        tag: [["simple", "red"]],
        inlineSegmentConstraints: true,
      }),
  },
  {
    name: "an SDK without support for segments gets their constraints in the strategies, without disabled strategies",
    as: CLIENT,
    given: withFlags,
    see: (body) => {
      assert.ok(!("segments" in body));
      const [{ constraints, ...strategy }, ...others] = body.features[0].strategies;
      assert.deepEqual([strategy, others], [{ name: "default", parameters: {}, variants: [] }, []]);
      assert.partialDeepStrictEqual(constraints, [IN_BELGIUM]);
    },
  },
  {
    name: "an SDK with support for them gets their ids",
    as: CLIENT,
    given: withFlags,
    headers: { "unleash-client-spec": "5.2.0" },
    see: ({ segments, features }) => {
      assert.partialDeepStrictEqual(segments, [{ id: 1, name: "belgians", constraints: [IN_BELGIUM] }]);
      assert.partialDeepStrictEqual(features[0].strategies, [{ constraints: [], segments: [1] }]);
      assert.deepEqual(features[1].dependencies, [{ feature: "cart", enabled: true, variants: [] }]);
    },
  },
  {
    name: "an invalid version",
    as: CLIENT,
    headers: { "unleash-client-spec": "five" },
    expect: [400, "ValidationError"],
  },
]);

scenarios(`GET ${FEATURES}/:featureName`, [
  {
    name: "one",
    as: CLIENT,
    given: withFlags,
    url: `${FEATURES}/cart`,
    see: ({ name }) => assert.equal(name, "cart"),
  },
  { name: "unknown", as: CLIENT, given: withFlags, url: `${FEATURES}/nope`, expect: [404, "NotFoundError"] },
  { name: "archived", as: CLIENT, given: withFlags, url: `${FEATURES}/old`, expect: [404, "NotFoundError"] },
  {
    name: "of another project",
    as: OF_B,
    given: withFlags,
    url: `${FEATURES}/cart`,
    expect: [404, "NotFoundError"],
  },
]);

test("a response is unchanged until a flag changes, and a deleted token gets none", async (t) => {
  const { request } = await openServer(t, withFlags(createWorld()));
  const poll = (etag = ""): Promise<Reply> =>
    request(FEATURES, { as: CLIENT, headers: { "if-none-match": etag } });
  const first = await poll();
  const etag = first.headers.get("etag")!;
  assert.equal((await poll(etag)).status, 304);
  assert.equal((await poll(etag.replace(/^W\//, ""))).status, 304, "SDKs send it back in either form");
  await request("/api/admin/projects/a/features/cart/environments/development/off", { method: "POST" });
  const later = await poll(etag);
  assert.deepEqual([later.status, statesOf(later.body)[0]], [200, "cart off"]);
  assert.notEqual(later.headers.get("etag"), etag);
  const { body } = await request("/api/admin/api-tokens");
  for (const { secret, tokenName } of body.tokens)
    if (tokenName === "the client token")
      await request(`/api/admin/api-tokens/${encodeURIComponent(secret)}`, { method: "DELETE" });
  assert.equal((await poll(etag)).status, 401);
});

test("a revived flag is sorted by code point among the others", async (t) => {
  const names = ["z", "\uff21", "\u{1f600}"];
  const world = names.reduce((w, name) => w.feature(name, "a"), createWorld().project("a"));
  const { request } = await openServer(t, world);
  const namesNow = async () =>
    (await request(FEATURES, { as: CLIENT })).body.features.map(({ name }: { name: string }) => name);
  assert.deepEqual(await namesNow(), names);
  const path = `/api/admin/projects/a/features/${encodeURIComponent("\u{1f600}")}`;
  await request(path, { method: "DELETE" });
  assert.deepEqual(await namesNow(), names.slice(0, 2));
  await request("/api/admin/projects/a/revive", { method: "POST", body: { features: ["\u{1f600}"] } });
  assert.deepEqual(await namesNow(), names);
});
