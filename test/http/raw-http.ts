import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import type { TestContext } from "node:test";
import { listen } from "../../src/http/node-server.ts";
import { ErrorBody } from "../../src/lib/api-error.ts";
import type { LogLine } from "../../src/lib/logger.ts";
import { assertMatches, openServer } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

export const TOKEN = personal(1);
export const EVENTS = "/api/admin/events";
export const SEARCH = `${EVENTS}/search`;
export const MIB = 2 ** 20;
export const LOCAL = { host: "127.0.0.1", port: 0, log: () => {} };

/** The real app on a socket; any error in its log fails the test. */
export async function openListening(t: TestContext, world: World = createWorld()) {
  const server = await openServer(t, world);
  const { logged } = server;
  const log = (line: LogLine) => void logged.push(line);
  const listening = await listen(server.listener, { ...LOCAL, log });
  t.after(() => listening.close());
  const get = (path: string) => fetch(listening.url + path, { headers: { authorization: TOKEN } });
  const requireUnharmed = async () => {
    const response = await get("/api/admin/user-admin/1");
    const user = (await response.json()) as { id: number };
    assert.deepEqual([response.status, user.id], [200, 1], "the server still works afterwards");
    const failures = logged.filter((line) => line.level === "error");
    assert.deepEqual(failures, [], "nothing unexpected happened");
  };
  return { ...server, listening, get, requireUnharmed };
}

/** Events of one project whose response has some 20 MB, more than the socket buffers hold. */
export const COUNT = 1000;
export const withLongLog = () => {
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

/** A plain connection, for bytes that no HTTP client would send. */
export function connect(url: string) {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  let received = Buffer.alloc(0);
  let wake = () => {};
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on("close", () => wake());
  socket.on("error", () => {}); // the server may hang up while we are sending
  socket.setTimeout(10_000, () => socket.destroy()); // a missing reply must fail instead of hanging

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
    /** The next reply; undefined if the connection ends before it is complete. */
    async reply({ hasBody = true } = {}): Promise<RawReply | undefined> {
      for (;;) {
        const reply = take(hasBody);
        if (reply || socket.closed) return reply;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    /** Everything after the last reply, once the server has closed the connection. */
    async rest(): Promise<string> {
      if (!socket.closed) await once(socket, "close");
      return received.toString();
    },
  };
}

/** The text of a request without its body. */
export const head = (method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, "host: localhost", `authorization: ${TOKEN}`, ...headers, "", ""].join(
    "\r\n",
  );

export const searchHead = (...headers: string[]) =>
  head("POST", SEARCH, "content-type: application/json", ...headers);

/** Sends the parts and reads a single reply. */
export async function exchange(url: string, ...parts: Array<string | Buffer>): Promise<RawReply> {
  const { socket, send, reply } = connect(url);
  send(...parts);
  const answer = await reply();
  socket.destroy();
  assert.ok(answer, `a reply to ${String(parts[0]).slice(0, 100)}`);
  return answer;
}

export function assertError({ status, headers, body }: RawReply, expected: [status: number, name: string]) {
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  const error = JSON.parse(body) as ErrorBody;
  assertMatches(ErrorBody, error);
  assert.deepEqual([status, error.name], expected);
  assert.equal(headers.get("content-length"), String(Buffer.byteLength(body)));
}

/** Requests the long response on a new connection; resolves when it begins. */
export async function askForLong(url: string) {
  const request = http.get(`${url}${EVENTS}?project=long`, {
    agent: false,
    headers: { authorization: TOKEN },
  });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  return { request, response };
}
