import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";

import { listen, PortInUseError } from "../../src/http/node-server.ts";
import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";
import {
  askForLong,
  assertError,
  COUNT,
  connect,
  EVENTS,
  exchange,
  head,
  LOCAL,
  MIB,
  openListening,
  SEARCH,
  searchHead,
  TOKEN,
  withLongLog,
} from "./raw-http.ts";

const chunk = (data: Buffer | string) => [
  `${Buffer.byteLength(data).toString(16)}\r\n`,
  Buffer.from(data),
  "\r\n",
];

test("it is reachable at the address it reports, on each kind of host", async (t) => {
  const { listener } = await openServer(t);
  for (const [host, name] of [
    ["127.0.0.1", "127.0.0.1"],
    ["localhost", "localhost"],
    ["0.0.0.0", "127.0.0.1"],
  ] as const) {
    const listening = await listen(listener, { ...LOCAL, host });
    t.after(() => listening.close());
    const { protocol, hostname, port, pathname } = new URL(listening.url);
    assert.deepEqual([protocol, hostname, pathname], ["http:", name, "/"]);
    assert.notEqual(port, "0");
    assert.equal((await fetch(`${listening.url}${EVENTS}`)).status, 401, host);
  }
});

test("it says that a connection without a request stays open for 15 seconds", async (t) => {
  const { listening } = await openListening(t);
  const { headers } = await fetch(`${listening.url}/health`);
  assert.deepEqual([headers.get("connection"), headers.get("keep-alive")], ["keep-alive", "timeout=15"]);
});

test("on 127.0.0.1 it is not reachable from elsewhere", { skip: process.platform !== "linux" }, async (t) => {
  const { listening } = await openListening(t);
  const elsewhere = net.connect(Number(new URL(listening.url).port), "127.0.0.2");
  await assert.rejects(once(elsewhere, "connect"), { code: "ECONNREFUSED" });
});

test("environment variables and signals have no effect", async (t) => {
  const names = ["PORT", "HOST", "NODE_ENV"] as const;
  const before = names.map((name) => process.env[name]);
  t.after(() => {
    for (const [index, name] of names.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
  });
  Object.assign(process.env, { PORT: "1", HOST: "0.0.0.0", NODE_ENV: "production" });
  const signals = () => ["SIGINT", "SIGTERM", "SIGHUP", "exit"].map((name) => process.listenerCount(name));
  const listened = signals();
  const { listening, requireUnharmed } = await openListening(t);
  assert.equal(new URL(listening.url).hostname, "127.0.0.1");
  assert.deepEqual(signals(), listened);
  await requireUnharmed();
});

test("a port in use is a PortInUseError, and its owner keeps it", async (t) => {
  const { listener, listening, requireUnharmed } = await openListening(t);
  const port = Number(new URL(listening.url).port);
  await assert.rejects(listen(listener, { ...LOCAL, port }), (error) => {
    assert.ok(error instanceof PortInUseError);
    assert.ok(error.message.includes(String(port)));
    return true;
  });
  await requireUnharmed();
});

test("a port that browsers block can be used", async (t) => {
  const { listener } = await openServer(t);
  const listening = await listen(listener, { ...LOCAL, port: 6667 });
  t.after(() => listening.close());
  assert.equal(new URL(listening.url).port, "6667");
});

test("an address that is not this machine's is reported as such", async (t) => {
  const { listener } = await openServer(t);
  await assert.rejects(
    listen(listener, { ...LOCAL, host: "192.0.2.1" }),
    /^Error: 192\.0\.2\.1 is not an address of this machine/,
  );
});

test("a port is free again after close", async (t) => {
  const { listener } = await openServer(t);
  const first = await listen(listener, LOCAL);
  const port = Number(new URL(first.url).port);
  await first.close();
  const again = await listen(listener, { ...LOCAL, port });
  t.after(() => again.close());
  assert.equal(again.url, first.url);
});

test("a body over 1 MiB is a 413, with a content length or chunked, and the next request works", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  const spaces = (size: number) => Buffer.alloc(size, " ");
  for (const size of [MIB + 1, 4 * MIB]) {
    for (const parts of [
      [searchHead(`content-length: ${size}`), spaces(size)],
      [searchHead("transfer-encoding: chunked"), ...chunk(spaces(size)), "0\r\n\r\n"],
      [searchHead("transfer-encoding: chunked"), ...chunk(spaces(MIB)), ...chunk(spaces(size - MIB))],
    ]) {
      assertError(await exchange(listening.url, ...parts), [413, "PayloadTooLargeError"]);
      await requireUnharmed();
    }
  }
});

