import assert from "node:assert/strict";
import { once } from "node:events";
import http, { type ServerResponse } from "node:http";
import net, { type AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { write } from "../../src/events/write.ts";
import { openStream } from "../support/event-stream.ts";
import { until } from "../support/receiver.ts";
import { openServer } from "../support/server.ts";
import { createWorld } from "../support/world.ts";
import { head, TOKEN } from "./raw-http.ts";

/*
 * Misbehaving streaming clients. The content of streams is tested with their operations.
 */

const STREAM = "/api/admin/events/stream";
const HEARTBEAT_MS = 15_000;

async function open(t: TestContext) {
  const { listener, db, streams, request } = await openServer(t, createWorld());
  const responses: ServerResponse[] = [];
  const server = http.createServer((req, res) => {
    responses.push(res);
    return listener(req, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const record = (length: number) =>
    write(db, CLI, (tx) => tx.record({ type: "tag-created", data: { name: "x".repeat(length) } }));
  const listen = () => openStream(t, `http://127.0.0.1:${port}${STREAM}`, { as: TOKEN });
  /** A client that sends its request and then does nothing. */
  const connect = async () => {
    const socket = net.connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    socket
      .on("error", () => {})
      .pause()
      .write(head("GET", STREAM));
    await once(server, "request");
    return socket;
  };
  return { responses, streams, request, record, listen, connect };
}

/** More than the socket buffers hold. */
const MANY = 300;
const LONG = 100_000;

test("a client that does not read uses little memory, blocks nobody, and catches up when it resumes", async (t) => {
  const { responses, record, listen } = await open(t);
  const stuck = await listen();
  stuck.response.pause();
  const { next } = await listen();
  for (let n = 1; n <= MANY; n++) {
    record(LONG);
    assert.equal((await next()).id, String(n));
  }
  const { writableLength } = responses[0]!;
  assert.ok(writableLength < 1_000_000, `${writableLength} bytes are buffered`);
  stuck.response.resume();
  for (let n = 1; n <= MANY; n++) assert.equal((await stuck.next()).id, String(n));
});

test("a client that has read nothing for a minute is disconnected; others get keep-alives", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { responses, streams, record, listen, connect } = await open(t);
  const stuck = await connect();
  const { response, next } = await listen();
  for (let n = 1; n <= MANY; n++) {
    record(LONG);
    await next();
  }
  let comments = 0;
  response.on("data", (chunk: string) => (comments += chunk === ":\n\n" ? 1 : 0));
  for (let beats = 1; beats <= 4; beats++) {
    assert.equal(responses[0]!.destroyed, false);
    t.mock.timers.tick(HEARTBEAT_MS);
    await until(() => comments === beats);
  }
  await until(() => streams.count() === 1);
  assert.equal(responses[0]!.destroyed, true);
  stuck.resume();
  await once(stuck, "close");
});

test("a flood of clients that connect and disconnect leaves nothing behind", async (t) => {
  const { streams, connect, record, listen } = await open(t);
  for (let round = 0; round < 5; round++) {
    const sockets = await Promise.all(Array.from({ length: 60 }, connect));
    record(10);
    for (const socket of sockets) socket.destroy();
    record(10);
  }
  await until(() => streams.count() === 0);
  const { next } = await listen();
  record(10);
  assert.equal((await next()).data.type, "tag-created");
  assert.equal(streams.count(), 1);
});

test("a client that disconnects during a message is not an error", async (t) => {
  const { streams, record, connect, request } = await open(t);
  const sockets = await Promise.all(Array.from({ length: 20 }, connect));
  for (let n = 0; n < 20; n++) record(LONG);
  for (const socket of sockets) socket.resetAndDestroy();
  await until(() => streams.count() === 0);
  assert.equal((await request("/api/admin/events")).body.events.length, 20, "and nothing was logged");
});

test("clients that do not read do not delay the stop", async (t) => {
  const { responses, streams, record, connect } = await open(t);
  await connect();
  for (let n = 0; n < MANY; n++) record(LONG);
  await until(() => responses[0]!.writableNeedDrain);
  streams.close();
  await until(() => responses[0]!.destroyed && streams.count() === 0);
});
