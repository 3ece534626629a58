import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo, type Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import tls from "node:tls";
import { createClock, openDelivering } from "../support/delivering.ts";
import { openReceiver } from "../support/receiver.ts";

/** The record of delivering one event to this address. */
async function outcomeAt(t: TestContext, url: string, options: object = {}) {
  const clock = createClock();
  const { integrate, addFlag, recorded } = await openDelivering(t, { clock, ...options });
  await integrate({ url });
  await addFlag("f");
  const [record] = await recorded(1);
  const [first = "", ...more] = record!.stateDetails.split("\n");
  const { status, retryAt } = record!.details;
  return {
    state: record!.state,
    said: first,
    reason: more.join(" "),
    status,
    isTriedAgain: retryAt !== undefined,
  };
}

/** A server that handles each connection as given. */
async function openSocket(t: TestContext, onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("nobody listens", async (t) => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  const { said, isTriedAgain } = await outcomeAt(t, `http://127.0.0.1:${port}/`);
  assert.equal(said, "Webhook request failed with status code: ECONNREFUSED.");
  assert.ok(isTriedAgain);
});

test("the connection is reset", async (t) => {
  const url = await openSocket(t, (socket) => socket.resetAndDestroy());
  const { said, isTriedAgain } = await outcomeAt(t, url);
  assert.equal(said, "Webhook request failed with status code: ECONNRESET.");
  assert.ok(isTriedAgain);
});

test("no response ever comes", async (t) => {
  const url = await openSocket(t, () => {});
  const { said, reason, isTriedAgain } = await outcomeAt(t, url, { timeoutMs: 300 });
  assert.equal(said, "Webhook request failed with status code: ETIMEDOUT.");
  assert.equal(reason, "No response within 0.3 seconds");
  assert.ok(isTriedAgain);
});

test("the response is not HTTP", async (t) => {
  const { state, said } = await outcomeAt(t, await openSocket(t, (socket) => socket.end("hello\r\n\r\n")));
  assert.equal(state, "failed");
  assert.match(said, /status code: HPE_/);
});

test("the response is slow, but in time", async (t) => {
  const receiver = await openReceiver(t, (_, response) => void setTimeout(() => response.end("ok"), 150));
  const { state } = await outcomeAt(t, receiver.url, { timeoutMs: 2000 });
  assert.equal(state, "success");
});

test("the response never ends", async (t) => {
  const receiver = await openReceiver(t, (_, response) => {
    const more = () => response.destroyed || response.write("x".repeat(1000), () => setImmediate(more));
    more();
  });
  const { state, status } = await outcomeAt(t, receiver.url);
  assert.deepEqual([state, status], ["success", 200]);
});

test("the response stops in the middle", async (t) => {
  const receiver = await openReceiver(t, (_, response) => {
    response.writeHead(200, { "content-length": 100 }).write("half");
    setImmediate(() => response.destroy());
  });
  const { state } = await outcomeAt(t, receiver.url);
  assert.equal(state, "success");
});

test("the response has enormous headers", async (t) => {
  const receiver = await openReceiver(t, (_, response) =>
    response.writeHead(200, { "x-large": "x".repeat(100_000) }).end(),
  );
  const { state, said } = await outcomeAt(t, receiver.url);
  assert.equal(state, "failed");
  assert.match(said, /HPE_HEADER_OVERFLOW/);
});

test("a keep-alive connection is used for the next event", async (t) => {
  const receiver = await openReceiver(t);
  let connections = 0;
  const url = new URL(receiver.url);
  const { integrate, addFlag, recorded } = await openDelivering(t);
  const proxy = await openSocket(t, (socket) => {
    connections++;
    socket.pipe(net.connect(Number(url.port), "127.0.0.1")).pipe(socket);
  });
  await integrate({ url: proxy });
  for (const name of ["one", "two", "three"]) await addFlag(name);
  await recorded(3);
  assert.equal(connections, 1);
});

test("an unknown host name is retried", async (t) => {
  const { said, isTriedAgain } = await outcomeAt(t, "http://nobody.invalid/");
  assert.match(said, /status code: (ENOTFOUND|EAI_AGAIN)/);
  assert.ok(isTriedAgain);
});

test("an invalid header is not retried", async (t) => {
  const receiver = await openReceiver(t);
  const { integrate, addFlag, recorded } = await openDelivering(t);
  await integrate({ url: receiver.url, authorization: "a\nb" });
  await addFlag("f");
  const [record] = await recorded(1);
  assert.match(record!.stateDetails, /ERR_INVALID_CHAR/);
  assert.equal(record!.details.retryAt, undefined);
});

/** A self-signed certificate for localhost; undefined without openssl. */
function certificate(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-tls-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const [key, cert] = [path.join(folder, "key.pem"), path.join(folder, "cert.pem")];
  const args = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
  ];
  execFileSync(
    "openssl",
    [
      ...args,
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost",
      "-keyout",
      key,
      "-out",
      cert,
    ],
    { stdio: "ignore" },
  );
  return { key: fs.readFileSync(key, "utf8"), cert: fs.readFileSync(cert, "utf8") };
}

async function openTls(t: TestContext, pair: ReturnType<typeof certificate>) {
  const server = https.createServer(pair, (_, response) => response.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

test("an untrusted certificate is refused, without a retry", async (t) => {
  const port = await openTls(t, certificate(t));
  const { said, isTriedAgain } = await outcomeAt(t, `https://127.0.0.1:${port}/`, { timeoutMs: 5000 });
  assert.match(said, /DEPTH_ZERO_SELF_SIGNED_CERT/);
  assert.ok(!isTriedAgain);
});

test("a certificate that the operator trusts is accepted, for its name only", async (t) => {
  const pair = certificate(t);
  const port = await openTls(t, pair);
  const options = { allowed: ["*"], ca: [...tls.rootCertificates, pair.cert], timeoutMs: 5000 };
  assert.equal((await outcomeAt(t, `https://localhost:${port}/`, options)).state, "success");
  const other = await outcomeAt(t, `https://127.0.0.1:${port}/`, options);
  assert.match(other.said, /ERR_TLS_CERT_ALTNAME_INVALID/);
  assert.ok(!other.isTriedAgain);
});

test("through a proxy, HTTPS is tunnelled to the server that has the certificate", async (t) => {
  const pair = certificate(t);
  const port = await openTls(t, pair);
  const asked: string[] = [];
  const proxy = http.createServer().on("connect", (request, socket) => {
    asked.push(request.url!);
    const there = net.connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    there.pipe(socket.on("error", () => {})).pipe(there.on("error", () => {}));
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  t.after(() => proxy.close().closeAllConnections());
  const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const ca = [...tls.rootCertificates, pair.cert];
  assert.match(
    (await outcomeAt(t, "https://hooks.example/x", { env, ca })).said,
    /ERR_TLS_CERT_ALTNAME_INVALID/,
  );
  const known = await outcomeAt(t, `https://localhost:${port}/x`, { env, ca, allowed: ["localhost"] });
  assert.equal(known.state, "success", known.said);
  assert.deepEqual(asked, ["hooks.example:443", `localhost:${port}`]);
  const hidden = await outcomeAt(t, "https://10.0.0.1/x", { env, ca });
  assert.match(hidden.said, /TARGET_NOT_ALLOWED/);
});
