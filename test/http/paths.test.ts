import assert from "node:assert/strict";
import { test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { METHODS } from "../../src/http/operation.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { type Call, openServer, operationAt, type Reply } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND, personal } from "../support/world.ts";

const PARAMETERS: Record<string, string> = {
  id: "1",
  projectId: "a",
  featureName: "f",
  environment: "development",
  name: "simple",
  type: "simple",
  value: "red",
  contextField: "userId",
  strategyId: "s",
  roleId: "1",
  strategyName: "simple",
  parent: "f",
  token: "none",
  appName: "shop",
  child: "f",
};

/** A world in which the path of every operation leads somewhere. */
const everyPathWorld = () =>
  createWorld()
    .add("contextField", { name: "userId" })
    .add("segment", { id: 1, name: "one" })
    .add("tag", { type: "simple", value: "red" })
    .add("strategyType", { name: "simple" })
    .environment("simple")
    .project("a")
    .feature("f", "a", {
      environments: [{ name: "development", strategies: [{ id: "s", name: "default" }] }],
    })
    .changeRequest("a")
    .event({ project: "a", featureName: "f" })
    .integration()
    .integrationEvent()
    .group("crew", [3])
    .add("user", { id: 9, username: "robot", accountType: "Service Account" })
    .add("application", { name: "shop", places: [{ project: "a", environment: "development" }] })
    .add("invitation", { id: 1, name: "x", hash: hashSecret("none"), expiresAt: "2099-01-01T00:00:00Z" });

const fill = (path: string, values = PARAMETERS) =>
  path.replace("/service-account/:id", "/service-account/9").replace(/:(\w+)/g, (_, name) => values[name]!);

/** Operations that accept a user's token. */
const SECURED = OPERATIONS.filter(({ path }) => path.startsWith("/api/admin"));
const NEEDS_QUERY = ["/api/admin/user/roles", "/api/admin/undo-since"];

/** Those that need no query and are not gone. */
const GETS = SECURED.filter(
  ({ method, path, status }) => method === "GET" && !NEEDS_QUERY.includes(path) && status !== 410,
).map(({ path }) => path);
const PATHS = [...new Set(SECURED.map(({ path }) => path))];
const SEARCH = "/api/admin/events/search";

const UNKNOWN = [
  "/api/admin",
  "/api/admin/",
  "/api/admin/nope",
  "/api/admin/events/search/nope",
  "/api/admin/eventsjson",
  "/api/admin/events;x",
  "/api/admin/events%3Fproject=a",
  "/api/admin/nope/",
  "/api/admin/user-admin/1/events",
  "/api/admin/projects/a/nope",
  "/api/admin/projects/a/features/f/environments",
];

const MALFORMED = ["%", "%4", "%zz", "a%", "%ff", "%c3%28", "%e0%a4", "%ed%a0%80", "%25%", "%2%46"];

const outcome = ({ status, body }: Reply) => [status, body?.name];

test("the credential is checked before the path", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  const calls: Array<[string, Call]> = [
    ...PATHS.map((path): [string, Call] => [fill(path), {}]),
    ...UNKNOWN.map((path): [string, Call] => [path, {}]),
    ...MALFORMED.map((text): [string, Call] => [`/api/admin/user-admin/${text}`, {}]),
    ["/api/admin/personal-dashboard/%00", {}],
    ["/api/admin/events", { method: "DELETE" }],
    ["/api/admin/addons/x/events?limit=0", {}],
    [SEARCH, { method: "POST", body: "{", headers: { "content-type": "text/plain" } }],
    ["/api/%61dmin/events", {}],
    ["/api/%61dmin/user-admin/%zz", {}],
    ["/api/adm%69n/nope", {}],
    ["//api/admin/events", {}],
    ["/api//admin/events", {}],
    ["///api///%61dmin///events", {}],
    ["/avatars/../api/admin/events", {}],
    ["/api/admin\\events", {}],
  ];
  for (const [path, call] of calls) {
    const reply = await request(path, { ...call, as: null });
    assert.deepEqual(outcome(reply), [401, "AuthenticationRequired"], path);
  }
});

