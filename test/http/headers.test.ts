import assert from "node:assert/strict";
import crypto from "node:crypto";
import { test } from "node:test";
import { type Call, openServer, type Reply } from "../support/server.ts";
import { CLIENT, createWorld, personal, SERVICE } from "../support/world.ts";

const EVENTS = "/api/admin/events";
const SEARCH = `${EVENTS}/search`;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const outcome = ({ status, body }: Reply) => [status, body?.name];

const VARIANT = { weight: 1000, weightType: "variable", stickiness: "default" };

/** Names and data beyond ASCII in every response. */
const worldly = () =>
  createWorld()
    .user({ name: "Zoë 😀", username: "zoë", rootRole: 1, email: "zoë@exämple.com" })
    .environment("grün", { sortOrder: 0 })
    .project("日本", { name: "日本語 😀", environments: ["grün", "development"] })
    .member("日本", 1, 4)
    .feature("grün", "日本", {
      description: "für 😀",
      tags: [{ type: "simple", value: "schön" }],
      environments: [
        { name: "grün", variants: [{ ...VARIANT, name: "kürze" }] },
        {
          name: "development",
          variants: [{ ...VARIANT, name: "größe" }],
          strategies: [{ id: "s", name: "default", title: "langsam → schnell" }],
        },
      ],
    })
    .add("strategyType", { name: "grün" })
    .event({ project: "日本", data: { text: "Grüße 😀 \u2028" }, createdBy: "zoë" })
    .integration()
    .integrationEvent({ stateDetails: "größer", details: { body: "日本" } })
    .notification({ message: "schön", recipients: [{ userId: 1 }] });

const PROJECT = `/api/admin/projects/${encodeURIComponent("日本")}`;
const FEATURE = `${PROJECT}/features/${encodeURIComponent("grün")}`;

/** Reads whose responses contain non-ASCII text. */
const CALLS: Array<[path: string, call: Call]> = [
  ["/api/admin/addons/1/events", {}],
  ["/api/admin/projects", {}],
  [`${PROJECT}/overview`, {}],
  [`${PROJECT}/features`, {}],
  [FEATURE, {}],
  [`${FEATURE}/environments/development`, {}],
  [`${FEATURE}/environments/development/strategies`, {}],
  ["/api/admin/events", {}],
  [`/api/admin/events/${encodeURIComponent("grün")}`, {}],
  ["/api/admin/user-admin/5", {}],
  ["/api/admin/notifications", {}],
  ["/api/admin/personal-dashboard", {}],
  ["/api/admin/personal-dashboard/日本", {}],
  ["/api/admin/events/search", { method: "POST", body: {} }],
];

test("content-length counts bytes, not characters", async (t) => {
  const { request } = await openServer(t, worldly());
  for (const [path, call] of CALLS) {
    const { status, headers, text } = await request(path, call);
    assert.equal(status, 200, path);
    assert.ok(Buffer.byteLength(text) > text.length, `${path} contains non-ASCII text`);
    assert.equal(headers.get("content-length"), String(Buffer.byteLength(text)), path);
  }
  const { status, headers, text } = await request("/api/admin/personal-dashboard/nirgendwö");
  assert.equal(status, 404);
  assert.ok(text.includes("nirgendwö"));
  assert.equal(headers.get("content-length"), String(Buffer.byteLength(text)));
});

test("JSON is compact", async (t) => {
  const { request } = await openServer(t, worldly());
  for (const [path, call] of CALLS) {
    const { text, body } = await request(path, call);
    assert.equal(text, JSON.stringify(body), path);
  }
});

test("an ETag identifies the body: equal for equal bodies, different after a change and for other bodies", async (t) => {
  const { request, db } = await openServer(t, worldly());
  const etag = async (path: string, as = personal(1)) => (await request(path, { as })).headers.get("etag");
  const seen = new Set<string | null>();
  for (const [path, { method }] of CALLS) {
    if (method === "POST") continue;
    const first = await etag(path);
    assert.match(first ?? "none", /^(W\/)?"[!#-~]+"$/, path);
    assert.equal(await etag(path), first, path);
    seen.add(first);
  }
  assert.equal(seen.size, CALLS.length - 1);
  const before = await etag("/api/admin/user-admin/1");
  db.exec("UPDATE users SET name = 'Another' WHERE id = 1");
  assert.notEqual(await etag("/api/admin/user-admin/1"), before);
  assert.notEqual(
    await etag("/api/admin/personal-dashboard"),
    await etag("/api/admin/personal-dashboard", SERVICE),
  );
});

