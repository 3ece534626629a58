import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../log.ts";
import { ApiError, invalid } from "./error.ts";
import { errorParts } from "./response.ts";

/*
 * Two refusals that the app never hears of. Their body is the one that every error has.
 */

/** A request on a connection that was kept, after the server has begun to stop. */
export function refuseLate(res: ServerResponse) {
  const headers = { "retry-after": "1", connection: "close" };
  const parts = errorParts(new ApiError("ServiceUnavailableError", "The server is stopping", { headers }));
  res.writeHead(parts.status, parts.headers).end(parts.body);
}

/** What is no HTTP, or has more headers than are read. */
export function refuseBroken(log: Log, cause: Error & { code?: string }, socket: Socket) {
  if (!socket.writable || cause.code === "ECONNRESET") return socket.destroy();
  const error = toApiError(cause.code);
  const { status, headers, body } = errorParts(error);
  log({ level: "info", message: error.message, id: error.id, status });
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n"));
}

const toApiError = (code: string | undefined) =>
  code === "HPE_HEADER_OVERFLOW"
    ? new ApiError("HeadersTooLargeError", "The request's headers are too large")
    : invalid({ path: "request", message: "is not HTTP" });
