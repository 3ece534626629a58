import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../log.ts";
import { ApiError, invalid } from "./error.ts";
import { errorParts } from "./response.ts";

/*
 * Two refusals that the app never hears of. Their body is the one that every error has.
 */

/** A request on a connection that was kept, after the server has begun to stop. */
export function refuseLate(log: Log, res: ServerResponse) {
  const headers = { "retry-after": "1", connection: "close" };
  const parts = loggedParts(
    log,
    new ApiError("ServiceUnavailableError", "The server is stopping", { headers }),
  );
  res.writeHead(parts.status, parts.headers).end(parts.body);
}

/** What is no HTTP, or has more headers than are read. */
export function refuseBroken(log: Log, cause: Error & { code?: string }, socket: Socket) {
  const { _httpMessage: current } = socket as Socket & { _httpMessage?: ServerResponse };
  // In the middle of an answer there is no place for another.
  if (!socket.writable || cause.code === "ECONNRESET" || current?.headersSent) return socket.destroy();
  const { status, headers, body } = loggedParts(log, toApiError(cause.code));
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const text = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n");
  socket.end(text, () => socket.destroy()); // a client that does not hang up is not waited for
}

function loggedParts(log: Log, error: ApiError) {
  const { id, status, message } = error;
  log({ level: "info", message, id, status });
  return errorParts(error);
}

const toApiError = (code: string | undefined) =>
  code === "HPE_HEADER_OVERFLOW"
    ? new ApiError("HeadersTooLargeError", "The request's headers are too large")
    : invalid({ path: "request", message: "is not HTTP" });