/** `If-None-Match`, with `TAG` as a placeholder for the response's ETag. */
const CONDITIONS: Array<[header: string, status: number]> = [
  ["TAG", 304],
  ["W/TAG", 304],
  ["*", 304],
  ['"x", TAG', 304],
  ['"x",TAG,"y"', 304],
  ['W/"x" , W/TAG', 304],
  ["  TAG  ", 304],
  ["", 200],
  ['"x"', 200],
  ['"x", W/"y"', 200],
  ['"*"', 200],
  ['""', 200],
];

test("If-None-Match with the ETag, weak, in a list, or * is a 304 without a body", async (t) => {
  const { request } = await openServer(t, worldly());
  for (const [path, { method: real }] of CALLS) {
    if (real !== "GET") continue;
    const whole = await request(path);
    const etag = whole.headers.get("etag")!;
    for (const method of ["GET", "HEAD"]) {
      for (const [condition, status] of CONDITIONS) {
        const headers = { "if-none-match": condition.replaceAll("TAG", etag) };
        const reply = await request(path, { method, headers });
        const what = `${method} ${path} if ${headers["if-none-match"]}`;
        assert.equal(reply.status, status, what);
        assert.equal(reply.headers.get("etag"), etag, what);
        assert.equal(reply.headers.get("cache-control"), "private, no-cache", what);
        assert.equal(reply.text, status === 304 || method === "HEAD" ? "" : whole.text, what);
        const length = reply.headers.get("content-length");
        if (status === 200 || length !== null) {
          assert.equal(length, whole.headers.get("content-length"), what);
        }
      }
    }
  }
});

test("part of an ETag, or one without its quotes, does not match", async (t) => {
  const { request } = await openServer(t, worldly());
  const etag = (await request(EVENTS)).headers.get("etag")!;
  for (const condition of [etag.slice(1, -1), `${etag.slice(0, -3)}"`, `"${etag}"`, etag.toLowerCase()]) {
    const { status } = await request(EVENTS, { headers: { "if-none-match": condition } });
    assert.equal(status, 200, condition);
  }
});

test("If-None-Match has no effect on a POST or an error", async (t) => {
  const { request } = await openServer(t, worldly());
  const plain = await request(SEARCH, { method: "POST", body: {} });
  for (const tag of ["*", plain.headers.get("etag") ?? '"x"']) {
    const headers = { "if-none-match": tag };
    const again = await request(SEARCH, { method: "POST", body: {}, headers });
    assert.deepEqual([again.status, again.text], [200, plain.text]);
    for (const [path, call, status] of [
      [EVENTS, { as: null }, 401],
      [EVENTS, { as: CLIENT }, 403],
      ["/api/admin/user-admin/99", {}, 404],
      ["/api/admin/nope", {}, 404],
      ["/api/admin/user-admin/x", {}, 400],
      [EVENTS, { method: "DELETE" }, 405],
    ] as const) {
      assert.equal((await request(path, { ...call, headers })).status, status, path);
    }
  }
});

/** A way to get each status, and whether the body has details. */
const FAILURES: Array<[status: number, name: string, path: string, call: Call]> = [
  [400, "ValidationError", "/api/admin/user-admin/x", {}],
  [400, "ValidationError", "/api/admin/user-admin/%zz", {}],
  [400, "ValidationError", `${EVENTS}?project=a&project=b`, {}],
  [400, "ValidationError", SEARCH, { method: "POST", body: { limit: 0, query: 1 } }],
  [400, "ValidationError", SEARCH, { method: "POST", body: "" }],
  [401, "AuthenticationRequired", EVENTS, { as: null }],
  [403, "NoAccessError", "/api/admin/user-admin/1", { as: personal(3) }],
  [404, "NotFoundError", "/api/admin/personal-dashboard/nope", {}],
  [404, "NotFoundError", "/nope", { as: null }],
  [404, "NotFoundError", "/avatars/nope", { as: null }],
  [405, "MethodNotAllowedError", SEARCH, { method: "PUT" }],
  [413, "PayloadTooLargeError", SEARCH, { method: "POST", body: " ".repeat(2 ** 20 + 1) }],
  [
    415,
    "ContentTypeError",
    SEARCH,
    { method: "POST", body: "{}", headers: { "content-type": "text/plain" } },
  ],
];

