import assert from "node:assert/strict";
import { test } from "node:test";
import { toCriteria } from "../../src/log/criteria.ts";
import { searchText } from "../../src/log/text-search.ts";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const PATH = "/api/admin/events/search";
const ids = (body: { events: Array<{ id: number }> }) => body.events.map((event) => event.id);
const wrong = (body: unknown, path: string) => ({
  name: `${JSON.stringify(body)} is invalid at ${path}`,
  body,
  expect: [400, "ValidationError"] as [number, string],
  see: (error: { details: Array<{ path: string }>; message: string }) => {
    assert.equal(error.details[0]!.path, path);
    assert.ok(error.message.startsWith(`${path}: `));
  },
});

const log = (w: World) =>
  w
    .event({ project: "a", featureName: "x", data: { name: "Grüße" } })
    .event({ project: "a", featureName: "y", type: "feature-archived" })
    .event({ project: "b", featureName: "x", createdBy: "zoe@example.com" });

scenarios(`POST ${PATH}`, [
  {
    name: "{} finds everything, and the operation is deprecated",
    as: personal(3),
    body: {},
    given: log,
    see: (body, { headers }) => {
      assert.deepEqual([ids(body), body.totalEvents], [[3, 2, 1], 3]);
      assert.equal(headers.get("deprecation"), "true");
    },
  },
  {
    name: "by type",
    body: { type: "feature-archived" },
    given: log,
    see: (body) => assert.deepEqual(ids(body), [2]),
  },
  {
    name: "by project",
    body: { project: "a" },
    given: log,
    see: (body) => assert.deepEqual(ids(body), [2, 1]),
  },
  {
    name: "by feature",
    body: { feature: "x" },
    given: log,
    see: (body) => assert.deepEqual(ids(body), [3, 1]),
  },
  {
    name: "criteria are combined",
    body: { type: "feature-created", project: "a", feature: "x", query: "grüsse" },
    given: log,
    see: (body) => assert.deepEqual([ids(body), body.totalEvents], [[1], 1]),
  },
  {
    name: "project and feature are case-sensitive",
    body: { project: "A" },
    given: log,
    see: (body) => assert.deepEqual(ids(body), []),
  },
  {
    name: "an empty text is ignored",
    body: { type: "", project: "", feature: "", query: "" },
    given: log,
    see: (body) => assert.equal(body.totalEvents, 3),
  },
  {
    name: "the total ignores limit and offset",
    body: { limit: 1, offset: 2 },
    given: log,
    see: (body) => assert.deepEqual([ids(body), body.totalEvents], [[2], 3]),
  },
  {
    name: "offset 0 starts at the newest",
    body: { offset: 0, limit: 1 },
    given: log,
    see: (body) => assert.deepEqual(ids(body), [3]),
  },
  {
    name: "an offset beyond any number",
    body: { offset: 2 ** 64 },
    given: log,
    see: (body) => assert.equal(ids(body).length, 3),
  },
  { name: "unknown properties are ignored", body: { nope: 1, __proto__: { a: 1 } }, given: log },
  { name: "__proto__ as text", body: '{"__proto__":{"limit":0},"constructor":1}' },
  wrong({ limit: 0 }, "body.limit"),
  wrong({ limit: 101 }, "body.limit"),
  wrong({ limit: 1.5 }, "body.limit"),
  wrong({ limit: "10" }, "body.limit"),
  wrong({ limit: null }, "body.limit"),
  wrong({ limit: true }, "body.limit"),
  wrong({ offset: -1 }, "body.offset"),
  wrong({ offset: "0" }, "body.offset"),
  wrong({ offset: {} }, "body.offset"),
  wrong({ type: "nope" }, "body.type"),
  wrong({ type: "Feature-Created" }, "body.type"),
  wrong({ type: 7 }, "body.type"),
  {
    name: "null is ignored, except for type and limit",
    body: { project: null, feature: null, query: null, offset: null },
    given: log,
    see: (body) => assert.equal(body.totalEvents, 3),
  },
  wrong({ type: null }, "body.type"),
  { name: "a text of 1000 characters", body: { query: "x".repeat(1000) } },
  wrong({ query: "x".repeat(1001) }, "body.query"),
  wrong({ feature: "x".repeat(1001) }, "body.feature"),
  wrong({ feature: ["x"] }, "body.feature"),
  wrong({ query: 42 }, "body.query"),
  {
    name: "every violation is reported",
    body: { limit: 0, query: 1, project: [] },
    expect: 400,
    see: (body) =>
      assert.deepEqual(
        body.details.map((one: { path: string }) => one.path),
        ["body.project", "body.query", "body.limit"],
      ),
  },
]);

