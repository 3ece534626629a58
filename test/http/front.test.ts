import assert from "node:assert/strict";
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import net, { type AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, type TestContext, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { JsonStream, toBody } from "../../src/http/json-stream.ts";
import { guarded, inTurns, type Listener } from "../../src/http/listener.ts";
import { listen } from "../../src/http/node-server.ts";
import type { ErrorBody } from "../../src/lib/api-error.ts";
import type { LogLine } from "../../src/lib/logger.ts";
import { openServer } from "../support/server.ts";
import {
  assertError,
  connect,
  EVENTS,
  exchange,
  head,
  LOCAL,
  MIB,
  openListening,
  searchHead,
  TOKEN,
} from "./raw-http.ts";

/*
 * Everything between a socket and the app: no input may crash the process or block other clients.
 */

const ask = (target: string, ...headers: string[]) =>
  [`GET ${target} HTTP/1.1`, `authorization: ${TOKEN}`, ...headers, "", ""].join("\r\n");

test("an invalid host is a 400, whatever the path", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  for (const target of [EVENTS, "/..", "/%41", "/api/admin/../events", `${EVENTS}?a=<>`]) {
    for (const host of [
      "x:99999",
      "999.1.1.1",
      "x:",
      "x:y",
      "a b",
      "a/b",
      "a@b",
      "[::1",
      "[x]",
      "ü",
      "%41",
    ]) {
      assertError(await exchange(listening.url, ask(target, `host: ${host}`)), [400, "ValidationError"]);
    }
    assertError(await exchange(listening.url, ask(target)), [400, "ValidationError"]);
    assertError(await exchange(listening.url, ask(target, "host: a", "host: a")), [400, "ValidationError"]);
  }
  for (const host of ["x", "x:4242", "[::1]:1", "flags.example.com", "a_b", "127.0.0.1"]) {
    assert.equal((await exchange(listening.url, ask(EVENTS, `host: ${host}`))).status, 200, host);
  }
  await requireUnharmed();
});

test("below a base path too", async (t) => {
  const { listener } = await openServer(t);
  const listening = await listen(listener, LOCAL);
  t.after(() => listening.close());
  assertError(await exchange(listening.url, ask("/flags/..", "host: x:99999")), [400, "ValidationError"]);
});

test("the path of an absolute URL is used; any other target is a 400", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  const reply = (target: string) => exchange(listening.url, ask(target, "host: x"));
  assert.equal((await reply(`http://x${EVENTS}`)).status, 200);
  for (const target of [`http://x:99999${EVENTS}`, `ftp://x${EVENTS}`, "http://", "x", "*"]) {
    assert.equal((await reply(target)).status, 400, target);
  }
  await requireUnharmed();
});

test("duplicate credentials or hosts are a 400, whether or not the response is cached", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  const line = `authorization: ${TOKEN}`;
  for (const headers of [
    [line, line],
    ["Authorization: user:nobody", line],
    [line, "AUTHORIZATION: user:nobody"],
    [line, "host: localhost"],
  ]) {
    for (let times = 0; times < 2; times++) {
      const request = [`GET ${EVENTS} HTTP/1.1`, "host: x", ...headers, "", ""].join("\r\n");
      assertError(await exchange(listening.url, request), [400, "ValidationError"]);
      await requireUnharmed();
    }
  }
});

test("CONNECT and unknown values of Expect are refused in JSON", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  const tunnel = await exchange(
    listening.url,
    "CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n",
  );
  assertError(tunnel, [405, "MethodNotAllowedError"]);
  const expecting = await exchange(listening.url, head("GET", EVENTS, "expect: the-best"));
  assertError(expecting, [417, "ExpectationFailedError"]);
  await requireUnharmed();
});

test("an incomplete request is a 408", async (t) => {
  const { listener, logged } = await openServer(t);
  const log = (line: LogLine) => void logged.push(line);
  const listening = await listen(listener, { ...LOCAL, log, headersTimeoutMs: 100 });
  t.after(() => listening.close());
  for (const part of [
    `GET ${EVENTS}`,
    head("GET", EVENTS).slice(0, -2),
    `${searchHead("content-length: 9")}{`,
  ]) {
    const reply = await exchange(listening.url, part);
    assertError(reply, [408, "RequestTimeoutError"]);
    assert.equal(logged.at(-1)?.id, JSON.parse(reply.body).id);
  }
});

describe("a connection on which nothing moves", () => {
  const STALL_MS = 500;
  /** More than a busy machine may hold up this process, which is client and server. */
  const LONG_STALL_MS = 2000;
  const BODY = Buffer.alloc(64 * MIB);

  const serve = async (t: TestContext, listener: Listener, stallTimeoutMs = STALL_MS) => {
    const listening = await listen(listener, { ...LOCAL, stallTimeoutMs });
    t.after(() => listening.close());
    const socket = net.connect(Number(new URL(listening.url).port), "127.0.0.1");
    socket.write(head("GET", "/"));
    return socket;
  };

  test("ends if its client reads nothing", async (t) => {
    const answered = Promise.withResolvers<ServerResponse>();
    const socket = await serve(t, (_, response) => answered.resolve(response.end(BODY)));
    t.after(() => socket.destroy());
    const response = await answered.promise;
    await once(response, "close");
    assert.equal(response.writableFinished, false);
  });

  test("stays while its client reads slowly", async (t) => {
    const socket = await serve(t, (_, response) => response.end(BODY), LONG_STALL_MS);
    let length = 0;
    const begin = performance.now();
    for await (const chunk of socket) {
      length += chunk.length;
      await setTimeout(3);
      if (length > BODY.length) break;
    }
    assert.ok(length > BODY.length, String(length));
    assert.ok(performance.now() - begin > LONG_STALL_MS);
  });

  test("stays while its response is being made", async (t) => {
    const socket = await serve(t, async (_, response) => {
      await setTimeout(2 * STALL_MS);
      response.end("done");
    });
    const [chunk] = await once(socket, "data");
    assert.match(String(chunk), /done$/);
  });
});

