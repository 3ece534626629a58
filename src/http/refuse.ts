import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError, invalid } from "../lib/api-error.ts";
import type { Log } from "../lib/logger.ts";
import { maskSecrets, pathOf } from "./path.ts";
import { errorParts } from "./response.ts";

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
