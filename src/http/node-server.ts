import { lookup } from "node:dns/promises";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import http, { type Server } from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import net from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Log } from "../lib/logger.ts";
import { UsageError } from "../lib/usage-error.ts";
import {
  type Listener,
  refuse,
  refuseMalformed,
  refuseTunnel,
  stopping,
  unsupportedExpectation,
} from "./listener.ts";

/** Another program is listening on the port. Exit code 4. */
export class PortInUseError extends Error {}

export interface Listening {
  url: string;
  /** Answers requests already sent, lets those in flight finish (for at most five seconds), then frees the port. */
  close(): Promise<void>;
}

/** The queue for connections not yet accepted, as far as the system allows; any beyond it are refused. */
const BACKLOG = 4096;

/** How long a client may take to read anything of what it is sent; one that reads slowly is waited for. */
const STALL_TIMEOUT_MS = 120_000;

/** How long a request's headers may take to arrive; its body may take four times as long. */
const HEADERS_TIMEOUT_MS = 15_000;

/** How long a connection without a request stays open: as in the original, whose proxies are set up for it. */
const KEEP_ALIVE_MS = 15_000;

const optionsFor = (headersTimeoutMs: number): https.ServerOptions => ({
  handshakeTimeout: headersTimeoutMs,
  headersTimeout: headersTimeoutMs,
  requestTimeout: 4 * headersTimeoutMs,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: Math.min(headersTimeoutMs, 1000), // how often both timeouts are checked
  requireHostHeader: false, // we check it ourselves, with our own error
});

export interface Tls {
  cert: string;
  key: string;
}

/** A response has up to four listeners of ours for its end, and a stream adds seven: Node would warn of more than ten. */
const MAX_LISTENERS = 16;

interface ListenOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Serves HTTPS if given. */
  tls?: Tls | undefined;
  log: Log;
  /** In milliseconds, as is the next. */
  headersTimeoutMs?: number;
  stallTimeoutMs?: number;
}

/** Serves the listener. @throws PortInUseError, UsageError for an unknown host */
export async function listen(
  handle: Listener,
  {
    host,
    port,
    tls,
    log,
    headersTimeoutMs = HEADERS_TIMEOUT_MS,
    stallTimeoutMs = STALL_TIMEOUT_MS,
  }: ListenOptions,
): Promise<Listening> {
  await requireAddress(host);
  let isClosed = false;
  const listener: Listener = (request, response) => {
    connections.use(request.socket);
    response.setMaxListeners(MAX_LISTENERS);
    if (isClosed) return refuse(log, stopping(), request, response);
    return handle(request, response);
  };
  const options = optionsFor(headersTimeoutMs);
  const server = tls
    ? https.createServer({ ...options, ...tls }, listener)
    : http.createServer(options, listener);
  const connections = watchConnections(server, tls !== undefined);
  server.setTimeout(stallTimeoutMs, endIfStalled);
  server.on("clientError", (error, socket) => refuseMalformed(log, error, socket as Socket));
  server.on("connect", (_, socket) => refuseTunnel(log, socket as Socket));
  server.on("checkContinue", (request, response) => {
    // If the response is queued behind an earlier one, Node would write it between that one's head and body.
    if (response.socket) response.writeContinue();
    server.emit("request", request, response);
  });
  server.on("checkExpectation", (request, response) =>
    refuse(log, unsupportedExpectation(), request, response),
  );
  await bind(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  const url = toUrl({ host, port: bound, isTls: tls !== undefined });
  return {
    url,
    async close() {
      await drainPending(server, url);
      isClosed = true;
      await closeServer(server, connections);
    },
  };
}

/** A host name that does not resolve is a configuration mistake. */
async function requireAddress(host: string) {
  await lookup(host).catch(() => {
    throw new UsageError(`--host: no address is known for ${host}`);
  });
}

async function bind(server: Server, host: string, port: number) {
  server.listen({ host, port, backlog: BACKLOG });
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw BIND_ERRORS[error.code ?? ""]?.(host, port) ?? error;
  });
}