test("a body over 1 MiB is refused before it is sent", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  for (const length of [MIB + 1, 1e15]) {
    const reply = await exchange(listening.url, searchHead(`content-length: ${length}`));
    assertError(reply, [413, "PayloadTooLargeError"]);
  }
  await requireUnharmed();
});

test("exactly 1 MiB in chunks is read", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  const body = `{"limit":1}${" ".repeat(MIB - 11)}`;
  const reply = await exchange(
    listening.url,
    searchHead("transfer-encoding: chunked"),
    ...chunk(body.slice(0, 5)),
    ...chunk(body.slice(5)),
    "0\r\n\r\n",
  );
  assert.equal(reply.status, 200);
  await requireUnharmed();
});

test("many concurrent bodies over 1 MiB, from clients that hang up, do no harm", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  const body = Buffer.alloc(2 * MIB, " ");
  await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const { socket, send, reply } = connect(listening.url);
      send(
        ...(index % 2
          ? [searchHead(`content-length: ${body.length}`), body]
          : [searchHead("transfer-encoding: chunked"), ...chunk(body)]),
      );
      const answer = await reply();
      if (index % 4 < 2) socket.destroy();
      else socket.resetAndDestroy();
      assert.equal(answer?.status, 413);
    }),
  );
  await requireUnharmed();
});

test("pipelined requests are answered in order, HEAD and 304 without a body", async (t) => {
  const { listening, get, requireUnharmed } = await openListening(t, createWorld().event());
  const etag = (await get(EVENTS)).headers.get("etag")!;
  const { socket, send, reply } = connect(listening.url);
  send(
    head("HEAD", EVENTS),
    head("GET", EVENTS, `if-none-match: ${etag}`),
    head("GET", "/api/admin/nope"),
    searchHead("content-length: 2"),
    "{}",
    head("HEAD", "/api/admin/nope"),
    head("GET", "/api/admin/user-admin/2"),
  );
  const replies = [
    await reply({ hasBody: false }),
    await reply({ hasBody: false }),
    await reply(),
    await reply(),
    await reply({ hasBody: false }),
    await reply(),
  ];
  assert.deepEqual(
    replies.map((one) => one?.status),
    [200, 304, 404, 200, 404, 200],
  );
  assert.equal(JSON.parse(replies.at(-1)!.body).id, 2);
  socket.destroy();
  await requireUnharmed();
});

test("no 100 Continue is sent in the middle of an earlier response", async (t) => {
  const { listening, requireUnharmed } = await openListening(
    t,
    createWorld().event({ data: { text: "x".repeat(10_000) } }),
  );
  const { socket, send, reply } = connect(listening.url);
  send(head("GET", EVENTS, "expect: 100-continue").repeat(2));
  assert.equal((await reply())?.status, 100);
  for (let time = 0; time < 2; time++) {
    const answer = await reply();
    assert.deepEqual([answer?.status, JSON.parse(answer!.body).totalEvents], [200, 1]);
  }
  socket.destroy();
  await requireUnharmed();
});

test("HEAD of a streamed response has its headers and nothing else", async (t) => {
  const { listening, requireUnharmed } = await openListening(t, withLongLog());
  const { send, reply, rest } = connect(listening.url);
  send(head("HEAD", `${EVENTS}?project=long`, "connection: close"));
  assert.equal((await reply({ hasBody: false }))?.status, 200);
  assert.equal(await rest(), "");
  await requireUnharmed();
});