test("reading an unused body stops at a limit", async (t) => {
  const { listening, requireUnharmed } = await openListening(t);
  for (const request of [
    head("GET", EVENTS, "content-length: 100000000"),
    head("POST", "/api/admin/nope", "content-length: 100000000"),
    head("POST", EVENTS, "transfer-encoding: chunked"),
    "GET /nope HTTP/1.1\r\nhost: x\r\ncontent-length: 100000000\r\n\r\n",
  ]) {
    const { socket, send, reply } = connect(listening.url);
    send(request);
    assert.ok((await reply())?.status);
    let sent = 0;
    for (; sent < 64 && !socket.closed; sent++) {
      send(request.includes("chunked") ? `${MIB.toString(16)}\r\n` : "", Buffer.alloc(MIB), "\r\n");
      await setImmediate();
    }
    assert.ok(sent < 64, request);
  }
  await requireUnharmed();
});

/** A server that runs this listener behind everything that comes before the app. */
async function serveBehind(t: TestContext, listener: Listener) {
  const logged: LogLine[] = [];
  const server = http.createServer(guarded((line) => void logged.push(line), listener));
  let accepted = 0;
  server.on("connection", () => accepted++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return {
    logged,
    accepted: () => accepted,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
}

test("anything thrown is one 500 and one log line, and the next request works", async (t) => {
  const { logged, url } = await serveBehind(t, (request) => {
    if (request.url === "/later") return Promise.reject(new Error("by and by"));
    throw new Error("at once");
  });
  for (const [path, cause] of [
    ["/at-once?a=b", "at once"],
    ["/later", "by and by"],
  ] as const) {
    const response = await fetch(url + path);
    const { id, name, message } = (await response.json()) as ErrorBody;
    assert.deepEqual([response.status, name], [500, "UnknownError"]);
    assert.ok(!message.includes(cause));
    const [line, ...others] = logged.splice(0);
    assert.deepEqual([line?.id, line?.path, others], [id, path.split("?")[0], []]);
    assert.match(String(line?.cause), new RegExp(cause));
  }
});

test("an aborted response is visible to the client, and logged", async (t) => {
  const { logged, url } = await serveBehind(t, (_, response) => {
    response.writeHead(200, { "content-length": "10" }).write("half");
    return Promise.reject(new Error("in the middle"));
  });
  await assert.rejects(fetch(url).then((response) => response.text()));
  assert.match(String(logged[0]?.cause), /in the middle/);
});

test("a turn of the event loop ends in time, runs requests in order, and skips disconnected clients", async () => {
  const answered: number[] = [];
  const busy = (request: IncomingMessage) => {
    for (const end = performance.now() + 2; performance.now() < end; );
    answered.push(Number(request.url));
  };
  const listener = inTurns(busy as Listener);
  const response = { destroyed: false } as ServerResponse;
  const gone = { destroyed: true } as ServerResponse;
  for (let n = 0; n < 40; n++) listener({ url: String(n) } as IncomingMessage, n === 30 ? gone : response);
  const inFirst = answered.length;
  assert.ok(inFirst > 0 && inFirst < 20, `${inFirst} of 40 in the first turn`);
  let turns = 0;
  while (answered.length < 39) {
    await setImmediate();
    turns++;
  }
  assert.ok(turns > 3, "others had turns in between");
  assert.deepEqual(
    answered,
    Array.from({ length: 40 }, (_, n) => n).filter((n) => n !== 30),
  );
});

test("concurrent streams share the time of a turn", async () => {
  let made = 0;
  function* pieces() {
    yield "x".repeat(256 * 1024);
    for (let piece = 0; piece < 3; piece++) {
      for (const end = performance.now() + 1; performance.now() < end; );
      made++;
      yield "y";
    }
  }
  const bodies = Array.from({ length: 50 }, () => toBody(new JsonStream(pieces), "") as Readable);
  const texts = bodies.map((body) => text(body));
  const madeInTurn: number[] = [];
  for (let before = 0; made < 150; before = made) {
    await setImmediate();
    madeInTurn.push(made - before);
  }
  assert.ok(Math.max(...madeInTurn) <= 4, `${Math.max(...madeInTurn)} pieces in one turn`);
  const lengths = (await Promise.all(texts)).map(({ length }) => length);
  assert.deepEqual(lengths, Array(50).fill(256 * 1024 + 3));
});

test("a new connection is accepted while many others are busy", async (t) => {
  const { url, accepted } = await serveBehind(t, (_, response) => {
    for (const end = performance.now() + 1; performance.now() < end; );
    response.end("done");
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
  t.after(() => agent.destroy());
  let isOver = false;
  let answered = 0;
  const get = () =>
    new Promise<void>((resolve) => {
      http
        .get(url, { agent }, (response) => response.resume().on("end", resolve))
        .on("error", () => resolve());
    });
  const crowd = Array.from({ length: 200 }, async () => {
    for (; !isOver; answered++) await get();
  });
  while (accepted() < 200) await setImmediate();
  const before = answered;
  const { port } = new URL(url);
  const late = net.connect(Number(port), "127.0.0.1", () => late.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
  await new Promise((resolve) => late.once("data", resolve));
  late.destroy();
  const passed = answered - before;
  isOver = true;
  await Promise.all(crowd);
  assert.ok(passed < 3 * 200, `${passed} others were answered first`);
});
