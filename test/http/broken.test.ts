import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { ErrorBody } from "../../src/lib/api-error.ts";
import {
  assertError,
  connect,
  EVENTS,
  exchange,
  head,
  openListening,
  searchHead,
  TOKEN,
  withLongLog,
} from "./raw-http.ts";

/** Messages that never reach the app: the HTTP parser rejects them. */
const BROKEN: Array<string | Buffer> = [
  "hello\r\n\r\n",
  "GET\r\n\r\n",
  `get ${EVENTS} HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET ${EVENTS} HTTP/9.9\r\nhost: x\r\n\r\n`,
  `GET ${EVENTS} FTP/1.1\r\nhost: x\r\n\r\n`,
  `GET ${EVENTS} x HTTP/1.1\r\nhost: x\r\n\r\n`,
  "GET api/admin/events HTTP/1.1\r\nhost: x\r\n\r\n",
  Buffer.from(`GET ${EVENTS}/\xfc HTTP/1.1\r\nhost: x\r\n\r\n`, "latin1"),
  `GET ${EVENTS}/\0 HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET ${EVENTS} HTTP/1.1\r\nhost x\r\n\r\n`,
  `GET ${EVENTS} HTTP/1.1\r\nhost: x\r\na b: c\r\n\r\n`,
  `GET ${EVENTS} HTTP/1.1\r\nhost: x\r\na: b\0c\r\n\r\n`,
  searchHead("content-length: -1"),
  searchHead("content-length: x"),
  searchHead("content-length: 1", "content-length: 2"),
  searchHead("content-length: 2", "transfer-encoding: chunked"),
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]), // a TLS greeting
  Buffer.alloc(100, 0),
  "\u00fc".repeat(100),
];

test("malformed HTTP is a 400 in JSON, and the connection is closed", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  for (const text of BROKEN) {
    const { send, reply, rest } = connect(listening.url);
    send(text);
    const answer = await reply();
    assert.equal(answer?.status, 400, JSON.stringify(String(text)));
    assertError(answer, [400, "ValidationError"]);
    assert.equal(answer.headers.get("connection"), "close");
    assert.equal(await rest(), "");
  }
  await requireUnharmed();
});

test("a request that ends early is told so", async (t) => {
  const { listening } = await openListening(t);
  const { socket, send, reply } = connect(listening.url);
  send(searchHead("content-length: 9"), "{");
  socket.end();
  assert.match((await reply())!.body, /"request: ended before it was complete"/);
});

test("a client that hangs up on pipelined responses causes no error", async (t) => {
  const { listening, requireUnharmed } = await openListening(t, withLongLog());
  const { socket, send } = connect(listening.url);
  send(head("GET", `${EVENTS}?project=long`), head("GET", EVENTS).repeat(3));
  await once(socket, "data");
  socket.resetAndDestroy();
  await requireUnharmed();
});

test("a client that sends CONNECT and hangs up at once causes no crash", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  const { socket } = connect(listening.url);
  await once(socket, "connect");
  socket.write(head("CONNECT", "localhost:80"), () => socket.resetAndDestroy());
  await once(socket, "close");
  await requireUnharmed();
});

test("a refused client can't keep the connection half open", async (t) => {
  const { listening } = await openListening(t);
  const accepted: net.Socket[] = [];
  const remember = (message: unknown) => accepted.push((message as { socket: net.Socket }).socket);
  diagnostics.subscribe("net.server.socket", remember);
  t.after(() => diagnostics.unsubscribe("net.server.socket", remember));
  const { hostname, port } = new URL(listening.url);
  const client = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  t.after(() => client.destroy());
  client.resume().write("hello\r\n\r\n");
  await once(client, "end");
  for (let tries = 0; tries < 50 && !accepted[0]?.destroyed; tries++) await setTimeout(10);
  assert.deepEqual(
    accepted.map((socket) => socket.destroyed),
    [true],
  );
});