test("an unknown path is a 404 with any credential and method", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  for (const path of UNKNOWN) {
    for (const as of [personal(1), personal(3), CLIENT, FRONTEND]) {
      for (const method of ["GET", "POST"]) {
        assert.deepEqual(outcome(await request(path, { method, as })), [404, "NotFoundError"], path);
      }
    }
  }
});

test("outside /api/admin no credential is required, and nothing is found", async (t) => {
  const { request } = await openServer(t);
  for (const path of [
    "/index.html",
    "/api",
    "/api/",
    "/api/administrator",
    "/api/admin2/events",
    "/api/admin;x=1/events",
    "/API/admin/events",
    "/api/Admin/events",
  ]) {
    assert.deepEqual(outcome(await request(path, { as: null })), [404, "NotFoundError"], path);
  }
});

test("an unknown API operation gets an explanation, and is logged once per path", async (t) => {
  const { request, logged } = await openServer(t);
  for (const path of ["/api/admin/nope", "/api/admin/nope", "/api/admin/other"]) {
    const { status, body } = await request(path);
    assert.deepEqual([status, body.name], [404, "NotFoundError"]);
    assert.equal(body.message, `Flagstone has no operation GET ${path}`);
  }
  assert.deepEqual(
    logged.map(({ path }) => path),
    ["/api/admin/nope", "/api/admin/other"],
  );
});

test("/ is a page if opened in a browser", async (t) => {
  const { request } = await openServer(t);
  const { status, headers, text } = await request("/", { as: null });
  assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.match(text, /Flagstone \d+\.\d+\.\d+/);
  for (const command of ["flagstone token create", "curl -H", "flagstone help"])
    assert.ok(text.includes(command));
  assert.doesNotMatch(text, /<script|https?:\/\/(?!localhost)/, "it contacts no other host");
});

test("OPTIONS says which methods a path has", async (t) => {
  const { request } = await openServer(t);
  for (const [path, allow] of [
    ["/api/admin/events", "GET, HEAD"],
    [SEARCH, "GET, HEAD, POST"], // a flag may have such a name
    ["/health", "GET, HEAD"],
  ] as const) {
    const { status, headers } = await request(path, { method: "OPTIONS" });
    assert.deepEqual([status, headers.get("allow")], [200, allow], path);
  }
  assert.equal((await request("/api/admin/events", { method: "OPTIONS", as: null })).status, 401);
});

test("OPTIONS on a path for pages is a preflight, whatever it asks for", async (t) => {
  const { request } = await openServer(t);
  for (const headers of [{}, { origin: "https://a.example" }, { "access-control-request-method": "GET" }]) {
    const { status, headers: answered } = await request("/api/frontend", {
      method: "OPTIONS",
      as: null,
      headers,
    });
    assert.equal(status, 204);
    assert.match(answered.get("access-control-allow-methods") ?? "", /GET/);
  }
});

test("another method on a known path is a 405 that lists the methods, HEAD wherever GET is", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  for (const path of PATHS) {
    const methods: string[] = METHODS.filter((method) => operationAt(method, fill(path)));
    const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PURGE", "nope"]) {
      if (allowed.includes(method)) continue;
      // With a client token too: the method is checked before the kind of token.
      for (const as of [personal(1), CLIENT]) {
        const reply = await request(fill(path), { method, as });
        assert.equal(reply.status, 405, `${method} ${path}`);
        assert.deepEqual(reply.headers.get("allow")?.split(", ").toSorted(), allowed.toSorted(), path);
        if (method !== "HEAD") assert.equal(reply.body.name, "MethodNotAllowedError");
      }
    }
  }
});

