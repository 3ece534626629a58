import { lookup } from "node:dns/promises";
import { once } from "node:events";
import http, { type Server } from "node:http";
import https from "node:https";
import net, { type AddressInfo, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { UsageError } from "../config.ts";
import type { Log } from "../log.ts";
import type { Listener } from "./listener.ts";
import { refuse, refuseBroken, refuseTunnel, stopping, unexpected } from "./refuse.ts";

/** Another program listens on the port. Exit code 4. */
export class PortInUseError extends Error {}

export interface Listening {
  /** Where a client on this machine finds it. */
  url: string;
  /** Answers what was sent before, lets requests in flight finish (five seconds at the most), then frees the port. */
  close(): Promise<void>;
}

/** How long requests in flight may take once the server stops. */
const GRACE_MS = 5000;

/** Turns of the event loop without a request, after which all that was sent has been read. */
const QUIET_TURNS = 10;

/** Connections that wait to be accepted, as far as the system allows; more are refused by it. */
const BACKLOG = 4096;

/** How long the headers of a request may take; its body may take four times as long. */
const PATIENCE_MS = 15_000;

const optionsFor = (patience: number): http.ServerOptions => ({
  headersTimeout: patience,
  requestTimeout: 4 * patience,
  connectionsCheckingInterval: Math.min(patience, 1000), // how often these two are looked at
  requireHostHeader: false, // it is asked for where the answer is ours
});

/** A certificate, with those that vouch for it, and its private key, in PEM. */
export interface Tls {
  cert: string;
  key: string;
}

interface ListenOptions {
  host: string;
  /** 0 is any free one. */
  port: number;
  /** Speaks HTTPS with these. */
  tls?: Tls | undefined;
  log: Log;
  /** In milliseconds. */
  patience?: number;
}

/** Serves what the listener answers. @throws PortInUseError, UsageError for an unknown host */
export async function listen(
  handle: Listener,
  { host, port, tls, log, patience = PATIENCE_MS }: ListenOptions,
): Promise<Listening> {
  await requireAddress(host);
  let isClosed = false;
  const listener: Listener = (request, response) => {
    if (isClosed) return refuse(log, stopping(), request, response);
    return handle(request, response);
  };
  const options = optionsFor(patience);
  const server = tls
    ? https.createServer({ ...options, ...tls }, listener)
    : http.createServer(options, listener);
  server.on("clientError", (error, socket) => refuseBroken(log, error, socket as Socket));
  server.on("connect", (_, socket) => refuseTunnel(log, socket as Socket));
  server.on("checkContinue", (request, response) => {
    // Node would put it between the head and the body of an answer that waits for the one before it.
    if (response.socket) response.writeContinue();
    server.emit("request", request, response);
  });
  server.on("checkExpectation", (request, response) => refuse(log, unexpected(), request, response));
  await bind(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  const url = toUrl({ host, port: bound, isTls: tls !== undefined });
  return {
    url,
    async close() {
      await takeAllThatWasSent(server, url);
      isClosed = true;
      await close(server);
    },
  };
}

/** A name that nobody knows is a mistake in the setting. */
async function requireAddress(host: string) {
  await lookup(host).catch(() => {
    throw new UsageError(`--host: no address is known for ${host}`);
  });
}

async function bind(server: Server, host: string, port: number) {
  server.listen({ host, port, backlog: BACKLOG });
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw WHY[error.code ?? ""]?.(host, port) ?? error;
  });
}

/** Why a server can't listen there, by the system's code. An address may come later, so it is no misuse. */
const WHY: Readonly<Record<string, (host: string, port: number) => Error>> = {
  EADDRINUSE: (host, port) =>
    new PortInUseError(`Port ${port} on ${host} is in use: name another with --port, or 0 for any free one`),
  EADDRNOTAVAIL: (host) => new Error(`${host} is no address of this machine: name another with --host`),
  EACCES: (host, port) =>
    new Error(`Port ${port} on ${host} may not be used by this user: name one above 1023 with --port`),
};

/**
 * Waits until all has arrived that was sent before. The system hands over connections in their order, one a turn of the
 * event loop, so when one of our own is accepted all earlier ones are; what was sent on them is read in the next turns.
 * Whoever comes meanwhile is told to come on another connection next time.
 */
async function takeAllThatWasSent(server: Server, url: string) {
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
  await once(own, "connect").catch(() => {}); // where it can't be made, the turns below have to do
  while (!own.destroyed && !accepted.has(own.localPort) && performance.now() < deadline) await nextTurn();
  own.destroy();
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < deadline; quiet++) {
    const before = requests;
    await nextTurn();
    if (requests > before) quiet = 0;
  }
}

async function close(server: Server) {
  const force = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  // A connection that its client keeps is idle once its answer is out, and would wait for another request.
  const tidy = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(tidy);
  clearTimeout(force);
}

const isAnyAddress = (host: string) => host === "0.0.0.0" || host === "::";

/** Where a client on this machine finds a server that listens so. */
export function toUrl({ host, port, isTls }: { host: string; port: number; isTls: boolean }) {
  const local = host === "::" ? "::1" : "127.0.0.1";
  const name = isAnyAddress(host) ? local : host;
  return `http${isTls ? "s" : ""}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
