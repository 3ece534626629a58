import { lookup } from "node:dns/promises";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { listen as listhen } from "listhen";
import { UsageError } from "../config.ts";
import type { Log } from "../log.ts";
import { refuseBroken, refuseLate } from "./refuse.ts";

/** Another program listens on the port. Exit code 4. */
export class PortInUseError extends Error {}

export interface Listening {
  /** Where a client on this machine finds it. */
  url: string;
  /** Takes no more requests, lets those in flight finish (five seconds at the most), then frees the port. */
  close(): Promise<void>;
}

const GRACE_MS = 5000;

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
}

/** Serves what the listener answers. @throws PortInUseError, UsageError for an unknown host */
export async function listen(
  handle: RequestListener,
  { host, port, tls, log }: ListenOptions,
): Promise<Listening> {
  await requireAddress(host);
  let isStopping = false;
  const listener: RequestListener = (req, res) => (isStopping ? refuseLate(log, res) : handle(req, res));
  // Everything is said here, for listhen would otherwise ask the environment, go public in production, try
  // other ports, draw a banner, and end the process on a signal before the database is closed.
  const { server: bare } = await listhen(listener, {
    hostname: host,
    port: { port, host, random: port === 0, verbose: false },
    public: isAnyAddress(host), // else listhen takes localhost instead
    isProd: true,
    isTest: false,
    https: tls ?? false,
    ws: false,
    tunnel: false,
    qr: false,
    open: false,
    clipboard: false,
    showURL: false,
    autoClose: false,
  }).catch((error: unknown) => {
    throw isNamed(error, "GetPortError") ? portInUse(host, port) : error;
  });
  const server = bare as Server;
  keepOwnListener(server);
  server.on("clientError", (error, socket) => refuseBroken(log, error, socket as Socket));
  const bound = (server.address() as AddressInfo).port;
  if (port !== 0 && bound !== port) {
    await close(server); // listhen passes over the ports that browsers refuse
    throw portInUse(host, port);
  }
  const stop = () => {
    isStopping = true;
    return close(server);
  };
  return { url: toUrl({ host, port: bound, isTls: tls !== undefined }), close: stop };
}

/** A name that nobody knows would be taken for a port in use. */
async function requireAddress(host: string) {
  await lookup(host).catch(() => {
    throw new UsageError(`--host: no address is known for ${host}`);
  });
}

const isAnyAddress = (host: string) => host === "0.0.0.0" || host === "::";

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name;

const portInUse = (host: string, port: number) =>
  new PortInUseError(
    `Port ${port} on ${host} is in use or not to be had: name another with --port, or 0 for any free one`,
  );

/**
 * listhen's own listener on requests marks sockets as idle when a response ends, and brings the process down
 * where the socket is gone by then. Ours comes first; the others are taken off, and `close` does their work.
 */
function keepOwnListener(server: Server) {
  const [, ...others] = server.listeners("request") as RequestListener[];
  for (const other of others) server.off("request", other);
}

async function close(server: Server) {
  const force = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  // A connection that its client keeps is idle once its answer is out, and would wait for another request.
  const tidy = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(tidy);
  clearTimeout(force);
}

/** Where a client on this machine finds a server that listens so. */
export function toUrl({ host, port, isTls }: { host: string; port: number; isTls: boolean }) {
  const local = host === "::" ? "::1" : "127.0.0.1";
  const name = isAnyAddress(host) ? local : host;
  return `http${isTls ? "s" : ""}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
