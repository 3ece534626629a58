import assert from "node:assert/strict";
import { test } from "node:test";
import { toCriteria } from "../../src/log/criteria.ts";
import { matchingWindows, wireWindows } from "../../src/log/store.ts";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE } from "../support/world.ts";

type Named = { featureName: string | null; project: string | null; id: number };
const ids = (body: { events: Named[] }) => body.events.map((event) => event.id);

scenarios("GET /api/admin/events", [
  { name: "an empty credential", as: "", expect: [401, "AuthenticationRequired"] },
  { name: "an unknown token", as: "user:nobody", expect: [401, "AuthenticationRequired"] },
  { name: "a service token", as: SERVICE, see: (body) => assert.equal(body.totalEvents, 0) },
  { name: "a viewer", as: personal(3) },
  { name: "Bearer before the token, in any letter case", as: `bEARER ${personal(3)}` },
  {
    name: "an empty log",
    see: (body) => assert.deepEqual(body, { version: 1, events: [], totalEvents: 0 }),
  },
  {
    name: "newest first, by id and not by time",
    given: (w) => w.event({ createdAt: "2026-03-01T00:00:00Z" }).event({ createdAt: "2026-02-01T00:00:00Z" }),
    see: (body) => assert.deepEqual(ids(body), [2, 1]),
  },
  {
    name: "every property, null where unset, with the stored label and summary",
    given: (w) => w.event({ type: "segment-created", data: { name: "beta", z: 1, a: [true, null] } }),
    see: (body, { text }) => {
      const [event] = body.events;
      assert.ok(text.includes('"data":{"name":"beta","z":1,"a":[true,null]}'), "data keeps its order");
      assert.deepEqual(event, {
        id: 1,
        createdAt: "2026-01-01T00:00:00.000Z",
        type: "segment-created",
        createdBy: "user1",
        createdByUserId: 1,
        environment: null,
        project: null,
        featureName: null,
        data: { name: "beta", z: 1, a: [true, null] },
        preData: null,
        tags: [],
        label: "Segment created",
        summary: event.summary,
      });
      assert.match(event.summary, /user1.*beta/);
    },
  },
  {
    name: "the newest 100, and the total",
    given: (w) => {
      for (let count = 0; count < 130; count++) w.event();
      return w;
    },
    see: (body) => {
      assert.deepEqual([body.events.length, body.events[0].id, body.totalEvents], [100, 130, 130]);
    },
  },
  {
    name: "all events of a project, exact and case-sensitive",
    url: "?project=a",
    given: (w) => {
      for (let count = 0; count < 450; count++) w.event({ project: count % 2 ? "a" : "A" });
      return w.event();
    },
    see: (body) => {
      assert.equal(body.events.length, 225);
      assert.equal(body.totalEvents, 225);
      assert.deepEqual(
        ids(body),
        ids(body).toSorted((a, b) => b - a),
      );
      assert.ok(body.events.every((event: Named) => event.project === "a"));
    },
  },
  {
    name: "an empty project is ignored",
    url: "?project=",
    given: (w) => w.event({ project: "a" }).event(),
    see: (body) => assert.deepEqual(ids(body), [2, 1]),
  },
  {
    name: "an unknown project is empty, not an error",
    url: "?project=nope",
    given: (w) => w.event({ project: "a" }),
    see: (body) => assert.deepEqual(body, { version: 1, events: [], totalEvents: 0 }),
  },
  { name: "a repeated project", url: "?project=a&project=b", expect: [400, "ValidationError"] },
  { name: "an unknown parameter is ignored", url: "?limit=x&__proto__=1" },
]);

const withSecret = () =>
  createWorld()
    .project("open")
    .project("secret", { mode: "private" })
    .group("insiders", [4])
    .member("secret", 3)
    .groupMember("secret", 1)
    .event({ project: "open" })
    .event({ project: "secret" })
    .event();

test("GET /api/admin/events: events of private projects are omitted, including from the total", async (t) => {
  const { request } = await openServer(t, withSecret());
  const seenBy = async (as: string) => {
    const { body } = await request("/api/admin/events", { as });
    const one = await request("/api/admin/events?project=secret", { as });
    return [ids(body), body.totalEvents, ids(one.body), one.body.totalEvents];
  };
  const everything = [[3, 2, 1], 3, [2], 1];
  assert.deepEqual(await seenBy(personal(1)), everything, "an admin");
  assert.deepEqual(await seenBy(SERVICE), everything, "a service token");
  assert.deepEqual(await seenBy(personal(3)), everything, "a member");
  assert.deepEqual(await seenBy(personal(4)), everything, "a member through a group");
  assert.deepEqual(await seenBy(personal(2)), [[3, 1], 2, [], 0], "an outsider");
});

