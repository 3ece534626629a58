import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { toListener } from "../../src/app.ts";
import { ErrorBody } from "../../src/http/error.ts";
import { listen, PortInUseError } from "../../src/http/listen.ts";
import { assertMatches, openServer } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const TOKEN = personal(1);
const EVENTS = "/api/admin/events";
const SEARCH = `${EVENTS}/search`;
const MIB = 2 ** 20;
const LOCAL = { host: "127.0.0.1", port: 0, log: () => {} };

/** The real app on a socket; whatever it logs as an error fails the test. */
async function openListening(t: TestContext, world: World = createWorld()) {
  const { app, logged } = await openServer(t, world);
  const listening = await listen(toListener(app), { ...LOCAL, log: (line) => logged.push(line) });
  t.after(() => listening.close());
  const get = (path: string) => fetch(listening.url + path, { headers: { authorization: TOKEN } });
  const requireUnharmed = async () => {
    const response = await get("/api/admin/user-admin/1");
    const user = (await response.json()) as { id: number };
    assert.deepEqual([response.status, user.id], [200, 1], "it answers afterwards");
    const failures = logged.filter((line) => line.level === "error");
    assert.deepEqual(failures, [], "nothing unexpected happened");
  };
  return { app, logged, listening, get, requireUnharmed };
}

/** Events of one project that make an answer of some 20 MB, more than the sockets between can hold. */
const COUNT = 1000;
const withLongLog = () => {
  const world = createWorld();
  for (let id = 1; id <= COUNT; id++) {
    world.event({ project: "long", data: { id, text: "ü".repeat(10_000) } });
  }
  return world;
};

