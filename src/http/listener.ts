import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError, invalid } from "../lib/api-error.ts";
import { inTurn } from "../lib/background.ts";
import type { Log } from "../lib/logger.ts";
import { BODY_LIMIT } from "./body.ts";
import { toApiError } from "./failure.ts";
import { clientAddress } from "./origin.ts";
import { maskSecrets, pathOf } from "./path.ts";
import { errorParts } from "./response.ts";

/** Answers requests on a socket; returns a promise if it continues asynchronously. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Wraps the app's listener, so that no client can occupy it for long and nothing sent can crash it. */
export const guarded = (log: Log, listener: Listener, single = SINGLE): Listener =>
  inTurns(withErrorBoundary(log, withDiscardedBody(admitting(listener, single))));

const admitting =
  (listener: Listener, single: ReadonlySet<string>): Listener =>
  (request, response) => {
    requireOnce(request.rawHeaders, single);
    requireWellFormed(request);
    return listener(request, response);
  };

/*
 * Refusals made before a request reaches the app. Their body is the same as that of every other error.
 */

/** The failed request, as far as it is known. */
interface RequestInfo {
  method?: string | undefined;
  path?: string | undefined;
  address?: string | undefined;
}

/** Logs an error under the id in its response; the cause of an internal error appears only here. */
export function logError(
  log: Log,
  { status, id, message, cause, isLogged }: ApiError,
  about: RequestInfo = {},
) {
  if (!isLogged) return;
  const isFailure = status >= 500 && cause !== undefined; // a server that is stopping also answers with a 503
  log({
    level: isFailure ? "error" : "info",
    message: maskSecrets(message),
    id,
    status,
    ...about,
    ...(about.path !== undefined && { path: maskSecrets(about.path) }),
    ...(isFailure && { cause: cause instanceof Error ? cause.stack : String(cause) }),
  });
}

/** Responds with an error; a response that has already begun is cut off. */
export function refuse(log: Log, error: ApiError, request: IncomingMessage, response: ServerResponse) {
  logError(log, error, { method: request.method, path: pathOf(request) });
  if (response.headersSent) return void response.destroy();
  const { status, headers, body } = errorParts(error);
  response.writeHead(status, headers).end(body);
}

/** A request on a kept-alive connection after the server has stopped listening. */
export const stopping = () =>
  new ApiError("ServiceUnavailableError", "The server is stopping", {
    headers: { "retry-after": "1", connection: "close" },
  });

/** An `Expect` value that HTTP does not define. */
export const unsupportedExpectation = () =>
  new ApiError("ExpectationFailedError", "The server does not support this value of the header Expect");

/** Malformed HTTP, too many headers, or a request that never completes. */
export function refuseMalformed(log: Log, cause: Error & { code?: string }, socket: Socket) {
  const { _httpMessage: current } = socket as Socket & { _httpMessage?: ServerResponse };
  // An error can't be sent in the middle of a response.
  if (!socket.writable || cause.code === "ECONNRESET" || current?.headersSent) return socket.destroy();
  refuseSocket(log, errorForCode(cause.code), socket);
}

/** `CONNECT` requests a tunnel, and this is no proxy. Node has released the socket and no longer handles its errors. */
export function refuseTunnel(log: Log, socket: Socket) {
  socket.on("error", () => {}); // the client has already hung up
  refuseSocket(log, new ApiError("MethodNotAllowedError", "CONNECT is not supported"), socket);
}

function refuseSocket(log: Log, error: ApiError, socket: Socket) {
  logError(log, error);
  const { status, headers, body } = errorParts(error);
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const text = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n");
  socket.end(text, () => socket.destroy()); // don't wait for a client that stays connected
}

function errorForCode(code: string | undefined) {
  if (code === "HPE_HEADER_OVERFLOW")
    return new ApiError("HeadersTooLargeError", "The request's headers are too large");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new ApiError("RequestTimeoutError", "The request was not completed in time");
  const isCut = code === "HPE_INVALID_EOF_STATE";
  return invalid({ path: "request", message: isCut ? "ended before it was complete" : "is not HTTP" });
}

/** The headers that must not be given more than once. */
export const SINGLE: ReadonlySet<string> = new Set(["authorization", "host"]);