/** Why listening failed, by system code. An address may become available later, so that is not a usage error. */
const BIND_ERRORS: Readonly<Record<string, (host: string, port: number) => Error>> = {
  EADDRINUSE: (host, port) =>
    new PortInUseError(
      `Port ${port} on ${host} is in use: choose another with --port, or 0 for any free one`,
    ),
  EADDRNOTAVAIL: (host) => new Error(`${host} is not an address of this machine: choose another with --host`),
  EACCES: (host, port) =>
    new Error(`Port ${port} on ${host} may not be used by this user: choose one above 1023 with --port`),
};

const isAnyAddress = (host: string) => host === "0.0.0.0" || host === "::";

export function toUrl({ host, port, isTls }: { host: string; port: number; isTls: boolean }) {
  const local = host === "::" ? "::1" : "127.0.0.1";
  const name = isAnyAddress(host) ? local : host;
  return `http${isTls ? "s" : ""}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** A server's open connections, as far as stopping it has to deal with them. */
interface Connections {
  /** Called for each request. */
  use(socket: Socket): void;
  /** Ends those that have not carried a request yet: Node takes them for busy, and browsers open some in advance. */
  endUnused(): void;
  endAll(): void;
}

/** Tracks connections from when they open: Node has no list of those that have not negotiated TLS yet. */
function watchConnections(server: Server, isTls: boolean): Connections {
  const belowTls = isTls ? socketsOf(server, "connection") : new Set<Socket>();
  const unused = socketsOf(server, isTls ? "secureConnection" : "connection");
  return {
    use: (socket) => void unused.delete(socket),
    endUnused: () => destroyAll(unused),
    endAll() {
      server.closeAllConnections();
      destroyAll(belowTls);
    },
  };
}

/**
 * Ends a connection on which nothing has moved for a while, unless its client is waiting for a response that is still
 * being made: one between two requests, and one whose client does not read.
 */
function endIfStalled(socket: Socket) {
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse };
  if (!response || socket.writableLength > 0) socket.destroy();
}

/** The sockets that the event reports, until they close. */
function socketsOf(server: Server, event: "connection" | "secureConnection"): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  return sockets;
}

function destroyAll(sockets: Iterable<Socket>) {
  for (const socket of sockets) socket.destroy();
}

/** How long requests in flight may take once the server is stopping. */
const GRACE_MS = 5000;

/** How long the headers of a request may take to arrive once the server is stopping. */
const UNUSED_MS = 1000;

/** After this many event-loop turns without a request, everything that was sent has been read. */
const QUIET_TURNS = 10;

/**
 * Waits until every request sent so far has arrived. The system hands over connections in order, one per turn of the
 * event loop, so once our own connection is accepted all earlier ones are; what was sent on them is read in the turns
 * after that. Clients that arrive meanwhile are asked to open a new connection for their next request.
 */
async function drainPending(server: Server, url: string) {
  const deadline = performance.now() + GRACE_MS;
  const accepted = new Set<number | undefined>();
  let requests = 0;
  server.on("connection", ({ remotePort }) => accepted.add(remotePort));
  server.prependListener("request", (_, response) => {
    response.shouldKeepAlive = false;
    requests++;
  });
  const { hostname, port } = new URL(url);
  const own = net.connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
  await once(own, "connect").catch(() => {}); // if it fails, the turns below have to be enough
  while (!own.destroyed && !accepted.has(own.localPort) && performance.now() < deadline) await setImmediate();
  own.destroy();
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < deadline; quiet++) {
    const before = requests;
    await setImmediate();
    if (requests > before) quiet = 0;
  }
}

/** Lets requests in flight finish, for a while, and ends all other connections. */
async function closeServer(server: Server, connections: Connections) {
  const force = setTimeout(connections.endAll, GRACE_MS);
  const spare = setTimeout(connections.endUnused, UNUSED_MS);
  // A keep-alive connection is idle once its response is sent, and would wait for another request.
  const tidy = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(tidy);
  clearTimeout(spare);
  clearTimeout(force);
}