interface RawReply {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/** A bare connection, for what no HTTP client would send. */
function connect(url: string) {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  let received = Buffer.alloc(0);
  let wake = () => {};
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on("close", () => wake());
  socket.on("error", () => {}); // the server may hang up while we still send
  socket.setTimeout(10_000, () => socket.destroy()); // a reply that never comes fails, and does not hang

  const take = (hasBody: boolean): RawReply | undefined => {
    const end = received.indexOf("\r\n\r\n");
    if (end === -1) return undefined;
    const [first = "", ...lines] = received.toString("latin1", 0, end).split("\r\n");
    const headers = new Map(
      lines.map((line): [string, string] => {
        const [name = "", ...value] = line.split(":");
        return [name.toLowerCase(), value.join(":").trim()];
      }),
    );
    const length = hasBody ? Number(headers.get("content-length") ?? 0) : 0;
    const body = received.subarray(end + 4, end + 4 + length);
    if (body.length < length) return undefined;
    received = received.subarray(end + 4 + length);
    return { status: Number(first.split(" ")[1]), headers, body: body.toString() };
  };

  return {
    socket,
    send: (...parts: Array<string | Buffer>) => {
      for (const part of parts) socket.write(part);
    },
    /** The next reply, or undefined if the connection ends before one is whole. */
    async reply({ hasBody = true } = {}): Promise<RawReply | undefined> {
      for (;;) {
        const reply = take(hasBody);
        if (reply || socket.closed) return reply;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    /** Whatever came after the last reply, once the server has ended the connection. */
    async rest(): Promise<string> {
      if (!socket.closed) await once(socket, "close");
      return received.toString();
    },
  };
}

/** The text of a request without its body. */
const head = (method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, "host: localhost", `authorization: ${TOKEN}`, ...headers, "", ""].join(
    "\r\n",
  );

const searchHead = (...headers: string[]) =>
  head("POST", SEARCH, "content-type: application/json", ...headers);

/** Sends the parts and reads the one reply. */
async function exchange(url: string, ...parts: Array<string | Buffer>): Promise<RawReply> {
  const { socket, send, reply } = connect(url);
  send(...parts);
  const answer = await reply();
  socket.destroy();
  assert.ok(answer, `a reply to ${String(parts[0]).slice(0, 100)}`);
  return answer;
}

function assertError({ status, headers, body }: RawReply, expected: [status: number, name: string]) {
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  const error = JSON.parse(body) as ErrorBody;
  assertMatches(ErrorBody, error);
  assert.deepEqual([status, error.name], expected);
  assert.equal(headers.get("content-length"), String(Buffer.byteLength(body)));
}

const chunk = (data: Buffer | string) => [
  `${Buffer.byteLength(data).toString(16)}\r\n`,
  Buffer.from(data),
  "\r\n",
];

test("it is found where it says, on each kind of host", async (t) => {
  const { app } = await openServer(t);
  for (const [host, name] of [
    ["127.0.0.1", "127.0.0.1"],
    ["localhost", "localhost"],
    ["0.0.0.0", "127.0.0.1"],
  ] as const) {
    const listening = await listen(toListener(app), { ...LOCAL, host });
    t.after(() => listening.close());
    const { protocol, hostname, port, pathname } = new URL(listening.url);
    assert.deepEqual([protocol, hostname, pathname], ["http:", name, "/"]);
    assert.notEqual(port, "0");
    assert.equal((await fetch(`${listening.url}${EVENTS}`)).status, 401, host);
  }
});

test("on 127.0.0.1 it is not found elsewhere", { skip: process.platform !== "linux" }, async (t) => {
  const { listening } = await openListening(t);
  const elsewhere = net.connect(Number(new URL(listening.url).port), "127.0.0.2");
  await assert.rejects(once(elsewhere, "connect"), { code: "ECONNREFUSED" });
});

test("neither the environment nor a signal has a say", async (t) => {
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

test("a port in use is a PortInUseError, and who has it keeps it", async (t) => {
  const { app, listening, requireUnharmed } = await openListening(t);
  const port = Number(new URL(listening.url).port);
  await assert.rejects(listen(toListener(app), { ...LOCAL, port }), (error) => {
    assert.ok(error instanceof PortInUseError);
    assert.ok(error.message.includes(String(port)));
    return true;
  });
  await requireUnharmed();
});

test("a port that is not to be had is not replaced by another", async (t) => {
  const { app } = await openServer(t);
  // Browsers refuse it, and so would the library that listens.
  await assert.rejects(listen(toListener(app), { ...LOCAL, port: 6667 }), PortInUseError);
});

test("a port is free again after close", async (t) => {
  const { app, listening } = await openListening(t);
  const port = Number(new URL(listening.url).port);
  await listening.close();
  const again = await listen(toListener(app), { ...LOCAL, port });
  t.after(() => again.close());
  assert.equal(again.url, listening.url);
});

test("a body over 1 MiB is 413, told by its length or in chunks, and the next request is answered", async (t) => {
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
    assert.equal(reply.headers.get("connection"), "close");
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

test("many bodies over 1 MiB at once, from clients that hang up, do no harm", async (t) => {
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

/** What no app gets to see: the parser of HTTP refuses it. */
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

test("what is no HTTP is 400 in JSON, and the connection is closed", async (t) => {
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

test("a client that is refused can't keep the connection open by not ending its side", async (t) => {
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

test("what is no HTTP gets no answer inside the one of the request before", async (t) => {
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

test("headers of 16 kB are 431 in JSON, those of 8 kB are read", async (t) => {
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

test("a refusal of what is no HTTP is like any other: headers, details, and its id in the log", async (t) => {
  const { listening, logged } = await openListening(t);
  for (const [request, keys] of [
    ["hello\r\n\r\n", ["id", "name", "message", "details"]],
    [head("GET", `/${"a".repeat(17_000)}`), ["id", "name", "message"]],
  ] as const) {
    const { headers, body } = await exchange(listening.url, request);
    const error = JSON.parse(body) as ErrorBody;
    assert.deepEqual(Object.keys(error), keys);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cache-control"), "private, no-cache");
    assert.equal(logged.at(-1)?.id, error.id);
  }
});

test("a token must be whole and alone in its header", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  const bare = (...lines: string[]) =>
    Buffer.from([`GET ${EVENTS} HTTP/1.1`, "host: localhost", ...lines, "", ""].join("\r\n"), "latin1");
  const line = `authorization: ${TOKEN}`;
  for (const lines of [
    [],
    ["authorization:"],
    ["authorization: Bearer"],
    ["authorization: Bearer "],
    [line, line],
    ["authorization: user:nobody", line],
    [line, "authorization: user:nobody"],
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

test("requests on one connection are answered in order, HEAD and 304 without a body between", async (t) => {
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

test("HEAD of a streamed answer has its headers and nothing else", async (t) => {
  const { listening, requireUnharmed } = await openListening(t, withLongLog());
  const { send, reply, rest } = connect(listening.url);
  send(head("HEAD", `${EVENTS}?project=long`, "connection: close"));
  assert.equal((await reply({ hasBody: false }))?.status, 200);
  assert.equal(await rest(), "");
  await requireUnharmed();
});

test("several hundred requests at once get each its own answer", async (t) => {
  const world = createWorld().project("a").member("a", 1).feature("f", "a").integration();
  for (let id = 1; id <= 300; id++) world.event({ project: "a", data: { text: "ü".repeat(id * 10) } });
  const { app, listening, requireUnharmed } = await openListening(t, world);
  const bodies = [{}, { limit: 7 }, { query: "ü".repeat(2000) }, { limit: 0 }].map((body) => ({
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

/** Asks for the long answer on a connection of its own; resolves when it begins. */
async function askForLong(url: string) {
  const request = http.get(`${url}${EVENTS}?project=long`, {
    agent: false,
    headers: { authorization: TOKEN },
  });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  return { request, response };
}

test("a client that leaves in the middle of a streamed answer does no harm", async (t) => {
  const { listening, requireUnharmed } = await openListening(t, withLongLog());
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const { request, response } = await askForLong(listening.url);
      assert.equal(response.statusCode, 200);
      for (let pieces = 0; pieces < index; pieces++) await once(response, "data");
      response.on("error", () => {}); // it is cut short, as we want it
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

test("a client that leaves before its answer begins does no harm", async (t) => {
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

test("a client that leaves in the middle of its body is no failure of the server", async (t) => {
  const { listening, logged } = await openListening(t);
  for (const part of ["", "{", '{"limit":']) {
    const { socket, send, reply } = connect(listening.url);
    send(searchHead("content-length: 20", "expect: 100-continue"));
    assert.equal((await reply())?.status, 100);
    send(part);
    await setImmediate();
    socket.destroy();
  }
  await listening.close(); // by then it has noticed
  await setImmediate();
  assert.deepEqual(
    logged.filter((line) => line.level === "error"),
    [],
  );
});

test("a slow reader gets a long streamed answer whole, and others are served meanwhile", async (t) => {
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

test("close lets a request in flight finish and refuses new connections", async (t) => {
  const { listening } = await openListening(t, createWorld().event());
  const { send, reply, rest } = connect(listening.url);
  send(searchHead("content-length: 11", "expect: 100-continue", "connection: close"));
  assert.equal((await reply())?.status, 100, "it is in flight");
  let isClosed = false;
  const closing = listening.close().then(() => {
    isClosed = true;
  });
  const another = net.connect(Number(new URL(listening.url).port), "127.0.0.1");
  await assert.rejects(once(another, "connect"), { code: "ECONNREFUSED" });
  assert.equal(isClosed, false, "it waits");
  send('{"limit":1}');
  const answer = await reply();
  assert.deepEqual([answer?.status, JSON.parse(answer!.body).totalEvents], [200, 1]);
  assert.equal(await rest(), "");
  await closing;
});

test("close lets a streamed answer finish", async (t) => {
  const { listening } = await openListening(t, withLongLog());
  const { response } = await askForLong(listening.url);
  await once(response, "readable");
  const closing = listening.close();
  const pieces: Buffer[] = [];
  for await (const piece of response as AsyncIterable<Buffer>) pieces.push(piece);
  assert.equal(JSON.parse(Buffer.concat(pieces).toString()).events.length, COUNT);
  await closing;
});

test("close ends idle connections at once", async (t) => {
  const { listening } = await openListening(t);
  const idle = connect(listening.url);
  idle.send(head("GET", EVENTS));
  assert.equal((await idle.reply())?.status, 200);
  await listening.close();
  assert.equal(await idle.rest(), "");
});

test("while it closes, a kept connection gets no further answer but 503", async (t) => {
  const { listening, logged } = await openListening(t);
  const { socket, send, reply } = connect(listening.url);
  send(searchHead("content-length: 2", "expect: 100-continue"));
  assert.equal((await reply())?.status, 100);
  const closing = listening.close();
  send("{}");
  assert.equal((await reply())?.status, 200, "the one in flight");
  send(head("GET", EVENTS));
  const further = await reply();
  socket.destroy();
  await closing;
  if (further === undefined) return; // it hung up, which is as good
  assert.equal(further.status, 503);
  assertError(further, [503, "ServiceUnavailableError"]);
  assert.match(further.headers.get("retry-after") ?? "none", /^\d+$/);
  assert.equal(logged.at(-1)?.id, JSON.parse(further.body).id);
});