const HOST = /^(\[[\da-f:.]+\]|[\w.~-]+)(:\d{1,5})?$/i;

/**
 * What every request must satisfy before anything else looks at it: a URL is built from its target and its `Host`, and
 * its credential must be unambiguous.
 * @throws ApiError `ValidationError` naming the header, or the request's target.
 */
function requireWellFormed({ headers, url = "/", method, httpVersion }: IncomingMessage) {
  const { host } = headers;
  if (host === undefined && httpVersion === "1.1")
    throw invalid({ path: "headers.host", message: "is missing" });
  if (host !== undefined && !isHost(host)) {
    throw invalid({
      path: "headers.host",
      message: "must be a host name or an address, optionally with a port",
    });
  }
  if (url.startsWith("/") || (url === "*" && method === "OPTIONS") || isHttpUrl(url)) return;
  throw invalid({ path: "request", message: "must have a path that begins with a slash" });
}

/** Of duplicates, Node keeps the first; a proxy in front may have checked the last. */
function requireOnce(rawHeaders: string[], single: ReadonlySet<string>) {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!single.has(name)) continue;
    if (seen.has(name)) throw invalid({ path: `headers.${name}`, message: "is given more than once" });
    seen.add(name);
  }
}

/** Rejects what only looks like an address, such as 999.1.1.1. */
const isHost = (host: string) => HOST.test(host) && URL.canParse(`http://${host}`);

const isHttpUrl = (target: string) => /^https?:\/\//i.test(target) && URL.canParse(target);

/**
 * Whatever a listener throws, synchronously or later, becomes one response and one log line and never ends the process.
 * The same goes for a response that fails while being streamed; its client sees that it is incomplete.
 */
const withErrorBoundary =
  (log: Log, listener: Listener): Listener =>
  (request, response) => {
    const fail = (error: unknown) => refuse(log, toApiError(error), request, response);
    response.once("close", () => reportBroken(log, response));
    try {
      const result = listener(request, response);
      if (result instanceof Promise) result.catch(fail);
    } catch (error) {
      fail(error);
    }
  };

/**
 * A client that hangs up is not our failure. The system reports it as a failed call; Node as a reset, if the response
 * was still queued behind an earlier one.
 */
function reportBroken(log: Log, { errored, req }: ServerResponse) {
  if (!errored || "syscall" in errored || (errored as NodeJS.ErrnoException).code === "ECONNRESET") return;
  const about = { method: req.method, path: pathOf(req) };
  log({ level: "error", message: "A response was cut short", ...about, cause: String(errored.stack) });
}

/** Logs each request once it has been answered or its client has disconnected. Query strings are left out. */
export const withAccessLog =
  (log: Log, trustsProxy: boolean, listener: Listener): Listener =>
  (request, response) => {
    const begin = performance.now();
    const address = clientAddress(request, trustsProxy); // a closed socket has none
    response.once("close", () =>
      log({
        level: "info",
        message: response.writableFinished ? "request" : "request aborted",
        method: request.method,
        path: maskSecrets(pathOf(request)),
        status: response.statusCode,
        ms: Math.round((performance.now() - begin) * 10) / 10,
        address,
      }),
    );
    return listener(request, response);
  };

/** Queues requests for a turn of the event loop, skipping those whose client has disconnected by then. */
export function inTurns(listener: Listener): Listener {
  return (request, response) => inTurn(() => response.destroyed || listener(request, response));
}

/** How much of a body is read after its response. In bytes. */
const DISCARD_LIMIT = 16 * BODY_LIMIT;

/**
 * If the response is ready before the whole body has arrived, the rest is read: a client or a proxy that is still
 * sending would otherwise meet a closed connection and never see the response. One that sends far more is cut off.
 */
const withDiscardedBody =
  (listener: Listener): Listener =>
  (request, response) => {
    const { headers } = request;
    const hasBody = (headers["content-length"] ?? headers["transfer-encoding"]) !== undefined;
    // Before "finish", when Node itself starts discarding whatever arrives.
    if (hasBody) response.once("prefinish", () => request.complete || discardRest(request));
    return listener(request, response);
  };

function discardRest(request: IncomingMessage) {
  let left = DISCARD_LIMIT;
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
}
