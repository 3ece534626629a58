import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import zlib from "node:zlib";
import type { ErrorBody } from "../../src/lib/api-error.ts";
import { openServer, type Reply } from "../support/server.ts";
import { CLIENT, createWorld, personal } from "../support/world.ts";

const SEARCH = "/api/admin/events/search";
const MIB = 2 ** 20;

const outcome = ({ status, body }: Reply) => [status, body?.name];
const bytes = (...parts: Array<string | number[]>) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

/** Three events, the newest of which is found by `{"limit":1}`. */
async function openSearch(t: TestContext) {
  const { request } = await openServer(t, createWorld().event().event().event());
  const post = (body: unknown, headers: Record<string, string> = {}, as: string | null = personal(1)) =>
    request(SEARCH, { method: "POST", body, headers, as });
  return { request, post };
}

const foundIds = ({ body }: Reply) => body.events?.map((event: { id: number }) => event.id);

/** JSON of this many bytes: an object with one criterion, padded with white space. */
const padded = (size: number) => `{"limit":1}${" ".repeat(size - 11)}`;

const FAST = { level: 1, params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
const ENCODINGS = [
  ["gzip", (text: string | Buffer) => zlib.gzipSync(text, FAST)],
  ["GZIP", (text: string | Buffer) => zlib.gzipSync(text, FAST)],
  ["deflate", (text: string | Buffer) => zlib.deflateSync(text, FAST)],
  ["br", (text: string | Buffer) => zlib.brotliCompressSync(text, FAST)],
] as const;

const streamed = (text: string) => new Blob([text]).stream();

test("a body that is not a JSON object is a 400 that says so", async (t) => {
  const { post } = await openSearch(t);
  for (const body of [
    "",
    " ",
    "\n",
    "[]",
    "[{}]",
    '[{"limit":1}]',
    "null",
    "true",
    "42",
    "-0",
    '"x"',
    '"{}"',
    "undefined",
    "NaN",
    "{",
    "}",
    "{}}",
    "{}{}",
    "{},",
    '{"limit":1',
    '{"limit":',
    '{"limit"}',
    '{"limit":1,}',
    '{"project":"a',
    '{"project":"a\\',
    '{"project":"\\u12"}',
    '{"project":"a\nb"}',
    "{'limit':1}",
    "{limit:1}",
    '{"limit":01}',
    '{"limit":+1}',
    '{"limit":0x1}',
    '{"limit":1}//',
    '{"limit":/**/1}',
    "limit=1",
    "--x\r\n",
    "<search/>",
    "\0",
    '{"limit":1}\0',
    "\v{}",
    "\u00a0{}",
  ]) {
    const reply = await post(body);
    const what = JSON.stringify(body);
    assert.deepEqual(outcome(reply), [400, "ValidationError"], what);
    assert.equal(reply.body.details.length, 1, what);
    assert.equal(reply.body.details[0].path, "body", what);
    assert.ok(reply.body.message.startsWith("body: "), reply.body.message);
  }
});

test("white space around the object is allowed", async (t) => {
  const { post } = await openSearch(t);
  for (const body of ['{"limit":1}', ' \t\r\n{\n "limit" :\t1.0e0 }\r\n ', '{"limit":2,"limit":1}']) {
    assert.deepEqual(foundIds(await post(body)), [3], JSON.stringify(body));
  }
});

test("bytes that are not UTF-8 are a 400, not replaced", async (t) => {
  const { post } = await openSearch(t);
  const around = (...text: number[]) => bytes('{"query":"', text, '"}');
  for (const body of [
    around(0xff),
    around(0xc3),
    around(0xc3, 0x28),
    around(0xe2, 0x82),
    around(0x80),
    around(0xc0, 0xaf), // an overlong slash
    around(0xed, 0xa0, 0x80), // a lone surrogate
    around(0xf4, 0x90, 0x80, 0x80), // beyond Unicode
    around(0xfc), // "ü" in ISO 8859-1
    bytes([0xff], "{}"),
    bytes("{}", [0xff]),
    bytes([0xff, 0xfe], '{\0"\0l\0"\0'),
    Buffer.from('\ufeff{"limit":1}', "utf16le"),
    Buffer.from('{"limit":1}', "utf16le"),
  ]) {
    assert.deepEqual(outcome(await post(body)), [400, "ValidationError"], body.toString("hex"));
  }
  const { status, body } = await post(around(0xc3, 0xbc, 0xf0, 0x9f, 0x98, 0x80));
  assert.deepEqual([status, body.totalEvents], [200, 0]);
});

test("a byte order mark before the object is ignored", async (t) => {
  const { post } = await openSearch(t);
  const mark = [0xef, 0xbb, 0xbf];
  assert.deepEqual(foundIds(await post(bytes(mark, '{"limit":1}'))), [3]);
  for (const body of [bytes(mark), bytes(mark, mark, "{}"), bytes("{", mark, "}"), bytes(mark, "[]")]) {
    assert.deepEqual(outcome(await post(body)), [400, "ValidationError"], body.toString("hex"));
  }
});

test("JSON in UTF-8 may be declared in any letter case, and quoted", async (t) => {
  const { post } = await openSearch(t);
  for (const type of [
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "APPLICATION/JSON ; CHARSET=Utf-8",
    'application/json; charset="utf-8"',
    'application/json; charset="UTF-8"',
    "application/json; x=y; charset=utf-8",
  ]) {
    assert.deepEqual(foundIds(await post('{"limit":1}', { "content-type": type })), [3], type);
  }
  assert.deepEqual(foundIds(await post('{"limit":1}', { "content-encoding": "identity" })), [3]);
});

test("another media type or charset, or an unknown encoding, is a 415", async (t) => {
  const { post } = await openSearch(t);
  for (const type of [
    "",
    "text/plain",
    "text/json",
    "json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/octet-stream",
    "application/jsonp",
    "application/json5",
    "application/json-patch+json",
    "application/vnd.api+json",
    "application/json, text/plain",
    "text/plain; application/json",
    "*/*",
    "application/json; charset=iso-8859-1",
    'application/json; charset="ISO-8859-1"',
    "application/json; charset=utf-16",
    "x".repeat(10_000),
  ]) {
    const reply = await post('{"limit":1}', { "content-type": type });
    assert.deepEqual(outcome(reply), [415, "ContentTypeError"], type);
    assert.ok(reply.body.message.length < 300, "a long type is not repeated in full");
  }
  for (const encoding of [
    "x-gzip",
    "compress",
    "zstd",
    "gzip, identity",
    "gzip, gzip",
    "",
    "x".repeat(5000),
  ]) {
    const reply = await post('{"limit":1}', { "content-encoding": encoding });
    assert.deepEqual(outcome(reply), [415, "ContentTypeError"], encoding);
    assert.ok(reply.body.message.length < 300);
  }
});

test("a body may be compressed", async (t) => {
  const { post } = await openSearch(t);
  for (const [encoding, compress] of ENCODINGS) {
    const reply = await post(compress(Buffer.from('{"limit":1}')), { "content-encoding": encoding });
    assert.deepEqual(foundIds(reply), [3], encoding);
    assert.deepEqual(foundIds(await post(compress(padded(MIB)), { "content-encoding": encoding })), [3]);
  }
});

test("a compressed body is limited by its decompressed size, and must be complete", async (t) => {
  const { post } = await openSearch(t);
  for (const [encoding, compress] of ENCODINGS) {
    for (const [body, outcomeOfIt] of [
      [compress(padded(MIB + 1)), [413, "PayloadTooLargeError"]],
      [compress(padded(100 * MIB)), [413, "PayloadTooLargeError"]],
      [compress("{"), [400, "ValidationError"]],
      [compress('{"limit":1}').subarray(0, -6), [400, "ValidationError"]],
      ['{"limit":1}', [400, "ValidationError"]],
      [compress(""), [400, "ValidationError"]],
    ] as const) {
      const reply = await post(body, { "content-encoding": encoding });
      assert.deepEqual(outcome(reply), outcomeOfIt, encoding);
    }
  }
});

test("a long key with NUL is named by its beginning", async (t) => {
  const { request } = await openServer(t);
  const body = { [`${"k".repeat(100_000)}\0`]: 1 };
  const reply = await request("/api/admin/events/search", { method: "POST", body });
  assert.equal(reply.status, 400);
  assert.ok(reply.text.length < 500, `${reply.text.length} characters`);
});

test("NUL in any value of a body is a 400 that names it, an escaped backslash before its digits is not NUL", async (t) => {
  const { post } = await openSearch(t);
  for (const [body, path] of [
    ['{"query":"a\\u0000b"}', "body.query"],
    ['{"nope":{"deep":["\\u0000"]}}', "body.0"],
    ['{"a\\u0000":1}', "body.a\0"],
  ] as const) {
    const reply = await post(body);
    assert.deepEqual(outcome(reply), [400, "ValidationError"], body);
    assert.equal(reply.body.details[0].path, path);
  }
  assert.equal((await post('{"query":"\\\\u0000"}')).status, 200);
});

test("a body without a content type is a 415", async (t) => {
  const { app } = await openServer(t);
  const body = Buffer.from("{}"); // bytes, since fetch adds a type to text
  const response = await app.request(SEARCH, {
    method: "POST",
    headers: { authorization: personal(1) },
    body,
  });
  const { name } = (await response.json()) as ErrorBody;
  assert.deepEqual([response.status, name], [415, "ContentTypeError"]);
});

test("a body of exactly 1 MiB is read, one more byte is a 413", async (t) => {
  const { post } = await openSearch(t);
  for (const as of [(text: string) => text, streamed]) {
    assert.deepEqual(foundIds(await post(as(padded(MIB)))), [3]);
    for (const size of [MIB + 1, 2 * MIB, 5 * MIB]) {
      assert.deepEqual(outcome(await post(as(padded(size)))), [413, "PayloadTooLargeError"], `${size} bytes`);
    }
  }
});

test("the limit counts bytes, whatever they are", async (t) => {
  const { post } = await openSearch(t);
  const text = (letter: string, size: number) => `{"nope":"${letter.repeat((size - 11) / 2)}"}`;
  assert.equal(Buffer.byteLength(text("é", MIB - 1)), MIB - 1);
  assert.equal((await post(text("é", MIB - 1))).status, 200);
  assert.equal((await post(text("é", MIB + 1))).status, 413);
  for (const body of ["[".repeat(MIB + 1), "x".repeat(MIB + 1), Buffer.alloc(MIB + 1, 0xff)]) {
    assert.deepEqual(outcome(await post(body)), [413, "PayloadTooLargeError"]);
  }
});

test("100,000 nested brackets are handled like any other value", async (t) => {
  const { post } = await openSearch(t);
  const [open, close] = ["[".repeat(100_000), "]".repeat(100_000)];
  const objects = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  for (const [body, status, path] of [
    [open + close, 400, "body"],
    [open, 400, "body"],
    [close, 400, "body"],
    ['{"a":'.repeat(100_000), 400, "body"],
    [`{"project":${open}${close}}`, 400, "body.project"],
    [`{"type":${open}${close}}`, 400, "body.type"],
    [`{"limit":${objects}}`, 400, "body.limit"],
    [`{"nope":${open}${close},"limit":1}`, 200, undefined],
    [objects, 200, undefined],
  ] as const) {
    const reply = await post(body);
    assert.equal(reply.status, status, body.slice(0, 20));
    assert.equal(reply.body.details?.[0].path, path, body.slice(0, 20));
    assert.ok(reply.body.message === undefined || reply.body.message.length < 300);
  }
});

test("__proto__ is an unknown property like any other", async (t) => {
  const { post } = await openSearch(t);
  for (const body of [
    '{"__proto__":{"limit":0},"limit":1}',
    '{"__proto__":{"type":"nope","project":"nope"},"limit":1}',
    '{"__proto__":null,"limit":1}',
    '{"__proto__":[],"limit":1}',
    '{"constructor":{"prototype":{"limit":0}},"limit":1}',
    '{"hasOwnProperty":1,"toString":2,"valueOf":3,"toJSON":4,"limit":1}',
  ]) {
    assert.deepEqual(foundIds(await post(body)), [3], body);
  }
  assert.deepEqual(foundIds(await post('{"__proto__":{"limit":1}}')), [3, 2, 1], "nothing is inherited");
  assert.equal(Object.hasOwn(Object.prototype, "limit"), false);
});

test("an invalid number is a 400, not coerced", async (t) => {
  const { post } = await openSearch(t);
  for (const [body, path] of [
    ['{"offset":1e400}', "body.offset"],
    ['{"limit":1e-1}', "body.limit"],
    ['{"limit":1e400}', "body.limit"],
    ['{"limit":100.0000000001}', "body.limit"],
  ] as const) {
    const reply = await post(body);
    assert.deepEqual(outcome(reply), [400, "ValidationError"], body);
    assert.equal(reply.body.details[0].path, path, body);
  }
});

test("credential and kind of token are checked before the body", async (t) => {
  const { post } = await openSearch(t);
  for (const [body, headers] of [
    ["{", {}],
    ["", {}],
    [padded(MIB + 1), {}],
    ["{}", { "content-type": "text/plain" }],
    ["{}", { "content-encoding": "gzip" }],
    [{ limit: 0 }, {}],
  ] as Array<[string, Record<string, string>]>) {
    assert.deepEqual(outcome(await post(body, headers, null)), [401, "AuthenticationRequired"]);
    assert.deepEqual(outcome(await post(body, headers, CLIENT)), [403, "NoAccessError"]);
  }
});
