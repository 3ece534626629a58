import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createWorld } from "../support/world.ts";
import {
  askForLong,
  assertError,
  COUNT,
  connect,
  EVENTS,
  head,
  openListening,
  searchHead,
  TOKEN,
  withLongLog,
} from "./raw-http.ts";

/** Waits until the port of a stopping server refuses connections. */
async function untilRefused(url: string) {
  for (;;) {
    const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
    const refused = await once(socket, "connect").then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED",
    );
    socket.destroy();
    if (refused) return;
    await setTimeout(60);
  }
}

test("close completes requests in flight and refuses new connections", async (t) => {
  const { listening } = await openListening(t, createWorld().event());
  const { send, reply, rest } = connect(listening.url);
  send(searchHead("content-length: 11", "expect: 100-continue", "connection: close"));
  assert.equal((await reply())?.status, 100, "it is in flight");
  let isClosed = false;
  const closing = listening.close().then(() => {
    isClosed = true;
  });
  await untilRefused(listening.url);
  assert.equal(isClosed, false, "it waits");
  send('{"limit":1}');
  const answer = await reply();
  assert.deepEqual([answer?.status, JSON.parse(answer!.body).totalEvents], [200, 1]);
  assert.equal(await rest(), "");
  await closing;
});

/** Opens this many connections, sends a request on each, creates a file as a signal, and counts the responses. */
const CROWD = `
const [,, port, token, flag, count] = process.argv;
let sent = 0, answered = 0, over = 0;
for (let n = 0; n < count; n++) {
  const socket = require("node:net").connect(port, "127.0.0.1", () =>
    socket.write("GET /api/admin/user-admin/1 HTTP/1.1\\r\\nhost: x\\r\\nauthorization: " + token + "\\r\\n\\r\\n", () => {
      if (++sent == count) require("node:fs").writeFileSync(flag, "");
    }));
  socket.on("data", (data) => { answered += /^HTTP.1.1 200 OK/.test(data); socket.end(); });
  socket.on("error", () => {});
  socket.on("close", () => ++over == count && console.log(answered));
}`;

test("every request sent before the stop is answered, even on connections that were not accepted yet", async (t) => {
  const { listening } = await openListening(t);
  const flag = path.join(os.tmpdir(), `flagstone-sent-${process.pid}`);
  t.after(() => fs.rmSync(flag, { force: true }));
  const script = path.join(os.tmpdir(), `flagstone-crowd-${process.pid}.cjs`);
  fs.writeFileSync(script, CROWD);
  t.after(() => fs.rmSync(script));
  const count = Math.min(1200, Number(fs.readFileSync("/proc/sys/net/core/somaxconn", "utf8")) - 100);
  const { port } = new URL(listening.url);
  const crowd = spawn(process.execPath, [script, port, TOKEN, flag, String(count)]);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (!fs.existsSync(flag)) Atomics.wait(pause, 0, 0, 10); // this process accepts none meanwhile
  const closing = listening.close();
  const [answered] = (await once(crowd.stdout, "data")) as [Buffer];
  assert.equal(String(answered).trim(), String(count));
  await closing;
});

test("close completes a streamed response", async (t) => {
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

test("connections without a complete request do not hold it up for long", async (t) => {
  const { listening } = await openListening(t);
  const unused = connect(listening.url);
  const partial = connect(listening.url);
  partial.send("GET / HTTP/1.1\r\n");
  await Promise.all([unused, partial].map(({ socket }) => once(socket, "connect")));
  const before = performance.now();
  await listening.close();
  assert.ok(performance.now() - before < 4000, "sooner than a request in flight");
});

test("a keep-alive connection is told to close", async (t) => {
  const { listening } = await openListening(t);
  const { send, reply, rest } = connect(listening.url);
  send(head("GET", EVENTS));
  assert.equal((await reply())?.headers.get("connection"), "keep-alive");
  const closing = listening.close();
  send(head("GET", EVENTS));
  const last = await reply();
  assert.deepEqual([last?.status, last?.headers.get("connection")], [200, "close"]);
  assert.equal(await rest(), "");
  await closing;
});

test("once it no longer listens, a keep-alive connection only gets a 503", async (t) => {
  const { listening, logged } = await openListening(t);
  const { socket, send, reply } = connect(listening.url);
  send(searchHead("content-length: 2", "expect: 100-continue"));
  assert.equal((await reply())?.status, 100);
  const closing = listening.close();
  await untilRefused(listening.url);
  send("{}");
  assert.equal((await reply())?.status, 200, "the one in flight");
  send(head("GET", EVENTS));
  const further = await reply();
  socket.destroy();
  await closing;
  if (further === undefined) return; // it hung up, which is fine too
  assert.equal(further.status, 503);
  assertError(further, [503, "ServiceUnavailableError"]);
  assert.match(further.headers.get("retry-after") ?? "none", /^\d+$/);
  const { id, level } = logged.at(-1)!;
  assert.deepEqual([id, level], [JSON.parse(further.body).id, "info"]);
});