test("another method on an avatar's path is a 405 as well", async (t) => {
  const { request } = await openServer(t);
  const reply = await request(`/avatars/${"a".repeat(64)}.svg`, { method: "POST", as: null });
  assert.deepEqual(outcome(reply), [405, "MethodNotAllowedError"]);
  assert.equal(reply.headers.get("allow"), "GET, HEAD");
});

test("the kind of token is checked before parameters, query and body", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  for (const as of [CLIENT, FRONTEND]) {
    for (const [path, call] of [
      ["/api/admin/user-admin/x", {}],
      ["/api/admin/addons/x/events", {}],
      ["/api/admin/addons/1/events?limit=0&limit=0", {}],
      ["/api/admin/events?project=a&project=b", {}],
      ["/api/admin/projects/nope/features/nope/environments/nope/strategies", {}],
      [SEARCH, { method: "POST", body: "{" }],
      [SEARCH, { method: "POST", body: { limit: 0 } }],
    ] as const) {
      assert.deepEqual(outcome(await request(path, { ...call, as })), [403, "NoAccessError"], path);
    }
  }
});

test("the permission is checked before parameters and query", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  for (const path of ["/api/admin/user-admin/x", "/api/admin/addons/x/events?limit=0"]) {
    assert.deepEqual(outcome(await request(path, { as: personal(3) })), [403, "NoAccessError"], path);
  }
});

test("an invalid id is reported before an invalid query", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  const reply = await request("/api/admin/addons/x/events?limit=0");
  assert.deepEqual(outcome(reply), [404, "NotFoundError"]);
});

test("HEAD returns the same headers as GET and no body", async (t) => {
  const long = { project: "long", data: { text: "é".repeat(300_000) } };
  const world = everyPathWorld().event(long);
  for (let count = 0; count < 100; count++) world.event(); // not among the newest
  const { request } = await openServer(t, world);
  const cases: Array<[path: string, status: number, call?: Call]> = [
    ...GETS.map((path): [string, number] => [fill(path), 200]),
    ["/api/admin/events?project=a", 200],
    ["/api/admin/events?project=long", 200],
    ["/api/admin/events/", 200],
    ["/api/admin/events", 401, { as: null }],
    ["/api/admin/events", 403, { as: CLIENT }],
    ["/api/admin/events?project=a&project=b", 400],
    ["/api/admin/user-admin/x", 400],
    ["/api/admin/user-admin/%zz", 400],
    ["/api/admin/user-admin/99", 404],
    ["/api/admin/nope", 404],
    [`/avatars/${"0".repeat(64)}.svg`, 200, { as: null }],
    ["/avatars/nope.svg", 404, { as: null }],
  ];
  for (const [path, status, call] of cases) {
    const get = await request(path, { ...call });
    const head = await request(path, { ...call, method: "HEAD" });
    assert.deepEqual([get.status, head.status], [status, status], path);
    assert.deepEqual([...head.headers], [...get.headers], path);
    assert.equal(head.text, "", path);
    const length = /(=long|\/stream)$/.test(path) ? null : String(Buffer.byteLength(get.text));
    assert.equal(head.headers.get("content-length"), length, path);
  }
});

test("a trailing slash and repeated slashes don't matter", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  const calls = [
    ...GETS.map((path) => ({ path, method: "GET" })),
    { path: SEARCH, method: "POST", body: {} },
  ];
  for (const { path, ...call } of calls) {
    const without = await request(fill(path), call);
    assert.equal(without.status, 200, path);
    for (const spelling of [`${fill(path)}/`, `${fill(path)}//`, fill(path).replaceAll("/", "///")]) {
      const { status, text } = await request(spelling, call);
      assert.deepEqual([status, text], [200, without.text], spelling);
    }
  }
});