test("GET /api/admin/events?project: a long response is streamed completely", async (t) => {
  const world = createWorld();
  for (let count = 0; count < 1500; count++)
    world.event({ project: "long", data: { text: "x".repeat(300) } });
  const { request } = await openServer(t, world);
  const { body, headers } = await request("/api/admin/events?project=long");
  assert.equal(headers.get("content-length"), null);
  assert.equal(body.events.length, 1500);
  assert.equal(body.totalEvents, 1500);
});

test("an expired token is the same as none", async (t) => {
  const { request, db } = await openServer(t);
  db.exec("UPDATE tokens SET expires_at = '2020-01-01T00:00:00.000Z' WHERE user_id = 3");
  assert.equal((await request("/api/admin/events", { as: personal(3) })).status, 401);
  db.exec("UPDATE tokens SET expires_at = '2999-01-01T00:00:00.000Z' WHERE user_id = 3");
  assert.equal((await request("/api/admin/events", { as: personal(3) })).status, 200);
});

test("a long list is recognized by its bytes, not only by its rows", async (t) => {
  const world = createWorld();
  for (let id = 1; id <= 6; id++) world.event({ project: "long", data: { text: "x".repeat(200_000) } });
  const { db } = await openServer(t, world);
  const windows = [...matchingWindows(db, toCriteria({ project: ["long"], hidden: [] }))].map(
    (wires) => wires.length,
  );
  assert.deepEqual(windows, [2, 2, 2]);
});

const KIB = 1024;

const withLarge = (...sizes: number[]) => {
  const world = createWorld();
  for (const size of sizes) world.event({ project: "large", data: { text: "common ".padEnd(size, "x") } });
  return world;
};

/** The lists of events, each with its request. */
const LISTS: Array<[name: string, path: string, body?: object]> = [
  ["the newest", ""],
  ["a search by project", "/search", { project: "large" }],
  ["a search by type", "/search", { type: "feature-created" }],
  ["a search by text", "/search", { query: "common" }],
];

for (const [name, path, body] of LISTS) {
  const call = { ...(body && { method: "POST", body }) };

  test(`${name}: a list of more than 256 KiB is streamed, with the same JSON`, async (t) => {
    const { request, db } = await openServer(t, withLarge(100 * KIB, 300 * KIB, 10, 200 * KIB));
    const { text, headers } = await request(`/api/admin/events${path}`, call);
    assert.deepEqual([headers.get("content-length"), headers.get("etag")], [null, null]);
    const wires = db.prepare("SELECT wire FROM events ORDER BY id DESC").pluck().all();
    assert.equal(text, `{"version":1,"events":[${wires.join(",")}],"totalEvents":4}`);
  });

  test(`${name}: a shorter list is not streamed`, async (t) => {
    const { request, db } = await openServer(t, withLarge(100 * KIB, 10, 150 * KIB));
    const { text, headers } = await request(`/api/admin/events${path}`, call);
    assert.ok(headers.get("content-length") && headers.get("etag"));
    const wires = db.prepare("SELECT wire FROM events ORDER BY id DESC").pluck().all();
    assert.equal(text, `{"version":1,"events":[${wires.join(",")}],"totalEvents":3}`);
  });
}

test("a long list without an exact total is streamed without it", async (t) => {
  const world = withLarge(300 * KIB);
  for (let count = 0; count < 1001; count++) world.event({ data: { text: "common" } });
  world.event({ data: { text: "common ".padEnd(300 * KIB, "x") } });
  const { request } = await openServer(t, world);
  const call = { method: "POST", body: { query: "common" } };
  const { body, headers } = await request("/api/admin/events/search", call);
  assert.equal(headers.get("content-length"), null);
  assert.deepEqual([body.events.length, "totalEvents" in body], [100, false]);
});

test("the memory used by a stream of events is bounded in bytes", async (t) => {
  const { db, app } = await openServer(t, withLarge(...Array<number>(20).fill(100 * KIB)));
  const all = Array.from({ length: 20 }, (_, index) => 20 - index);
  const windows = [...wireWindows(db, all)].map((wires) => wires.length);
  assert.deepEqual(windows, [3, 3, 3, 3, 3, 3, 2]);
  const response = await app.request("/api/admin/events", { headers: { authorization: personal(1) } });
  for await (const piece of response.body!) assert.ok(piece.length < 400 * KIB, `${piece.length} bytes`);
});