test("malformed HTTP after a request does not corrupt the response to that request", async (t) => {
  const { listening, requireUnharmed } = await openListening(t, withLongLog());
  const { socket, send, rest } = connect(listening.url);
  send(head("GET", `${EVENTS}?project=long`));
  await once(socket, "data");
  send("hello\r\n\r\n");
  const text = await rest();
  assert.ok(text.startsWith("HTTP/1.1 200"));
  assert.equal(text.lastIndexOf("HTTP/1.1"), 0);
  await requireUnharmed();
});

test("headers of 16 kB are a 431 in JSON, 8 kB are accepted", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  for (const request of [
    head("GET", EVENTS, `x: ${"a".repeat(17_000)}`),
    head("GET", EVENTS, `authorization: ${"a".repeat(17_000)}`),
    head("GET", `/${"a".repeat(17_000)}`),
    head("GET", EVENTS, ...Array.from({ length: 1500 }, (_, index) => `x${index}: abcd`)),
    head("GET", EVENTS, `x: ${"a".repeat(100_000)}`),
  ]) {
    const reply = await exchange(listening.url, request);
    assertError(reply, [431, "HeadersTooLargeError"]);
    assert.equal(reply.headers.get("connection"), "close");
  }
  const long = "a".repeat(8192);
  assert.equal((await exchange(listening.url, head("GET", EVENTS, `x: ${long}`))).status, 200);
  assert.equal((await exchange(listening.url, head("GET", `/api/admin/${long}`))).status, 404);
  await requireUnharmed();
});

test("an error for malformed HTTP is like any other: headers, details, and its id in the log", async (t) => {
  const { listening, logged } = await openListening(t);
  for (const [request, keys] of [
    ["hello\r\n\r\n", ["id", "name", "message", "details"]],
    [head("GET", `/${"a".repeat(17_000)}`), ["id", "name", "message", "details"]],
  ] as const) {
    const { headers, body } = await exchange(listening.url, request);
    const error = JSON.parse(body) as ErrorBody;
    assert.deepEqual(Object.keys(error), keys);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cache-control"), "private, no-cache");
    assert.equal(logged.at(-1)?.id, error.id);
  }
});

test("the token must be the complete, single value of its header", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  const bare = (...lines: string[]) =>
    Buffer.from([`GET ${EVENTS} HTTP/1.1`, "host: localhost", ...lines, "", ""].join("\r\n"), "latin1");
  const line = `authorization: ${TOKEN}`;
  for (const lines of [
    [],
    ["authorization:"],
    ["authorization: Bearer"],
    ["authorization: Bearer "],
    [`${line} ${TOKEN}`],
    [`${line}, ${TOKEN}`],
    [`${line},`],
    [`${line};`],
    [`authorization: "${TOKEN}"`],
    [`authorization: Basic ${TOKEN}`],
    [`authorization: Bearer Bearer ${TOKEN}`],
    [`authorization: Bearer${TOKEN}`],
    [`authorization: Bearer,${TOKEN}`],
    [`authorization: ${TOKEN.slice(0, -1)}`],
    [`authorization: ${TOKEN.slice(1)}`],
    [`authorization: ${TOKEN.slice(0, 5)}`],
    [`${line}0`],
    [`${line}\xe9`],
    [`authorization: \xfc${TOKEN}`],
    [`authorization: ${TOKEN.replace(":", ": ")}`],
    [`authorization: ${TOKEN.replace(":", ":\t")}`],
    [`authorization: ${TOKEN.slice(0, 30)} ${TOKEN.slice(30)}`],
    [`authorization: ${TOKEN.toUpperCase()}`],
    [`authorization: ${"a".repeat(8192)}`],
    [`authorization: Bearer ${" ".repeat(8192)}`],
    [`x-authorization: ${TOKEN}`],
    [`cookie: authorization=${TOKEN}`],
  ]) {
    const reply = await exchange(listening.url, bare(...lines));
    assert.equal(reply.status, 401, lines.join(" | ").slice(0, 100));
    assertError(reply, [401, "AuthenticationRequired"]);
  }
  for (const given of [TOKEN, `  ${TOKEN}\t `, `Bearer ${TOKEN}`, `bearer   ${TOKEN} `, `BEARER\t${TOKEN}`]) {
    assert.equal((await exchange(listening.url, bare(`authorization: ${given}`))).status, 200, given);
  }
  await requireUnharmed();
});