test("an error's body has an id, name, message and details; a 401 says where to sign in", async (t) => {
  const { request } = await openServer(t);
  for (const [status, name, path, call] of FAILURES) {
    const { body, headers, ...reply } = await request(path, call);
    assert.deepEqual([reply.status, body.name], [status, name], path);
    const signIn =
      status === 401 ? { path: "/auth/simple/login", type: "password", defaultHidden: false } : {};
    const { id, message, details } = body;
    assert.deepEqual(body, { id, name, message, details, ...signIn }, path);
    assert.match(body.id, UUID, path);
    assert.equal(headers.get("content-type"), "application/json; charset=utf-8", path);
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.equal(headers.get("etag"), null, path);
    const [{ path: where, message: what }] = details;
    assert.equal(message, status === 400 ? `${where}: ${what}` : what, "the message is the first detail");
  }
});

test("an error's id is unique and is in its log line", async (t) => {
  const { request, logged } = await openServer(t);
  const ids: string[] = [];
  for (const [status, , path, call] of [...FAILURES, ...FAILURES]) {
    const before = logged.length;
    const { body } = await request(path, call);
    ids.push(body.id);
    const [line, ...others] = logged.slice(before);
    assert.deepEqual(others, [], "one line per error");
    assert.equal(line?.id, body.id, path);
    assert.equal(line?.status, status, path);
    assert.equal(line?.method, call.method ?? "GET", path);
    assert.equal(line?.path, path.split("?")[0], path);
  }
  assert.equal(new Set(ids).size, ids.length);
});

test("no secret from an Authorization header appears in a response or the log", async (t) => {
  const { request, logged } = await openServer(t, worldly());
  const secrets = [
    personal(1),
    personal(3),
    SERVICE,
    CLIENT,
    `user:${"5ec2e7".repeat(9)}ab`,
    "5ec2e7 5ec2e7",
  ];
  for (const secret of secrets) {
    const hash = crypto.createHash("sha256").update(secret).digest("hex");
    for (const as of [secret, `Bearer ${secret}`, `Basic ${secret}`, `${secret}, ${secret}`, `${secret}x`]) {
      for (const [path, call] of [...CALLS, ...FAILURES.map(([, , path, call]) => [path, call] as const)]) {
        const { text } = await request(path, { ...call, as });
        assert.ok(!text.includes(secret) && !text.includes(hash), path);
      }
    }
    const log = JSON.stringify(logged);
    assert.ok(!log.includes(secret) && !log.includes(hash), "the log");
  }
  assert.ok(logged.length > secrets.length, "something was logged");
});

const HASH = crypto.createHash("sha256").update("admin").digest("hex");

test("an avatar is public, and always the same", async (t) => {
  const { request, logged } = await openServer(t);
  const { body: user } = await request("/api/admin/user-admin/1");
  assert.equal(user.imageUrl, `/avatars/${HASH}.svg`);
  const { status, headers, text } = await request(user.imageUrl, { as: null });
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "image/svg+xml");
  assert.equal(headers.get("content-length"), String(Buffer.byteLength(text)));
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*<\/svg>$/s);
  assert.doesNotMatch(text, /script|href|admin/);
  const again = await request(`${user.imageUrl}?size=42`, { as: "user:nobody" });
  assert.deepEqual([again.status, again.text], [200, text]);
  const other = await request(`/avatars/${HASH.replace(/^./, "0")}.svg`, { as: null });
  assert.equal(other.status, 200);
  assert.notEqual(other.text, text);
  assert.deepEqual(logged, []);
});

test("an avatar with an invalid name is a 404", async (t) => {
  const { request } = await openServer(t);
  for (const name of [
    "",
    "/",
    ".svg",
    "admin.svg",
    HASH,
    `${HASH}.png`,
    `${HASH}.SVG`,
    `${HASH}.svg.svg`,
    `${HASH}.svgz`,
    `${HASH}.svg%0A`,
    `${HASH}.svg%2F`,
    `${HASH}%2Fx.svg`,
    `x/${HASH}.svg`,
    `${HASH.slice(1)}.svg`,
    `0${HASH}.svg`,
    `${HASH.toUpperCase()}.svg`,
    `g${HASH.slice(1)}.svg`,
    `${"%C3%BC".repeat(64)}.svg`,
    `..%2F${HASH}.svg`,
  ]) {
    assert.deepEqual(
      outcome(await request(`/avatars/${name}`, { as: null })),
      [404, "NotFoundError"],
      `/avatars/${name}`,
    );
  }
});