test("of several hundred concurrent requests, each gets its own response", async (t) => {
  const world = createWorld().project("a").member("a", 1).feature("f", "a").integration();
  for (let id = 1; id <= 300; id++) world.event({ project: "a", data: { text: "ü".repeat(id * 10) } });
  const { app, listening, requireUnharmed } = await openListening(t, world);
  const bodies = [{}, { limit: 7 }, { query: "ü".repeat(900) }, { limit: 0 }].map((body) => ({
    method: "POST",
    headers: { authorization: TOKEN, "content-type": "application/json" },
    body: JSON.stringify(body),
  }));
  const calls: Array<[path: string, init: RequestInit]> = [
    ...[1, 2, 3, 4, 5].map((id): [string, RequestInit] => [`/api/admin/user-admin/${id}`, {}]),
    ...[EVENTS, `${EVENTS}?project=a`, "/api/admin/personal-dashboard", "/api/admin/notifications"].map(
      (path): [string, RequestInit] => [path, {}],
    ),
    ["/api/admin/projects/a/features", { headers: { authorization: personal(3) } }],
    ["/api/admin/personal-dashboard", { headers: { authorization: personal(3) } }],
    ["/api/admin/addons/1/events", { headers: { authorization: personal(2) } }],
    [EVENTS, { headers: { authorization: "user:nobody" } }],
    ...bodies.map((init): [string, RequestInit] => [SEARCH, init]),
  ];
  const withToken = (init: RequestInit) => ({ headers: { authorization: TOKEN }, ...init });
  const shown = async (response: Response) => [
    response.status,
    (await response.text()).replace(/"id":"[0-9a-f-]{36}"/, ""),
  ];
  const expected = await Promise.all(
    calls.map(async ([path, init]) => shown(await app.request(path, withToken(init)))),
  );
  assert.deepEqual(
    expected.map(([status]) => status),
    [200, 200, 200, 200, 404, 200, 200, 200, 200, 200, 200, 403, 401, 200, 200, 200, 400],
  );
  await Promise.all(
    Array.from({ length: 425 }, async (_, index) => {
      const [path, init] = calls[index % calls.length]!;
      const reply = await shown(await fetch(listening.url + path, withToken(init)));
      assert.deepEqual(reply, expected[index % calls.length], path);
    }),
  );
  await requireUnharmed();
});

test("a client that disconnects in the middle of a streamed response does no harm", async (t) => {
  const { listening, requireUnharmed } = await openListening(t, withLongLog());
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const { request, response } = await askForLong(listening.url);
      assert.equal(response.statusCode, 200);
      for (let pieces = 0; pieces < index; pieces++) await once(response, "data");
      response.on("error", () => {}); // it is cut off, as intended
      const closed = new Promise((resolve) => response.once("close", resolve));
      if (index % 2) request.destroy();
      else response.socket.resetAndDestroy();
      await closed;
      assert.equal(response.complete, false);
    }),
  );
  await requireUnharmed();
  await listening.close();
});

test("a client that disconnects before its response begins does no harm", async (t) => {
  const { listening, requireUnharmed } = await openListening(t, withLongLog());
  for (const leave of ["destroy", "resetAndDestroy", "end"] as const) {
    for (const parts of [
      [head("GET", `${EVENTS}?project=long`)],
      [head("GET", EVENTS)],
      [head("GET", EVENTS).slice(0, 40)],
      [searchHead("content-length: 2"), "{}"],
      [searchHead(`content-length: ${MIB + 1}`)],
    ]) {
      const { socket, send } = connect(listening.url);
      await once(socket, "connect");
      send(...parts);
      await setImmediate();
      socket[leave]();
      if (!socket.closed) await once(socket, "close");
    }
  }
  await requireUnharmed();
});

test("a client that disconnects in the middle of its body is not a server error", async (t) => {
  const { listening, logged } = await openListening(t);
  for (const part of ["", "{", '{"limit":']) {
    const { socket, send, reply } = connect(listening.url);
    send(searchHead("content-length: 20", "expect: 100-continue"));
    assert.equal((await reply())?.status, 100);
    send(part);
    await setImmediate();
    socket.destroy();
  }
  await listening.close(); // by then the server has noticed
  await setImmediate();
  assert.deepEqual(
    logged.filter((line) => line.level === "error"),
    [],
  );
});

test("a slow reader gets a long streamed response completely, while others are served", async (t) => {
  const { listening, get, requireUnharmed } = await openListening(t, withLongLog());
  const { response } = await askForLong(listening.url);
  assert.equal(response.headers["transfer-encoding"], "chunked");
  assert.equal(response.headers["content-length"], undefined);
  const pieces: Buffer[] = [];
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    if (pieces.length <= 20) await setTimeout(5);
    else if (pieces.length % 50 === 0) assert.equal((await get("/api/admin/user-admin/2")).status, 200);
  }
  const body = JSON.parse(Buffer.concat(pieces).toString());
  assert.equal(body.totalEvents, COUNT);
  assert.deepEqual(
    body.events.map((event: { id: number; data: { id: number } }) => [event.id, event.data.id]),
    Array.from({ length: COUNT }, (_, index) => [COUNT - index, COUNT - index]),
  );
  const text = "ü".repeat(10_000);
  assert.ok(body.events.every((event: { data: { text: string } }) => event.data.text === text));
  await requireUnharmed();
});