test("letters of a path are case-sensitive", async (t) => {
  const { request } = await openServer(t, everyPathWorld().project("A"));
  const isAny = (path: string) => METHODS.some((method) => operationAt(method, path));
  for (const path of PATHS) {
    const words = path.split("/").filter((word) => word !== "" && !word.startsWith(":"));
    for (const word of words.slice(2)) {
      const other = fill(path.replace(`/${word}`, `/${word[0]!.toUpperCase()}${word.slice(1)}`));
      // In another letter case, a word may be a parameter, such as the name of a flag.
      if (!isAny(other)) assert.deepEqual(outcome(await request(other)), [404, "NotFoundError"], other);
    }
  }
  const features = async (project: string) =>
    (await request(`/api/admin/projects/${project}/features`)).body.features.length;
  assert.deepEqual([await features("a"), await features("A")], [1, 0]);
});

/** Names of projects, and ways to write each in a path. */
const SPELLINGS: Array<[name: string, ...spellings: string[]]> = [
  ["a", "a", "%61"],
  ["A", "A", "%41"],
  ["%41", "%2541", "%25%34%31"],
  ["a/b", "a%2Fb", "a%2fb", "%61%2F%62"],
  ["a%2Fb", "a%252Fb", "a%25%32%46b"],
  ["a%252Fb", "a%25252Fb"],
  ["/", "%2F"],
  ["100%", "100%25"],
  ["%00", "%2500"],
  ["a b", "a%20b", "a b"],
  ["a+b", "a+b", "a%2Bb"],
  ["a?b", "a%3Fb"],
  ["a#b", "a%23b"],
  ["a\\b", "a%5Cb"],
  ["a:b;c=d,e", "a:b;c=d,e", "a%3Ab%3Bc%3Dd%2Ce"],
  ["...", "...", "%2E%2E%2E"],
  ["../a", "..%2Fa", "%2e%2e%2fa"],
  ["*", "*", "%2A"],
  [":projectId", ":projectId"],
  ["__proto__", "__proto__"],
  ["constructor", "constructor"],
  ["events", "events"],
  ["ü", "%C3%BC", "ü"],
  ["u\u0308", "u%CC%88"],
  ["😀", "%F0%9F%98%80"],
  ["\ufeffa", "%EF%BB%BFa"],
];

test("a path parameter is decoded once, and %2F does not split it", async (t) => {
  const world = createWorld();
  for (const [name] of SPELLINGS) world.project(name).event({ project: name });
  const { request } = await openServer(t, world);
  for (const [index, [name, ...spellings]] of SPELLINGS.entries()) {
    for (const spelling of spellings) {
      const { status, body } = await request(`/api/admin/personal-dashboard/${spelling}`);
      assert.equal(status, 200, `${spelling} is ${name}`);
      assert.deepEqual(
        body.latestEvents.map((event: { id: number }) => event.id),
        [index + 1],
        `${spelling} is ${name}`,
      );
    }
  }
});

test("a slash in a parameter does not add a segment", async (t) => {
  const world = createWorld().project("a/features").project("a").feature("f", "a");
  const { request } = await openServer(t, world);
  const features = async (path: string) => (await request(path)).body.features.length;
  assert.equal(await features("/api/admin/projects/a/features"), 1);
  assert.equal(await features("/api/admin/projects/a%2Ffeatures/features"), 0);
  for (const path of [
    "/api/admin/projects%2Fa/features",
    "/api/admin/events%2F",
    "/api/admin%2Fevents",
    "/api%2Fadmin/events",
    "/api/admin/addons%2F1%2Fevents",
  ]) {
    assert.equal((await request(path)).status, 404, path);
  }
  assert.equal((await request("/api/admin/user-admin/1%2F")).status, 400);
});

test("an invalid percent sequence is a 400", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  for (const text of MALFORMED) {
    for (const path of [
      `/api/admin/user-admin/${text}`,
      `/api/admin/personal-dashboard/${text}/`,
      `/api/admin/addons/${text}/events?limit=1`,
      `/api/admin/projects/a/features/f/environments/${text}/strategies`,
    ]) {
      const reply = await request(path);
      assert.deepEqual(outcome(reply), [400, "ValidationError"], path);
      assert.equal(reply.body.details.length, 1, path);
    }
  }
});

