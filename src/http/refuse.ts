import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../log.ts";
import { ApiError, invalid } from "./error.ts";
import { pathOf, withoutSecrets } from "./path.ts";
import { errorParts } from "./response.ts";

/*
 * Refusals that the app never hears of. Their body is the one that every error has.
 */

/** What is known of the request that failed. */
interface About {
  method?: string | undefined;
  path?: string | undefined;
  address?: string | undefined;
}

/** One line for each error that is answered, under the id in the answer; the cause of a failure of ours is here only. */
export function logError(log: Log, { status, id, message, cause, isLogged }: ApiError, about: About = {}) {
  if (!isLogged) return;
  log({
    level: status >= 500 ? "error" : "info",
    message: withoutSecrets(message),
    id,
    status,
    ...about,
    ...(about.path !== undefined && { path: withoutSecrets(about.path) }),
    ...(status >= 500 &&
      cause !== undefined && { cause: cause instanceof Error ? cause.stack : String(cause) }),
  });
}

/** Answers with an error; an answer that has begun is broken off. */
export function refuse(log: Log, error: ApiError, request: IncomingMessage, response: ServerResponse) {
  logError(log, error, { method: request.method, path: pathOf(request) });
  if (response.headersSent) return void response.destroy();
  const { status, headers, body } = errorParts(error);
  response.writeHead(status, headers).end(body);
}

/** A request on a connection that was kept, when the server no longer listens. */
export const stopping = () =>
  new ApiError("ServiceUnavailableError", "The server is stopping", {
    headers: { "retry-after": "1", connection: "close" },
  });

/** An `Expect` that is none of HTTP's. */
export const unexpected = () =>
  new ApiError("ExpectationFailedError", "The server can do nothing of what the header Expect asks for");

/** What is no HTTP, has more headers than are read, or does not come to its end. */
export function refuseBroken(log: Log, cause: Error & { code?: string }, socket: Socket) {
  const { _httpMessage: current } = socket as Socket & { _httpMessage?: ServerResponse };
  // In the middle of an answer there is no place for another.
  if (!socket.writable || cause.code === "ECONNRESET" || current?.headersSent) return socket.destroy();
  refuseSocket(log, whyBroken(cause.code), socket);
}

/** `CONNECT`, which asks for a tunnel: this is no proxy. Node has let go of the socket, and of its errors. */
export function refuseTunnel(log: Log, socket: Socket) {
  socket.on("error", () => {}); // the client has hung up already
  refuseSocket(log, new ApiError("MethodNotAllowedError", "CONNECT is not possible here"), socket);
}

function refuseSocket(log: Log, error: ApiError, socket: Socket) {
  logError(log, error);
  const { status, headers, body } = errorParts(error);
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const text = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n");
  socket.end(text, () => socket.destroy()); // a client that does not hang up is not waited for
}

function whyBroken(code: string | undefined) {
  if (code === "HPE_HEADER_OVERFLOW")
    return new ApiError("HeadersTooLargeError", "The request's headers are too large");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new ApiError("RequestTimeoutError", "The request did not come to its end in time");
  return invalid({ path: "request", message: "is not HTTP" });
}
