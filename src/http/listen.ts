import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import { listen as listhen } from "listhen";
import { ApiError, type ErrorName } from "./error.ts";

/** Another program listens on the port. Exit code 4. */
export class PortInUseError extends Error {}

export interface Listening {
  /** Where a client on this machine finds it. */
  url: string;
  /** Takes no more requests, lets those in flight finish (five seconds at the most), then frees the port. */
  close(): Promise<void>;
}

const GRACE_MS = 5000;

/** Serves the app; port 0 is any free one. @throws PortInUseError */
export async function listen(app: H3, { host, port }: { host: string; port: number }): Promise<Listening> {
  // Everything is said here, for listhen would otherwise ask the environment, go public in production, try
  // other ports, draw a banner, and end the process on a signal before the database is closed.
  const listener = await listhen(toNodeHandler(app) as RequestListener, {
    hostname: host,
    port: { port, host, random: port === 0, verbose: false },
    public: isAnyAddress(host), // else listhen takes localhost instead
    isProd: true,
    isTest: false,
    https: false,
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
  const server = listener.server as Server;
  keepOwnListener(server);
  server.on("clientError", refuseBrokenRequest);
  const bound = (server.address() as AddressInfo).port;
  if (port !== 0 && bound !== port) {
    await close(server); // listhen passes over the ports that browsers refuse
    throw portInUse(host, port);
  }
  return { url: toUrl(host, bound), close: () => close(server) };
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
  const [, ...others] = server.listeners("request") as Array<
    (req: IncomingMessage, res: ServerResponse) => void
  >;
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

/** What is no HTTP never reaches the app; it gets the one error body all the same. */
function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket) {
  if (!socket.writable || error.code === "ECONNRESET") return socket.destroy();
  const isLarge = error.code === "HPE_HEADER_OVERFLOW";
  const name: ErrorName = isLarge ? "HeadersTooLargeError" : "ValidationError";
  const refusal = new ApiError(name, isLarge ? "The request's headers are too large" : "This is not HTTP");
  const body = JSON.stringify(refusal.toBody());
  socket.end(
    `HTTP/1.1 ${refusal.status} ${name}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function toUrl(host: string, port: number) {
  const local = host === "::" ? "::1" : "127.0.0.1";
  const name = isAnyAddress(host) ? local : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