test("NUL in a path is a 400", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  for (const path of [
    "/api/admin/user-admin/1%00",
    "/api/admin/user-admin/%00",
    "/api/admin/addons/1%00/events",
    "/api/admin/projects/a%00/features",
    "/api/admin/personal-dashboard/%2F%00%41",
    "/api/admin/projects/a/features/f%00/environments/development/strategies",
  ]) {
    assert.deepEqual(outcome(await request(path)), [400, "ValidationError"], path);
  }
});

test("a parameter of 8 kB is a name like any other", async (t) => {
  const long = "x".repeat(4096); // the longest name that a dataset may have
  const { request } = await openServer(t, createWorld().project(long).event({ project: long }));
  const known = await request(`/api/admin/personal-dashboard/${long}`);
  assert.deepEqual([known.status, known.body.latestEvents.length], [200, 1]);
  const unknown = "y".repeat(8192);
  for (const [path, status] of [
    [`/api/admin/personal-dashboard/${unknown}`, 404],
    [`/api/admin/personal-dashboard/${"%C3%BC".repeat(1365)}`, 404],
    [`/api/admin/projects/${unknown}/features`, 200],
    [`/api/admin/projects/${long}/features/${unknown}/environments/${unknown}/strategies`, 404],
    [`/api/admin/addons/${unknown}/events`, 404],
    [`/api/admin/addons/${"9".repeat(8192)}/events`, 404],
    [`/api/admin/user-admin/${unknown}`, 400],
    [`/api/admin/user-admin/${"9".repeat(8192)}`, 404],
    [`/api/admin/user-admin/-${"9".repeat(8192)}`, 404],
    [`/api/admin/${unknown}`, 404],
  ] as const) {
    assert.equal((await request(path)).status, status, path.slice(0, 60));
  }
});

test("empty segments are ignored, and dots are resolved as in any URL", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  for (const [path, status] of [
    ["/api/admin//events", 200],
    ["/api/admin/events//", 200],
    ["/api/admin/user-admin//1", 200],
    ["/api/admin/user-admin//", 200],
    ["/api/admin/personal-dashboard//", 200],
    ["/api/admin/projects//features", 404],
    ["/api/admin/./events", 200],
    ["/api/admin/nope/../events", 200],
    ["/api/admin/nope/%2e%2E/events", 200],
    ["/api/admin/events/..", 404],
    ["/api/admin/events/.", 200],
    ["/avatars/../api/admin/events", 200],
    ["/api/admin/personal-dashboard/%252e%252e", 404],
  ] as const) {
    assert.equal((await request(path)).status, status, path);
  }
});

const UNKNOWN_NUMBERS = [
  "0",
  "00",
  "99",
  "2147483647",
  "2147483648",
  "4294967297",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "18446744073709551616",
  "18446744073709551617",
  "1".repeat(400),
];

const NEGATIVE_NUMBERS = ["-0", "-1", "-01", "-42", "-2147483649", "-9223372036854775809"];

const NO_INTEGERS = [
  "abc",
  "1a",
  "a1",
  "+1",
  "%2B1",
  "-",
  "--1",
  "1-",
  "%201",
  "1%20",
  "1%0A",
  "%20",
  "1.0",
  "1.5",
  ".1",
  "1.",
  "1,0",
  "1e0",
  "1e3",
  "1E0",
  "0x1",
  "0b1",
  "0o1",
  "1n",
  "1_0",
  "NaN",
  "Infinity",
  "null",
  "undefined",
  "true",
  "[1]",
  "%EF%BC%91", // a full-width 1
  "%D9%A1", // an Arabic 1
  "1%2F",
  "1;",
  "'1'",
  "1 OR 1=1",
];

test("GET /api/admin/addons/:id/events: anything but a known number is a 404", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  for (const id of [...UNKNOWN_NUMBERS, ...NEGATIVE_NUMBERS, ...NO_INTEGERS]) {
    assert.deepEqual(outcome(await request(`/api/admin/addons/${id}/events`)), [404, "NotFoundError"], id);
  }
  for (const id of ["1", "01", "%31"]) {
    assert.equal((await request(`/api/admin/addons/${id}/events`)).body.integrationEvents.length, 1, id);
  }
});