/** Texts for the data of events with ids from 1. */
const TEXTS = [
  "plain text about carts",
  'a "quoted" word',
  "100% sure_thing",
  "back\\slash",
  "NEAR(a b) OR c* ^d",
  "emoji 😀 here",
  "cafe\u0301 combined",
  "Straße and ΣΊΣΥΦΟΣ",
  "日本語のテキスト",
  "tab\tand\nnewline",
  "'; DROP TABLE events; --",
];

test("text searches are literal, whatever the characters", async (t) => {
  const world = createWorld();
  for (const text of TEXTS) world.event({ data: { text } });
  const { request } = await openServer(t, world);
  const found = async (query: string) => ids((await request(PATH, { method: "POST", body: { query } })).body);
  const cases: Array<[string, number[]]> = [
    ["CARTS", [1]],
    ['\\"quoted\\"', [2]],
    ['"quoted"', []],
    ["%", [3]],
    ["_", [3]],
    ["0% SURE_", [3]],
    ["\\\\", [4]],
    ["back\\\\slash", [4]],
    ["*", [5]],
    ["near(", [5]],
    ["OR c*", [5]],
    ["😀", [6]],
    ["i 😀 h", [6]],
    ["CAFÉ", [7]],
    ["STRASSE", [8]],
    ["σίσυφος", [8]],
    ["日", [9]],
    ["本語", [9]],
    ["のテキ", [9]],
    ["\\t", [10, 1].filter((id) => id === 10)],
    ["\t", []],
    ["\n", []],
    ["\ud83d", []],
    ["; drop table", [11]],
    ["x".repeat(1000), []],
    ["plain text about carts", [1]],
    ["}", [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ['"}', [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ["feature-created", [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ["user1", [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
    // A match never spans two texts.
    ["createduser1", []],
    ["user1{", []],
    ["\uffff", []],
  ];
  for (const [query, expected] of cases)
    assert.deepEqual(await found(query), expected, JSON.stringify(query));
});

test("a long log: short and long, common, rare and absent texts, with filters and offsets", async (t) => {
  const world = createWorld().project("p").project("hidden", { mode: "private" });
  const COUNT = 12_500;
  for (let id = 1; id <= COUNT; id++) {
    const rare = id % 2500 === 7 ? " ŷ needle" : "";
    const data = { text: `common words ${id % 2 ? "odd" : "even"}${rare}` };
    world.event({
      data,
      project: id % 100 === 7 ? "p" : id % 100 === 8 ? "hidden" : "q",
      featureName: `f${id % 1000}`,
    });
  }
  const { request } = await openServer(t, world);
  const search = async (body: object, as = personal(1)) =>
    (await request(PATH, { method: "POST", body, as })).body;
  const shown = (body: { events: Array<{ id: number }>; totalEvents?: number }) => [
    ids(body),
    body.totalEvents,
  ];

  assert.deepEqual(shown(await search({ query: "needle" })), [[10007, 7507, 5007, 2507, 7], 5]);
  assert.deepEqual(shown(await search({ query: "needle", offset: 7507, limit: 2 })), [[7507, 5007], 5]);
  assert.deepEqual(shown(await search({ query: "ŷ" })), [[10007, 7507, 5007, 2507, 7], 5]);
  assert.deepEqual(shown(await search({ query: "ŷ ", project: "p", offset: 5000 })), [[2507, 7], 5]);
  assert.deepEqual(shown(await search({ query: "absent text" })), [[], 0]);
  assert.deepEqual(shown(await search({ query: "zq" })), [[], 0]);
  for (const query of ["odd", "dd"]) {
    assert.deepEqual(shown(await search({ query, limit: 1 })), [[COUNT - 1], undefined], "too many to count");
  }
  assert.deepEqual(shown(await search({ query: "common", limit: 2 })), [[12500, 12499], undefined]);
  assert.deepEqual(shown(await search({ query: "o", limit: 2, offset: 9 })), [[9, 8], undefined]);
  assert.deepEqual(shown(await search({ query: "common", project: "p", limit: 1 })), [[12407], 125]);
  assert.deepEqual(shown(await search({ query: "common", feature: "f7", limit: 1 })), [[12007], 13]);
  assert.deepEqual(shown(await search({ query: "common", limit: 2, offset: 1209 }, personal(3))), [
    [1209, 1207],
    undefined,
  ]);
  assert.equal((await search({}, personal(3))).totalEvents, COUNT - 125);
  assert.deepEqual(shown(await search({ limit: 3, offset: 208 }, personal(3))), [
    [207, 206, 205],
    COUNT - 125,
  ]);
});

test("hidden events change nothing in a response: no total, no length, no ETag", async (t) => {
  const texts = ["common", "rare needle", "zq only hidden", "odd"];
  const log = (hidden: number, spread: number) => {
    const world = createWorld().project("open").project("secret", { mode: "private" }).integration();
    for (let id = 1; id <= 4000; id++) {
      const isHidden = id % 4 < hidden;
      const data = { text: `${isHidden ? texts.join(" ") : id % 8 ? "common" : "odd"} ${id % spread}` };
      if (id % 4 === 3 || isHidden) world.event({ id, data, project: isHidden ? "secret" : "open" });
    }
    return world;
  };
  const [without, withMany] = [await openServer(t, log(0, 1)), await openServer(t, log(3, 1))];
  const calls: Array<[path: string, body?: object]> = [
    ["/api/admin/events"],
    ["/api/admin/events?project=open"],
    ["/api/admin/events?project=secret"],
    ...[...texts, "q", "o", "om", "se", "feature-created", "user1", "1"].flatMap((query): typeof calls => [
      [PATH, { query }],
      [PATH, { query, project: "open" }],
      [PATH, { query, project: "secret" }],
      [PATH, { query, type: "feature-created", limit: 3 }],
      [PATH, { query, offset: 1000, limit: 7 }],
    ]),
    [PATH, {}],
    [PATH, { type: "feature-created" }],
  ];
  for (const [path, body] of calls) {
    const call = { as: personal(3), ...(body && { method: "POST", body }) };
    const [one, other] = [await without.request(path, call), await withMany.request(path, call)];
    const where = `${path} ${JSON.stringify(body)}`;
    assert.equal(one.text, other.text, where);
    assert.deepEqual([...one.headers], [...other.headers], where);
  }
});

test("a search stops when its client disconnects", async (t) => {
  const world = createWorld();
  for (let id = 1; id <= 8000; id++) world.event({ data: { text: "abc def" } }); // candidates that don't match
  const { db } = await openServer(t, world);
  const slicesUntil = async (leaves: number) => {
    let slices = 1;
    const signal = {
      get aborted() {
        return slices++ === leaves;
      },
    } as AbortSignal;
    const { ids } = await searchText(db, {
      criteria: toCriteria({ hidden: [] }),
      text: "ABCDEF",
      from: 8000n,
      limit: 10,
      signal,
    });
    assert.deepEqual(ids, []);
    return slices - 1;
  };
  assert.equal(await slicesUntil(3), 3);
  assert.ok((await slicesUntil(Number.POSITIVE_INFINITY)) > 3);
});