test("GET /api/admin/user-admin/:id: a non-integer is a 400, an unknown id a 404", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  for (const id of NO_INTEGERS) {
    const reply = await request(`/api/admin/user-admin/${id}`);
    assert.deepEqual(outcome(reply), [400, "ValidationError"], id);
    assert.equal(reply.body.details[0].path, "path.id", id);
  }
  for (const id of [...UNKNOWN_NUMBERS, ...NEGATIVE_NUMBERS]) {
    assert.deepEqual(outcome(await request(`/api/admin/user-admin/${id}`)), [404, "NotFoundError"], id);
  }
  for (const id of ["1", "01", "%31"]) {
    assert.equal((await request(`/api/admin/user-admin/${id}`)).body.id, 1, id);
  }
});

const EVENTS_OF_1 = "/api/admin/addons/1/events";

test("limit and offset must be digits within their bounds, else a 400 names them", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  const beyond = ["9223372036854775808", "18446744073709551616", "9".repeat(400)];
  // In a query, a plus sign is a space.
  const wrong = [...NO_INTEGERS, ...NEGATIVE_NUMBERS, "", "%00"];
  for (const [name, values] of [
    ["limit", [...wrong, ...beyond, "0", "00", "1001", "2147483648"]],
    ["offset", wrong],
  ] as const) {
    for (const value of values) {
      const reply = await request(`${EVENTS_OF_1}?${name}=${value}`);
      assert.deepEqual(outcome(reply), [400, "ValidationError"], `${name}=${value}`);
      assert.deepEqual(
        reply.body.details.map((one: { path: string }) => one.path),
        [`query.${name}`],
      );
      assert.ok(reply.body.message.startsWith(`query.${name}: `), reply.body.message);
    }
  }
  for (const value of beyond) {
    const { status, body } = await request(`${EVENTS_OF_1}?offset=${value}`);
    assert.deepEqual([status, body.integrationEvents], [200, []], "an offset has no upper bound");
  }
});

test("limit and offset at their bounds", async (t) => {
  const world = everyPathWorld();
  for (let count = 1; count < 1001; count++) world.integrationEvent();
  const { request } = await openServer(t, world);
  for (const [query, expected] of [
    ["", 50],
    ["?limit=1", 1],
    ["?limit=001", 1],
    ["?limit=999", 999],
    ["?limit=1000", 1000],
    ["?limit=1000&offset=0", 1000],
    ["?limit=1000&offset=1", 1000],
    ["?limit=1000&offset=1000", 1],
    ["?offset=1001", 0],
    ["?offset=2147483648", 0],
    ["?offset=9007199254740991", 0],
    ["?LIMIT=0&Offset=x&limit[]=0&%6Cimit=2", 2],
  ] as const) {
    const { status, body } = await request(EVENTS_OF_1 + query);
    assert.deepEqual([status, body.integrationEvents?.length], [200, expected], query);
  }
});

test("a repeated parameter is a 400, and two invalid ones are both reported", async (t) => {
  const { request } = await openServer(t, everyPathWorld());
  for (const [query, paths] of [
    ["?limit=1&limit=1", ["query.limit"]],
    ["?limit=1&limit=", ["query.limit"]],
    ["?offset=0&limit=1&offset=1", ["query.offset"]],
    ["?limit=1&%6cimit=2", ["query.limit"]],
    ["?limit=0&offset=-1", ["query.limit", "query.offset"]],
  ] as const) {
    const reply = await request(EVENTS_OF_1 + query);
    assert.deepEqual(outcome(reply), [400, "ValidationError"], query);
    assert.deepEqual(
      reply.body.details.map((one: { path: string }) => one.path),
      paths,
      query,
    );
  }
});
